//! Checks that one policy is at least as strict as another: no partition has a better tier under it.
//!
//! Most rules compare one field, but some fields interact:
//!
//! - Zero weights: a partition without weight abstains. A positive weight could make it replan instead.
//! - `undefined_score = "half"` scores partitions for which the other policy may replan.
//! - Verification lowers a type only if the lower type weighs no more.
//!
//! If the other policy abstains because of undecided claims, a stricter policy may still regenerate or
//! replan. It never proceeds unless the other does.

use core::fmt;

use super::{
    Cap, Gate, Guards, InvestigationRules, Ladder, Policy, PolicyValues, Rollout, SecondLook,
    SecondLookFailure, Undecided, UndefinedScore, VerificationMode, Weights,
};
use crate::claim::EvidenceType;
use crate::fixed_point::Millionths;
use crate::outer_loop::LoopLimits;

/// A field in which a policy is looser than another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LooserField {
    /// The field as written in a file, such as `weights.domain`.
    pub field: String,
    /// The policy's value.
    pub given: String,
    /// The other policy's value.
    pub other: String,
    /// The values that are strict enough, such as `0.5 or more`.
    pub allowed: String,
}

impl fmt::Display for LooserField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, given, other, allowed } = self;
        write!(f, "{field} is {given} against {other}; allowed is {allowed}")
    }
}

impl Policy {
    /// Checks that no partition has a better tier under this policy. Returns every looser field.
    pub fn at_least_as_strict_as(&self, other: &Self) -> Result<(), Vec<LooserField>> {
        let mut looser = Looser::default();
        looser.compare_values(self, other);
        if looser.0.is_empty() { Ok(()) } else { Err(looser.0) }
    }
}

#[derive(Default)]
struct Looser(Vec<LooserField>);

impl Looser {
    // Every struct is destructured so that each new field needs a rule to compile.
    fn compare_values(&mut self, policy: &Policy, compared: &Policy) {
        let PolicyValues {
            name: _,
            description: _,
            base: _,
            tau_proceed,
            tau_regenerate,
            rho,
            ungrounded_floor,
            undefined_score,
            verification,
            second_look,
            second_look_failure,
            undecided,
            weights,
            guards,
            gate,
            cap,
            ladder,
            investigation,
            rollout,
        } = policy.values();
        let other = compared.values();
        self.require_at_least("tau_proceed", *tau_proceed, other.tau_proceed);
        self.require_at_least("tau_regenerate", *tau_regenerate, other.tau_regenerate);
        self.compare_rho(*rho, other.rho);
        self.require_at_least("ungrounded_floor", *ungrounded_floor, other.ungrounded_floor);
        self.compare_undefined_score(*undefined_score, policy, compared);
        self.compare_verification(*verification, other.verification);
        self.compare_second_look(*second_look, other.second_look);
        self.compare_second_look_failure(*second_look_failure, other.second_look_failure);
        self.compare_undecided(*undecided, other.undecided);
        self.compare_weights(
            (weights, *ungrounded_floor),
            (&other.weights, other.ungrounded_floor),
        );
        self.compare_guards(guards, &other.guards);
        self.compare_gate(gate, &other.gate);
        self.compare_cap(cap, &other.cap);
        self.compare_ladder(ladder, &other.ladder);
        self.compare_investigation(investigation, &other.investigation);
        self.compare_rollout(rollout, &other.rollout);
    }

    fn compare_rho(&mut self, own: Millionths, other: Millionths) {
        self.require_at_least("rho", own, other);
        if other == Millionths::ZERO && own > other {
            let allowed = "0, or contradicted claims alone would replan instead of abstain";
            self.push("rho", own, other, allowed);
        }
    }

    fn compare_undefined_score(&mut self, own: UndefinedScore, policy: &Policy, compared: &Policy) {
        let field = "undefined_score";
        match (own, compared.undefined_score) {
            (UndefinedScore::Absent, _) => {}
            (UndefinedScore::Half, UndefinedScore::Absent) => {
                self.push(field, "half", "absent", "absent");
            }
            (UndefinedScore::Half, UndefinedScore::Half) => {
                let weights = policy.weights.as_array();
                let weighs_everything =
                    policy.rho > Millionths::ZERO && !weights.contains(&Millionths::ZERO);
                if !weighs_everything && policy.digest() != compared.digest() {
                    let allowed = "absent, or weights and rho above 0";
                    self.push(field, "half", "half", allowed);
                }
            }
        }
    }

