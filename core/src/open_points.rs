//! This module says what an evaluation leaves open that a further check would settle (`verification_needed`), and
//! whether a partition is grounded in the plain sense. Neither takes part in the decision.

use crate::assess::Assessment;
use crate::claim::{ClaimId, Class, EvidenceType, JudgedClaim};
use crate::evidence::Target;
use crate::fault::named;
use crate::policy::{PolicyValues, RolloutMode};
use crate::reason::Reason;
use crate::safety::{Hypothesis, HypothesisId, HypothesisState, assess};
use crate::tally::Tally;
use crate::text::polarity;
use crate::verify::{Correction, CorrectionCode, EvidenceSet, Outcome, Standing, VerifiedClaim};

/// Something that a further check would settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenPoint {
    /// Claims called contradicted without a citation that holds.
    UnverifiedContradiction {
        /// Which.
        claims: Vec<ClaimId>,
    },
    /// Claims on which the judge gave no verdict.
    ClaimDropped {
        /// Which.
        claims: Vec<ClaimId>,
    },
    /// Claims that say something was fixed, without a check that passed.
    UnverifiedFix {
        /// Which.
        claims: Vec<ClaimId>,
    },
    /// Claims that a finding would have moved to a stricter class, had the policy not had it noted only.
    CorrectionNotApplied {
        /// Which.
        claims: Vec<ClaimId>,
    },
    /// Claims that the judge leaves undecided.
    ClaimUndecided {
        /// Which.
        claims: Vec<ClaimId>,
    },
    /// Hypotheses with hard evidence on both sides.
    ContestedHypothesis {
        /// Which.
        hypotheses: Vec<HypothesisId>,
    },
    /// The judge could not judge.
    JudgeAbstained {
        /// Its reason.
        reason: String,
    },
    /// No judge answered.
    JudgeFailed {
        /// What happened.
        reason: String,
    },
}

impl OpenPoint {
    /// The stable code on the wire.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnverifiedContradiction { .. } => "UNVERIFIED_CONTRADICTION",
            Self::ClaimDropped { .. } => "CLAIM_DROPPED",
            Self::UnverifiedFix { .. } => "UNVERIFIED_FIX",
            Self::CorrectionNotApplied { .. } => "CORRECTION_NOT_APPLIED",
            Self::ClaimUndecided { .. } => "CLAIM_UNDECIDED",
            Self::ContestedHypothesis { .. } => "CONTESTED_HYPOTHESIS",
            Self::JudgeAbstained { .. } => "JUDGE_ABSTAINED",
            Self::JudgeFailed { .. } => "JUDGE_FAILED",
        }
    }

    /// The claims it is about, in the order of the report; empty where it is about none.
    #[must_use]
    pub fn claims(&self) -> &[ClaimId] {
        match self {
            Self::UnverifiedContradiction { claims }
            | Self::ClaimDropped { claims }
            | Self::UnverifiedFix { claims }
            | Self::CorrectionNotApplied { claims }
            | Self::ClaimUndecided { claims } => claims,
            Self::ContestedHypothesis { .. }
            | Self::JudgeAbstained { .. }
            | Self::JudgeFailed { .. } => &[],
        }
    }

    /// What to check, as a sentence for a person.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::UnverifiedContradiction { claims } => format!(
                "check {} against the evidence: called contradicted without a citation that holds",
                named(claims)
            ),
            Self::ClaimDropped { claims } => {
                format!("have {} judged: the judge gave no verdict", named(claims))
            }
            Self::UnverifiedFix { claims } => format!(
                "run a check of what {} says was fixed, and cite it: no check that passed is cited",
                named(claims)
            ),
            Self::CorrectionNotApplied { claims } => format!(
                "check {}: a finding that is only noted would have made the class stricter",
                named(claims)
            ),
            Self::ClaimUndecided { claims } => {
                format!("have {} judged: the judge left it undecided", named(claims))
            }
            Self::ContestedHypothesis { hypotheses } => {
                let ids: Vec<&str> = hypotheses.iter().map(HypothesisId::as_str).collect();
                format!(
                    "find evidence that decides {}: hard evidence stands on both sides",
                    ids.join(", ")
                )
            }
            Self::JudgeAbstained { reason } => {
                format!("gather what the judge missed: it abstained: {reason}")
            }
            Self::JudgeFailed { reason } => {
                format!("have the report judged: the judge failed: {reason}")
            }
        }
    }
}

