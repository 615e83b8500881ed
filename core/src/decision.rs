//! This module decides the tier of a weighed partition: first the thresholds of arXiv:2604.23366, then the guards,
//! which can only make the tier stricter (docs/POLICY.md, "The guards").

use crate::claim::{ClaimId, Class};
use crate::coverage::Coverage;
use crate::fixed::{Fraction, Millionths};
use crate::policy::{
    Policy, PolicyValues, SecondLook, SecondLookFailure, UndefinedScore, VerificationMode,
};
use crate::reason::Reason;
use crate::score::{Ratio, Terms};
use crate::tally::Tally;

/// What may happen to a report. Ordered: the greater, the more cautious; "the stricter of" is the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// It may go out.
    Proceed,
    /// Rewrite it from the same evidence.
    Regenerate,
    /// Investigate again.
    Replan,
    /// Nothing can be said: gather more evidence first.
    Abstain,
}

impl Tier {
    /// Every tier, from the least cautious.
    pub const ALL: [Self; 4] = [Self::Proceed, Self::Regenerate, Self::Replan, Self::Abstain];

    /// The word used in files, output and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proceed => "proceed",
            Self::Regenerate => "regenerate",
            Self::Replan => "replan",
            Self::Abstain => "abstain",
        }
    }

    /// The tier of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }
}

/// A guard of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// `duplicates_count_once`.
    Duplicates,
    /// `min_coverage`.
    Coverage,
    /// `verification`.
    Verification,
    /// `synthesis_required`.
    Synthesis,
}

impl Guard {
    /// The word used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Duplicates => "duplicates",
            Self::Coverage => "coverage",
            Self::Verification => "verification",
            Self::Synthesis => "synthesis",
        }
    }
}

/// Who made the partition. It settles what nothing to score means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The caller: the paper's convention for an empty partition may apply.
    Caller,
    /// A judge: an empty partition is an abstention.
    Judge,
}

/// What the words of the report and the citations showed, for the guards that need them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFindings {
    /// How much of the synthesis the claims cover; `None` without a synthesis.
    pub coverage: Option<Coverage>,
    /// Claims that were set aside because another says the same.
    pub duplicates: u32,
    /// Root causes and remedies that are not grounded, and what besides them is.
    pub headline: Headline,
    /// Why claims that were to be read a second time were not; `None` where all were.
    pub unread: Option<String>,
}

/// The claims that a report rests on and that are not grounded, each in the order of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// Root causes.
    pub root_causes: Vec<ClaimId>,
    /// Remedies that are said to be done.
    pub remedies: Vec<ClaimId>,
    /// Whether any other claim is grounded.
    pub has_others: bool,
}

/// A score with three decimal places, cut rather than rounded up, so that a score below a threshold never reads as
/// the threshold.
#[must_use]
pub fn shown(score: Fraction) -> String {
    let thousandths = score.numerator().saturating_mul(1000) / score.denominator();
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// A decided partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What may happen to the report.
    pub tier: Tier,
    /// The published score; `None` where there is none.
    pub score: Option<Ratio>,
    /// The score the tier was decided on; `None` where there is none.
    pub guarded_score: Option<Ratio>,
    /// The weights behind the score.
    pub terms: Terms,
    /// Why, in the order in which it was found.
    pub reasons: Vec<Reason>,
    /// Guards that the policy asks for and that had nothing to look at.
    pub not_applicable: Vec<Guard>,
    /// What it lies between; `None` where every claim is decided.
    pub bounds: Option<Bounds>,
}

/// What a changed partition would come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypothetical {
    /// The deciding score; `None` where there is none.
    pub score: Option<Ratio>,
    /// The tier.
    pub tier: Tier,
}

impl Hypothetical {
    pub(crate) const fn of(decision: &Decision) -> Self {
        Self { score: decision.guarded_score, tier: decision.tier }
    }
}

/// What a decision lies between, whatever its undecided claims are ([`crate::undecided`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// With the worst that they can be.
    pub worst: Hypothetical,
    /// With the best.
    pub best: Hypothetical,
}

/// Decides a partition that a caller gave as classes and types only.
#[must_use]
pub fn decide(policy: &Policy, tally: &Tally) -> Decision {
    decide_with(policy, tally, Origin::Caller, None)
}