    fn compare_verification(&mut self, own: VerificationMode, other: VerificationMode) {
        if own < other {
            let allowed = match other {
                VerificationMode::Enforce => "enforce",
                VerificationMode::Off | VerificationMode::Observe => "observe or enforce",
            };
            self.push("verification", own.name(), other.name(), allowed);
        }
    }

    fn compare_second_look(&mut self, own: SecondLook, other: SecondLook) {
        if own < other {
            let allowed = match other {
                SecondLook::All => "all",
                SecondLook::Off | SecondLook::Headline => "headline or all",
            };
            self.push("second_look", own.name(), other.name(), allowed);
        }
    }

    fn compare_second_look_failure(&mut self, own: SecondLookFailure, other: SecondLookFailure) {
        if own < other {
            self.push("second_look_failure", own.name(), other.name(), other.name());
        }
    }

    fn compare_undecided(&mut self, own: Undecided, other: Undecided) {
        if own < other {
            self.push("undecided", own.name(), other.name(), other.name());
        }
    }

    fn compare_weights(&mut self, own: (&Weights, Millionths), other: (&Weights, Millionths)) {
        let ((own, own_floor), (other, other_floor)) = (own, other);
        let pairs = own.as_array().iter().zip(other.as_array());
        for (evidence_type, (own, other)) in EvidenceType::ALL.into_iter().zip(pairs) {
            let field = format!("weights.{}", evidence_type.name());
            if own > other {
                self.push(&field, own, other, &format!("{other} or less"));
            }
            let (unsupported, min) = ((*own).max(own_floor), (*other).max(other_floor));
            if unsupported < min {
                let given = format!("{unsupported} for an unsupported claim");
                let allowed = format!("{min} or more, by the weight or by ungrounded_floor");
                self.push(&field, given, min, &allowed);
            }
            if min == Millionths::ZERO && unsupported > min {
                let given = format!("{unsupported} for an unsupported claim");
                let allowed = "0, or such claims alone would replan instead of abstain";
                self.push(&field, given, min, allowed);
            }
        }
        if own != other {
            let in_order = "weights that fall in the order of the types, or the same weights";
            for weights in [own, other].into_iter().filter(|weights| !is_descending(weights)) {
                let listed = EvidenceType::ALL.map(|kind| weights.get(kind).to_string()).join(", ");
                self.push("weights", listed, "another order", in_order);
            }
        }
    }

    fn compare_guards(&mut self, own: &Guards, other: &Guards) {
        let Guards {
            duplicates_count_once,
            rho_at_least_one,
            complementary_limit,
            contradiction_blocks,
            min_grounded,
            min_coverage,
            synthesis_required,
            headline_must_be_grounded,
            tool_match_needs_attestation,
        } = own;
        for (field, own, other) in [
            ("guards.duplicates_count_once", *duplicates_count_once, other.duplicates_count_once),
            ("guards.rho_at_least_one", *rho_at_least_one, other.rho_at_least_one),
            ("guards.contradiction_blocks", *contradiction_blocks, other.contradiction_blocks),
            ("guards.synthesis_required", *synthesis_required, other.synthesis_required),
            (
                "guards.headline_must_be_grounded",
                *headline_must_be_grounded,
                other.headline_must_be_grounded,
            ),
            (
                "guards.tool_match_needs_attestation",
                *tool_match_needs_attestation,
                other.tool_match_needs_attestation,
            ),
        ] {
            self.require_if_on(field, own, other);
        }
        self.require_at_least("guards.min_grounded", *min_grounded, other.min_grounded);
        match (*complementary_limit, other.complementary_limit) {
            (own, Some(max)) if own.is_none_or(|own| own > max) => {
                let allowed = format!("{max} or less");
                self.push("guards.complementary_limit", format_limit(own), max, &allowed);
            }
            _ => {}
        }
        match (*min_coverage, other.min_coverage) {
            (own, Some(min)) if own.is_none_or(|own| own < min) => {
                let allowed = format!("{min} or more");
                self.push("guards.min_coverage", format_limit(own), min, &allowed);
            }
            _ => {}
        }
    }

