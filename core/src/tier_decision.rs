//! Decides the tier of a tallied partition by the thresholds of arXiv:2604.23366 and by the guards, which can only make
//! the tier stricter (docs/POLICY.md, "The guards").

use crate::claim::Class;
use crate::coverage::Coverage;
use crate::fixed_point::Millionths;
use crate::ids::ClaimId;
use crate::names;
use crate::policy::{
    Policy, PolicyValues, SecondLook, SecondLookFailure, UndefinedScore, VerificationMode,
};
use crate::reason::Reason;
use crate::score::{Ratio, ScoreTerms};
use crate::tally::Tally;
use crate::tier::Tier;

/// A guard that needs input from the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The guard `duplicates_count_once`.
    Duplicates,
    /// The guard `min_coverage`.
    Coverage,
    /// The guard `verification`.
    Verification,
    /// The guard `synthesis_required`.
    Synthesis,
}

names!(Guard {
    Duplicates => "duplicates",
    Coverage => "coverage",
    Verification => "verification",
    Synthesis => "synthesis",
});

/// The author of a partition. It determines the outcome of a partition without weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller. If the policy enables it, the paper's convention for an empty partition applies.
    Caller,
    /// A judge. An empty partition counts as an abstention.
    Judge,
}

/// The findings from the report's text and citations, which some guards use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFindings {
    /// The coverage of the synthesis by the claims; `None` for an empty synthesis.
    pub coverage: Option<Coverage>,
    /// The number of claims that are not counted because they are duplicates.
    pub duplicates: u32,
    /// The ungrounded root causes and remedies.
    pub headline: Headline,
    /// The error of the second look, if the second look at some claims failed.
    pub second_look_error: Option<String>,
}

/// The ungrounded root causes and remedies, in report order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// The root causes.
    pub root_causes: Vec<ClaimId>,
    /// The remedies that are reported as done.
    pub remedies: Vec<ClaimId>,
    /// `true` if any other claim is grounded.
    pub has_others: bool,
}

/// The decision on a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The tier.
    pub tier: Tier,
    /// The published score, if there is anything to score.
    pub score: Option<Ratio>,
    /// The score after the guards, which determines the tier.
    pub guarded_score: Option<Ratio>,
    /// The weights from which the score is computed.
    pub terms: ScoreTerms,
    /// The reasons for the tier.
    pub reasons: Vec<Reason>,
    /// The enabled guards that had no input.
    pub not_applicable: Vec<Guard>,
    /// The range of outcomes, if claims are undecided.
    pub bounds: Option<Bounds>,
}

/// The outcome for a changed partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypothetical {
    /// The deciding score, if there is anything to score.
    pub score: Option<Ratio>,
    /// The tier.
    pub tier: Tier,
}

impl Hypothetical {
    pub(crate) const fn new(decision: &Decision) -> Self {
        Self { score: decision.guarded_score, tier: decision.tier }
    }
}

/// The range of outcomes if some claims are undecided; see [`crate::undecided`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The outcome if undecided claims are given their worst verdicts.
    pub worst: Hypothetical,
    /// The outcome if undecided claims are given their best verdicts.
    pub best: Hypothetical,
}

/// Decides a partition. `findings` is `None` if the caller provided only classes and types.
#[must_use]
pub fn decide(
    policy: &Policy,
    tally: &Tally,
    origin: Origin,
    findings: Option<&TextFindings>,
) -> Decision {
    let terms = ScoreTerms::new(policy, tally);
    let score = terms.score(policy);
    let guarded_score = terms.guarded_score(policy);
    let mut reasons = Vec::new();

    let counts_as_half = origin == Origin::Caller && policy.undefined_score == UndefinedScore::Half;
    let (score, guarded_score) = match (score, guarded_score) {
        (None, None) if counts_as_half => (Some(Ratio::HALF), Some(Ratio::HALF)),
        scores => scores,
    };
    let mut tier = match (score, guarded_score) {
        (Some(score), Some(guarded_score)) => {
            tier_by_score(policy, score, guarded_score, &mut reasons)
        }
        _ => {
            reasons.push(Reason::NothingToScore);
            Tier::Abstain
        }
    };
    if push_blocking_reasons(policy, tally, origin, findings, &mut reasons) {
        tier = tier.max(Tier::Regenerate);
    }
    if let Some(findings) = findings {
        tier = tier.max(tier_by_headline(policy, &findings.headline, &mut reasons));
        tier = tier.max(tier_by_second_look(
            policy,
            findings.second_look_error.as_ref(),
            &mut reasons,
        ));
    }
    Decision {
        tier,
        score,
        guarded_score,
        terms,
        reasons,
        not_applicable: not_applicable(policy, findings),
        bounds: None,
    }
}

/// Returns the tier for a score according to the thresholds.
#[must_use]
pub fn band(policy: &PolicyValues, score: Ratio) -> Tier {
    if score.compare(policy.tau_proceed).is_ge() {
        Tier::Proceed
    } else if score.compare(policy.tau_regenerate).is_ge() {
        Tier::Regenerate
    } else {
        Tier::Replan
    }
}