/// Decides a partition with what its words and citations showed.
#[must_use]
pub fn decide_with(
    policy: &Policy,
    tally: &Tally,
    origin: Origin,
    findings: Option<&TextFindings>,
) -> Decision {
    let terms = Terms::of(policy, tally);
    let score = terms.score(policy);
    let guarded = terms.guarded_score(policy);
    let mut reasons = Vec::new();

    let half = origin == Origin::Caller && policy.undefined_score == UndefinedScore::Half;
    let (score, guarded) = match (score, guarded) {
        (None, None) if half => (Some(Ratio::HALF), Some(Ratio::HALF)),
        scores => scores,
    };
    let mut tier = match (score, guarded) {
        (Some(score), Some(guarded)) => by_score(policy, score, guarded, &mut reasons),
        _ => {
            reasons.push(Reason::NothingToScore);
            Tier::Abstain
        }
    };
    if blocks(policy, tally, origin, findings, &mut reasons) {
        tier = tier.max(Tier::Regenerate);
    }
    if let Some(findings) = findings {
        tier = tier.max(by_headline(policy, &findings.headline, &mut reasons));
        tier = tier.max(by_reading(policy, findings.unread.as_ref(), &mut reasons));
    }
    Decision {
        tier,
        score,
        guarded_score: guarded,
        terms,
        reasons,
        not_applicable: not_applicable(policy, findings),
        bounds: None,
    }
}

/// The band a score lies in, of arXiv:2604.23366: proceed from `tau_proceed` on, regenerate from `tau_regenerate` on,
/// replan below.
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

fn by_score(
    policy: &PolicyValues,
    score: Ratio,
    guarded: Ratio,
    reasons: &mut Vec<Reason>,
) -> Tier {
    let tier = band(policy, guarded);
    match tier {
        Tier::Proceed | Tier::Abstain => return tier,
        Tier::Regenerate => reasons.push(Reason::ScoreBelowProceed {
            score: guarded.fraction(),
            threshold: policy.tau_proceed,
        }),
        Tier::Replan => reasons.push(Reason::ScoreBelowRegenerate {
            score: guarded.fraction(),
            threshold: policy.tau_regenerate,
        }),
    }
    if band(policy, score) < tier {
        reasons.push(Reason::GuardedScore { score: score.fraction(), guarded: guarded.fraction() });
    }
    tier
}

/// The tier to which root causes and remedies hold a report that does not show them: what it says is to be rewritten,
/// or to be found out where it has nothing else.
fn by_headline(policy: &PolicyValues, headline: &Headline, reasons: &mut Vec<Reason>) -> Tier {
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

/// The tier to which a second look that could not be had holds a report.
fn by_reading(policy: &PolicyValues, unread: Option<&String>, reasons: &mut Vec<Reason>) -> Tier {
    let must_be_read = policy.second_look != SecondLook::Off
        && policy.second_look_failure == SecondLookFailure::Abstain
        && policy.verification == VerificationMode::Enforce;
    match unread.filter(|_| must_be_read) {
        Some(reason) => {
            reasons.push(Reason::SecondLookFailed { reason: reason.clone() });
            Tier::Abstain
        }
        None => Tier::Proceed,
    }
}

/// Names every condition that forbids proceed; says whether there is one.
fn blocks(
    policy: &PolicyValues,
    tally: &Tally,
    origin: Origin,
    findings: Option<&TextFindings>,
    reasons: &mut Vec<Reason>,
) -> bool {
    let guards = &policy.guards;
    let named = reasons.len();
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
        reasons.push(Reason::TooFewGrounded { grounded, least: guards.min_grounded });
    }
    if let Some(findings) = findings
        && let (Some(least), Some(coverage)) = (guards.min_coverage, &findings.coverage)
        && u128::from(coverage.covered) * Millionths::ONE.wide()
            < u128::from(coverage.sentences) * least.wide()
    {
        reasons.push(Reason::CoverageBelow {
            covered: coverage.covered,
            sentences: coverage.sentences,
            least,
        });
    }
    if let Some(TextFindings { coverage: Some(coverage), .. }) = findings
        && guards.min_coverage.is_some()
        && !coverage.words.is_empty()
    {
        reasons.push(Reason::UncoveredText { words: coverage.words.clone() });
    }
    let without_text = findings.is_some_and(|findings| findings.coverage.is_none());
    if guards.synthesis_required && without_text && origin == Origin::Judge {
        reasons.push(Reason::SynthesisMissing);
    }
    let blocked = reasons.len() > named;
    if let Some(TextFindings { duplicates: count @ 1.., .. }) = findings {
        reasons.push(Reason::DuplicatesCountOnce { count: *count });
    }
    blocked
}

fn not_applicable(policy: &PolicyValues, findings: Option<&TextFindings>) -> Vec<Guard> {
    let guards = &policy.guards;
    let without_text = findings.is_none();
    let without_synthesis = findings.is_none_or(|findings| findings.coverage.is_none());
    let mut missing = Vec::new();
    for (guard, asked_for, nothing_to_see) in [
        (Guard::Duplicates, guards.duplicates_count_once, without_text),
        (Guard::Coverage, guards.min_coverage.is_some(), without_synthesis),
        (Guard::Synthesis, guards.synthesis_required, without_text),
        (Guard::Verification, policy.verification != VerificationMode::Off, without_text),
    ] {
        if asked_for && nothing_to_see {
            missing.push(guard);
        }
    }
    missing
}