    fn compare_gate(&mut self, own: &Gate, other: &Gate) {
        let Gate {
            max_turns,
            wall_clock_seconds,
            contested,
            synthetic_validates,
            max_identical_calls,
            max_turns_without_evidence,
        } = own;
        self.require_equal("gate.max_turns", max_turns, &other.max_turns);
        self.require_equal(
            "gate.wall_clock_seconds",
            wall_clock_seconds,
            &other.wall_clock_seconds,
        );
        self.require_if_on("gate.contested", *contested, other.contested);
        if *synthetic_validates && !other.synthetic_validates {
            self.push("gate.synthetic_validates", true, false, "false");
        }
        self.require_equal(
            "gate.max_identical_calls",
            max_identical_calls,
            &other.max_identical_calls,
        );
        self.require_equal(
            "gate.max_turns_without_evidence",
            max_turns_without_evidence,
            &other.max_turns_without_evidence,
        );
    }

    fn compare_cap(&mut self, own: &Cap, other: &Cap) {
        let Cap { partially_grounded, ungrounded } = own;
        self.require_equal("cap.partially_grounded", partially_grounded, &other.partially_grounded);
        self.require_equal("cap.ungrounded", ungrounded, &other.ungrounded);
    }

    fn compare_ladder(&mut self, own: &Ladder, other: &Ladder) {
        let Ladder { issue, patch, pull_request, joins_decision } = own;
        self.require_equal("ladder.issue", issue, &other.issue);
        self.require_equal("ladder.patch", patch, &other.patch);
        self.require_equal("ladder.pull_request", pull_request, &other.pull_request);
        self.require_if_on("ladder.joins_decision", *joins_decision, other.joins_decision);
    }

    /// Every retry is another chance to proceed.
    fn compare_investigation(&mut self, own: &InvestigationRules, other: &InvestigationRules) {
        let InvestigationRules { limits, caller_verdicts } = own;
        let LoopLimits { max_replans, regenerations_per_plan, max_judge_retries: _ } = limits;
        let limited = [
            ("investigation.max_replans", *max_replans, other.limits.max_replans),
            (
                "investigation.regenerations_per_plan",
                *regenerations_per_plan,
                other.limits.regenerations_per_plan,
            ),
        ];
        for (field, own, other) in limited {
            if own > other {
                self.push(field, own, other, &format!("at most {other}"));
            }
        }
        if *caller_verdicts && !other.caller_verdicts {
            self.push("investigation.caller_verdicts", true, false, "false");
        }
    }

    fn compare_rollout(&mut self, own: &Rollout, other: &Rollout) {
        let Rollout { gate, cap, ladder, decision } = own;
        if *decision < other.decision {
            self.push("rollout.decision", decision.name(), other.decision.name(), "active");
        }
        for (field, own, other) in [
            ("rollout.gate", *gate, other.gate),
            ("rollout.cap", *cap, other.cap),
            ("rollout.ladder", *ladder, other.ladder),
        ] {
            self.require_equal(field, own.name(), other.name());
        }
    }

    fn require_at_least<T: PartialOrd + fmt::Display>(&mut self, field: &str, own: T, other: T) {
        if own < other {
            let allowed = format!("{other} or more");
            self.push(field, own, other, &allowed);
        }
    }

    fn require_if_on(&mut self, field: &str, own: bool, other: bool) {
        if other && !own {
            self.push(field, own, other, "true");
        }
    }

    fn require_equal<T: PartialEq + fmt::Display + ?Sized>(
        &mut self,
        field: &str,
        own: &T,
        other: &T,
    ) {
        if own != other {
            self.push(field, own, other, &format!("{other}"));
        }
    }

    fn push(
        &mut self,
        field: &str,
        given: impl fmt::Display,
        other: impl fmt::Display,
        allowed: &str,
    ) {
        self.0.push(LooserField {
            field: field.to_string(),
            given: given.to_string(),
            other: other.to_string(),
            allowed: allowed.to_string(),
        });
    }
}

fn is_descending(weights: &Weights) -> bool {
    weights.as_array().is_sorted_by(|before, after| before >= after)
}

fn format_limit(limit: Option<Millionths>) -> String {
    limit.map_or("none".to_string(), |limit| limit.to_string())
}

#[cfg(test)]
mod tests;