fn tier_by_score(
    policy: &PolicyValues,
    score: Ratio,
    guarded_score: Ratio,
    reasons: &mut Vec<Reason>,
) -> Tier {
    let tier = band(policy, guarded_score);
    match tier {
        Tier::Proceed | Tier::Abstain => return tier,
        Tier::Regenerate => reasons.push(Reason::ScoreBelowProceed {
            score: guarded_score.fraction(),
            threshold: policy.tau_proceed,
        }),
        Tier::Replan => reasons.push(Reason::ScoreBelowRegenerate {
            score: guarded_score.fraction(),
            threshold: policy.tau_regenerate,
        }),
    }
    if band(policy, score) < tier {
        reasons.push(Reason::GuardedScore {
            score: score.fraction(),
            guarded: guarded_score.fraction(),
        });
    }
    tier
}

/// Returns the best tier that the ungrounded root causes and remedies allow.
fn tier_by_headline(policy: &PolicyValues, headline: &Headline, reasons: &mut Vec<Reason>) -> Tier {
    let Headline { root_causes, remedies, has_others } = headline;
    if !policy.guards.headline_must_be_grounded || (root_causes.is_empty() && remedies.is_empty()) {
        return Tier::Proceed;
    }
    if !root_causes.is_empty() {
        reasons.push(Reason::RootCauseNotShown { claims: root_causes.clone() });
    }
    if !remedies.is_empty() {
        reasons.push(Reason::RemedyNotShown { claims: remedies.clone() });
    }
    if *has_others { Tier::Regenerate } else { Tier::Replan }
}

fn tier_by_second_look(
    policy: &PolicyValues,
    second_look_error: Option<&String>,
    reasons: &mut Vec<Reason>,
) -> Tier {
    let is_required = policy.second_look != SecondLook::Off
        && policy.second_look_failure == SecondLookFailure::Abstain
        && policy.verification == VerificationMode::Enforce;
    match second_look_error.filter(|_| is_required) {
        Some(reason) => {
            reasons.push(Reason::SecondLookFailed { reason: reason.clone() });
            Tier::Abstain
        }
        None => Tier::Proceed,
    }
}

/// Pushes a reason for each condition that blocks proceed. Returns `true` if there is such a condition.
fn push_blocking_reasons(
    policy: &PolicyValues,
    tally: &Tally,
    origin: Origin,
    findings: Option<&TextFindings>,
    reasons: &mut Vec<Reason>,
) -> bool {
    let guards = &policy.guards;
    let initial_count = reasons.len();
    let contradicted = tally.count(Class::Contradicted);
    if guards.contradiction_blocks && contradicted > 0 {
        reasons.push(Reason::ContradictedClaims { count: contradicted });
    }
    let unverified = tally.count_unverified_contradictions();
    if unverified > 0 {
        reasons.push(Reason::UnverifiedContradiction { count: unverified });
    }
    if tally.dropped() > 0 {
        reasons.push(Reason::ClaimDropped { count: tally.dropped() });
    }
    let grounded = tally.count(Class::Grounded);
    if grounded < u64::from(guards.min_grounded) {
        reasons.push(Reason::TooFewGrounded { grounded, min: guards.min_grounded });
    }
    if let Some(findings) = findings
        && let (Some(min), Some(coverage)) = (guards.min_coverage, &findings.coverage)
        && u128::from(coverage.covered) * Millionths::ONE.wide()
            < u128::from(coverage.sentences) * min.wide()
    {
        reasons.push(Reason::CoverageBelow {
            covered: coverage.covered,
            sentences: coverage.sentences,
            min,
        });
    }
    if let Some(TextFindings { coverage: Some(coverage), .. }) = findings
        && guards.min_coverage.is_some()
        && !coverage.words.is_empty()
    {
        reasons.push(Reason::UncoveredText { words: coverage.words.clone() });
    }
    let has_no_text = findings.is_some_and(|findings| findings.coverage.is_none());
    if guards.synthesis_required && has_no_text && origin == Origin::Judge {
        reasons.push(Reason::SynthesisMissing);
    }
    let is_blocked = reasons.len() > initial_count;
    if let Some(TextFindings { duplicates: count @ 1.., .. }) = findings {
        reasons.push(Reason::DuplicatesCountOnce { count: *count });
    }
    is_blocked
}

fn not_applicable(policy: &PolicyValues, findings: Option<&TextFindings>) -> Vec<Guard> {
    let guards = &policy.guards;
    let has_no_text = findings.is_none();
    let has_no_synthesis = findings.is_none_or(|findings| findings.coverage.is_none());
    let mut guards_without_input = Vec::new();
    for (guard, is_enabled, lacks_input) in [
        (Guard::Duplicates, guards.duplicates_count_once, has_no_text),
        (Guard::Coverage, guards.min_coverage.is_some(), has_no_synthesis),
        (Guard::Synthesis, guards.synthesis_required, has_no_text),
        (Guard::Verification, policy.verification != VerificationMode::Off, has_no_text),
    ] {
        if is_enabled && lacks_input {
            guards_without_input.push(guard);
        }
    }
    guards_without_input
}
