//! Checks that one policy is at least as strict as another, that is, that no partition has a better tier under it.
//!
//! Most rules compare one field, but some fields interact:
//!
//! - A partition without weight abstains if weights are zero. With a positive weight, it could replan instead.
//! - `undefined_score = "half"` gives a score to partitions for which the other policy may replan.
//! - Verification only lowers an evidence type if the lower type has at most the same weight.
//!
//! If the other policy abstains because of undecided claims, a stricter policy may still regenerate or replan. It never
//! proceeds unless the other policy proceeds.

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
        write!(f, "{field} is {given}, compared with {other}; allowed: {allowed}")
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
    // Every struct is destructured, so that the code does not compile until each new field has a rule.
    fn compare_values(&mut self, policy: &Policy, reference: &Policy) {
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
        let other = reference.values();
        self.require_at_least("tau_proceed", *tau_proceed, other.tau_proceed);
        self.require_at_least("tau_regenerate", *tau_regenerate, other.tau_regenerate);
        self.compare_rho(*rho, other.rho);
        self.require_at_least("ungrounded_floor", *ungrounded_floor, other.ungrounded_floor);
        self.compare_undefined_score(*undefined_score, policy, reference);
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

    fn compare_rho(&mut self, value: Millionths, other: Millionths) {
        self.require_at_least("rho", value, other);
        if other == Millionths::ZERO && value > other {
            let allowed =
                "0, since contradicted claims alone would otherwise replan instead of abstain";
            self.push("rho", value, other, allowed);
        }
    }

    fn compare_undefined_score(
        &mut self,
        value: UndefinedScore,
        policy: &Policy,
        reference: &Policy,
    ) {
        let field = "undefined_score";
        match (value, reference.undefined_score) {
            (UndefinedScore::Absent, _) => {}
            (UndefinedScore::Half, UndefinedScore::Absent) => {
                self.push(field, "half", "absent", "absent");
            }
            (UndefinedScore::Half, UndefinedScore::Half) => {
                let weights = policy.weights.as_array();
                let weighs_everything =
                    policy.rho > Millionths::ZERO && !weights.contains(&Millionths::ZERO);
                if !weighs_everything && policy.digest() != reference.digest() {
                    let allowed = "absent, or weights and rho above 0";
                    self.push(field, "half", "half", allowed);
                }
            }
        }
    }

    fn compare_verification(&mut self, value: VerificationMode, other: VerificationMode) {
        if value < other {
            let allowed = match other {
                VerificationMode::Enforce => "enforce",
                VerificationMode::Off | VerificationMode::Observe => "observe or enforce",
            };
            self.push("verification", value.name(), other.name(), allowed);
        }
    }

    fn compare_second_look(&mut self, value: SecondLook, other: SecondLook) {
        if value < other {
            let allowed = match other {
                SecondLook::All => "all",
                SecondLook::Off | SecondLook::Headline => "headline or all",
            };
            self.push("second_look", value.name(), other.name(), allowed);
        }
    }

    fn compare_second_look_failure(&mut self, value: SecondLookFailure, other: SecondLookFailure) {
        if value < other {
            self.push("second_look_failure", value.name(), other.name(), other.name());
        }
    }

    fn compare_undecided(&mut self, value: Undecided, other: Undecided) {
        if value < other {
            self.push("undecided", value.name(), other.name(), other.name());
        }
    }

    fn compare_weights(&mut self, weights: (&Weights, Millionths), other: (&Weights, Millionths)) {
        let ((weights, floor), (other, other_floor)) = (weights, other);
        let pairs = weights.as_array().iter().zip(other.as_array());
        for (evidence_type, (weight, other)) in EvidenceType::ALL.into_iter().zip(pairs) {
            let field = format!("weights.{}", evidence_type.name());
            if weight > other {
                self.push(&field, weight, other, &format!("{other} or less"));
            }
            let (unsupported, min) = ((*weight).max(floor), (*other).max(other_floor));
            if unsupported < min {
                let description = format!("{unsupported} for an unsupported claim");
                let allowed = format!("{min} or more, set by this weight or by ungrounded_floor");
                self.push(&field, description, min, &allowed);
            }
            if min == Millionths::ZERO && unsupported > min {
                let description = format!("{unsupported} for an unsupported claim");
                let allowed =
                    "0, since such claims alone would otherwise replan instead of abstain";
                self.push(&field, description, min, allowed);
            }
        }
        if weights != other {
            let allowed = "weights in descending order of the evidence types, or the same weights";
            for weights in [weights, other].into_iter().filter(|weights| !is_descending(weights)) {
                let list = EvidenceType::ALL.map(|kind| weights.get(kind).to_string()).join(", ");
                self.push("weights", list, "a different list of weights", allowed);
            }
        }
    }

    fn compare_guards(&mut self, guards: &Guards, other: &Guards) {
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
        } = guards;
        for (field, value, other) in [
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
            self.require_if_on(field, value, other);
        }
        self.require_at_least("guards.min_grounded", *min_grounded, other.min_grounded);
        match (*complementary_limit, other.complementary_limit) {
            (value, Some(max)) if value.is_none_or(|value| value > max) => {
                let allowed = format!("{max} or less");
                self.push("guards.complementary_limit", format_limit(value), max, &allowed);
            }
            _ => {}
        }
        match (*min_coverage, other.min_coverage) {
            (value, Some(min)) if value.is_none_or(|value| value < min) => {
                let allowed = format!("{min} or more");
                self.push("guards.min_coverage", format_limit(value), min, &allowed);
            }
            _ => {}
        }
    }

    fn compare_gate(&mut self, gate: &Gate, other: &Gate) {
        let Gate {
            max_turns,
            wall_clock_seconds,
            contested,
            synthetic_validates,
            max_identical_calls,
            max_turns_without_evidence,
        } = gate;
        for (field, value, other) in [
            ("gate.max_turns", *max_turns, other.max_turns),
            ("gate.wall_clock_seconds", *wall_clock_seconds, other.wall_clock_seconds),
            ("gate.max_identical_calls", *max_identical_calls, other.max_identical_calls),
            (
                "gate.max_turns_without_evidence",
                *max_turns_without_evidence,
                other.max_turns_without_evidence,
            ),
        ] {
            self.compare_limit(field, value, other);
        }
        self.require_if_on("gate.contested", *contested, other.contested);
        if *synthetic_validates && !other.synthetic_validates {
            self.push("gate.synthetic_validates", true, false, "false");
        }
    }

    /// Requires a limit that is at most the other limit, where 0 means no limit. An investigation that ends earlier is
    /// not looser.
    fn compare_limit(&mut self, field: &str, value: u32, other: u32) {
        if other != 0 && (value == 0 || value > other) {
            self.push(field, value, other, &format!("1 to {other}"));
        }
    }

    fn compare_cap(&mut self, cap: &Cap, other: &Cap) {
        let Cap { partially_grounded, ungrounded } = cap;
        self.require_equal("cap.partially_grounded", partially_grounded, &other.partially_grounded);
        self.require_equal("cap.ungrounded", ungrounded, &other.ungrounded);
    }

    fn compare_ladder(&mut self, ladder: &Ladder, other: &Ladder) {
        let Ladder { issue, patch, pull_request, joins_decision } = ladder;
        self.require_equal("ladder.issue", issue, &other.issue);
        self.require_equal("ladder.patch", patch, &other.patch);
        self.require_equal("ladder.pull_request", pull_request, &other.pull_request);
        self.require_if_on("ladder.joins_decision", *joins_decision, other.joins_decision);
    }

    /// Requires at most as many rounds as the other rules, since every round is another chance to proceed.
    fn compare_investigation(&mut self, rules: &InvestigationRules, other: &InvestigationRules) {
        let InvestigationRules { limits, caller_verdicts } = rules;
        let LoopLimits { max_replans, regenerations_per_plan, max_judge_retries: _ } = limits;
        let loop_limits = [
            ("investigation.max_replans", *max_replans, other.limits.max_replans),
            (
                "investigation.regenerations_per_plan",
                *regenerations_per_plan,
                other.limits.regenerations_per_plan,
            ),
        ];
        for (field, value, other) in loop_limits {
            if value > other {
                self.push(field, value, other, &format!("{other} or less"));
            }
        }
        if *caller_verdicts && !other.caller_verdicts {
            self.push("investigation.caller_verdicts", true, false, "false");
        }
    }

    fn compare_rollout(&mut self, rollout: &Rollout, other: &Rollout) {
        let Rollout { gate, cap, ladder, decision } = rollout;
        if *decision < other.decision {
            self.push("rollout.decision", decision.name(), other.decision.name(), "active");
        }
        for (field, value, other) in [
            ("rollout.gate", *gate, other.gate),
            ("rollout.cap", *cap, other.cap),
            ("rollout.ladder", *ladder, other.ladder),
        ] {
            self.require_equal(field, value.name(), other.name());
        }
    }

    fn require_at_least<T: PartialOrd + fmt::Display>(&mut self, field: &str, value: T, other: T) {
        if value < other {
            let allowed = format!("{other} or more");
            self.push(field, value, other, &allowed);
        }
    }

    fn require_if_on(&mut self, field: &str, value: bool, other: bool) {
        if other && !value {
            self.push(field, value, other, "true");
        }
    }

    fn require_equal<T: PartialEq + fmt::Display + ?Sized>(
        &mut self,
        field: &str,
        value: &T,
        other: &T,
    ) {
        if value != other {
            self.push(field, value, other, &format!("{other}"));
        }
    }

    fn push(
        &mut self,
        field: &str,
        value: impl fmt::Display,
        other: impl fmt::Display,
        allowed: &str,
    ) {
        self.0.push(LooserField {
            field: field.to_string(),
            given: value.to_string(),
            other: other.to_string(),
            allowed: allowed.to_string(),
        });
    }
}

fn is_descending(weights: &Weights) -> bool {
    weights.as_array().is_sorted_by(|weight, next| weight >= next)
}

fn format_limit(limit: Option<Millionths>) -> String {
    limit.map_or("none".to_string(), |limit| limit.to_string())
}

#[cfg(test)]
mod tests;