/// What an assessed partition leaves open.
#[must_use]
pub fn open_points(
    assessment: &Assessment,
    hypotheses: &[Hypothesis],
    policy: &PolicyValues,
) -> Vec<OpenPoint> {
    let claims = &assessment.claims;
    let standing = |standing: Standing| {
        ids(claims.iter().filter(|claim| claim.standing == standing).map(|claim| &claim.judged))
    };
    [
        OpenPoint::UnverifiedContradiction { claims: standing(Standing::UnverifiedContradiction) },
        OpenPoint::ClaimDropped { claims: standing(Standing::Dropped) },
        OpenPoint::UnverifiedFix { claims: assessment.unverified_fixes.clone() },
        OpenPoint::CorrectionNotApplied { claims: not_applied(&assessment.corrections) },
        OpenPoint::ClaimUndecided { claims: undecided(claims) },
    ]
    .into_iter()
    .filter(|point| !point.claims().is_empty())
    .chain(contested(hypotheses, policy))
    .collect()
}

/// What is open where a judge gave no partition; nothing for reasons that say otherwise.
#[must_use]
pub fn open_without_partition(
    reason: &Reason,
    hypotheses: &[Hypothesis],
    policy: &PolicyValues,
) -> Vec<OpenPoint> {
    let judge = match reason {
        Reason::JudgeAbstained { reason } => {
            Some(OpenPoint::JudgeAbstained { reason: reason.clone() })
        }
        Reason::JudgeFailed { reason } => Some(OpenPoint::JudgeFailed { reason: reason.clone() }),
        _ => None,
    };
    judge.into_iter().chain(contested(hypotheses, policy)).collect()
}

/// The hypotheses that are contested, where the gate governs.
fn contested(hypotheses: &[Hypothesis], policy: &PolicyValues) -> Option<OpenPoint> {
    if policy.rollout.gate != RolloutMode::Active {
        return None;
    }
    let is_contested =
        |of: &&Hypothesis| assess(of, &policy.gate).state == HypothesisState::Contested;
    let hypotheses: Vec<_> =
        hypotheses.iter().filter(is_contested).map(|hypothesis| hypothesis.id.clone()).collect();
    (!hypotheses.is_empty()).then_some(OpenPoint::ContestedHypothesis { hypotheses })
}

/// The claims whose class a correction would have made stricter.
fn not_applied(corrections: &[Correction]) -> Vec<ClaimId> {
    let mut claims: Vec<ClaimId> = Vec::new();
    for correction in corrections.iter().filter(|found| found.outcome == Outcome::Noted) {
        let stricter =
            correction.to.0 > correction.from.0 || correction.code == CorrectionCode::ClaimDropped;
        if stricter && !claims.contains(&correction.claim) {
            claims.push(correction.claim.clone());
        }
    }
    claims
}

/// The claims that say something was fixed and are not grounded in a check that passed.
pub(crate) fn unverified_fixes(
    claims: &[VerifiedClaim],
    evidence_set: &EvidenceSet<'_>,
) -> Vec<ClaimId> {
    let checked = |judged: &JudgedClaim| {
        judged.class == Class::Grounded
            && judged.citations.iter().any(|citation| match &citation.target {
                Target::Evidence { id, .. } => {
                    evidence_set.item(id).is_some_and(|item| item.is_passed_check())
                }
                Target::Claim(_) => false,
            })
    };
    let is_unverified = |judged: &&JudgedClaim| {
        judged.evidence_type != EvidenceType::NegEvidence
            && polarity::action_done(&judged.claim.text).is_some()
            && !checked(judged)
    };
    ids(claims.iter().map(|claim| &claim.judged).filter(is_unverified))
}

fn undecided(claims: &[VerifiedClaim]) -> Vec<ClaimId> {
    let judged = claims.iter().map(|claim| &claim.judged);
    ids(judged.filter(|judged| judged.undecided.is_some()))
}

fn ids<'a>(judged: impl Iterator<Item = &'a JudgedClaim>) -> Vec<ClaimId> {
    judged.map(|judged| judged.claim.id.clone()).collect()
}

impl Tally {
    /// Whether at least one claim is grounded and none is contradicted, verified or not.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.count(Class::Grounded) > 0
            && self.count(Class::Contradicted) == 0
            && self.count_unverified_contradictions() == 0
    }
}
