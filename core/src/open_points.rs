//! Collects the open questions about an evaluation (`verification_needed`). They do not affect the decision.

use crate::assess::Assessment;
use crate::claim::JudgedClaim;
use crate::fault::join_ids;
use crate::ids::ClaimId;
use crate::policy::{PolicyValues, RolloutMode};
use crate::reason::Reason;
use crate::safety::{Hypothesis, HypothesisId, HypothesisState, assess_hypothesis};
use crate::verify::{Correction, CorrectionCode, CorrectionOutcome, VerdictStatus, VerifiedClaim};

/// A question that another check would settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenPoint {
    /// Claims judged contradicted without a valid citation.
    UnverifiedContradiction {
        /// The claims.
        claims: Vec<ClaimId>,
    },
    /// Claims without a verdict from the judge.
    ClaimDropped {
        /// The claims.
        claims: Vec<ClaimId>,
    },
    /// Claims that report a fix without citing a passed check.
    UnverifiedFix {
        /// The claims.
        claims: Vec<ClaimId>,
    },
    /// Claims that a correction would have moved to a stricter class if the policy enforced verification.
    CorrectionNotApplied {
        /// The claims.
        claims: Vec<ClaimId>,
    },
    /// Claims that the judge left undecided.
    ClaimUndecided {
        /// The claims.
        claims: Vec<ClaimId>,
    },
    /// Hypotheses with hard evidence on both sides.
    ContestedHypothesis {
        /// The hypotheses.
        hypotheses: Vec<HypothesisId>,
    },
    /// The judge abstained.
    JudgeAbstained {
        /// The judge's reason.
        reason: String,
    },
    /// The judge failed.
    JudgeFailed {
        /// The cause of the failure.
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

    /// The claims in question, in report order.
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

    /// The check to perform, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::UnverifiedContradiction { claims } => format!(
                "check {} against the evidence: the judge found a contradiction but gave no valid citation",
                join_ids(claims)
            ),
            Self::ClaimDropped { claims } => {
                format!("have {} judged again: the judge returned no verdict", join_ids(claims))
            }
            Self::UnverifiedFix { claims } => format!(
                "run a check of the fix reported by {}, and cite it: no passed check is cited",
                join_ids(claims)
            ),
            Self::CorrectionNotApplied { claims } => format!(
                "check {}: a correction would have made the class stricter, but the policy does not apply corrections",
                join_ids(claims)
            ),
            Self::ClaimUndecided { claims } => {
                format!("have {} judged again: the judge was undecided", join_ids(claims))
            }
            Self::ContestedHypothesis { hypotheses } => {
                let ids: Vec<&str> = hypotheses.iter().map(HypothesisId::as_str).collect();
                format!(
                    "find evidence that settles {}: there is hard evidence on both sides",
                    ids.join(", ")
                )
            }
            Self::JudgeAbstained { reason } => {
                format!("gather the missing evidence: the judge abstained: {reason}")
            }
            Self::JudgeFailed { reason } => {
                format!("have the report judged again: the judge failed: {reason}")
            }
        }
    }
}

/// Returns the open points of an assessed partition.
#[must_use]
pub fn open_points(
    assessment: &Assessment,
    hypotheses: &[Hypothesis],
    policy: &PolicyValues,
) -> Vec<OpenPoint> {
    let claims = &assessment.claims;
    let ids_with_status = |status: VerdictStatus| {
        ids(claims.iter().filter(|claim| claim.status == status).map(|claim| &claim.judged))
    };
    [
        OpenPoint::UnverifiedContradiction {
            claims: ids_with_status(VerdictStatus::UnverifiedContradiction),
        },
        OpenPoint::ClaimDropped { claims: ids_with_status(VerdictStatus::Dropped) },
        OpenPoint::UnverifiedFix { claims: assessment.unverified_fixes.clone() },
        OpenPoint::CorrectionNotApplied { claims: unapplied_claims(&assessment.corrections) },
        OpenPoint::ClaimUndecided { claims: undecided_claims(claims) },
    ]
    .into_iter()
    .filter(|point| !point.claims().is_empty())
    .chain(contested_hypotheses(hypotheses, policy))
    .collect()
}

/// Returns the open points for the case that the judge returned no partition.
#[must_use]
pub fn open_without_partition(
    reason: &Reason,
    hypotheses: &[Hypothesis],
    policy: &PolicyValues,
) -> Vec<OpenPoint> {
    let judge_point = match reason {
        Reason::JudgeAbstained { reason } => {
            Some(OpenPoint::JudgeAbstained { reason: reason.clone() })
        }
        Reason::JudgeFailed { reason } => Some(OpenPoint::JudgeFailed { reason: reason.clone() }),
        _ => None,
    };
    judge_point.into_iter().chain(contested_hypotheses(hypotheses, policy)).collect()
}

fn contested_hypotheses(hypotheses: &[Hypothesis], policy: &PolicyValues) -> Option<OpenPoint> {
    if policy.rollout.gate != RolloutMode::Active {
        return None;
    }
    let is_contested = |hypothesis: &&Hypothesis| {
        assess_hypothesis(hypothesis, &policy.gate).state == HypothesisState::Contested
    };
    let hypotheses: Vec<_> =
        hypotheses.iter().filter(is_contested).map(|hypothesis| hypothesis.id.clone()).collect();
    (!hypotheses.is_empty()).then_some(OpenPoint::ContestedHypothesis { hypotheses })
}

fn unapplied_claims(corrections: &[Correction]) -> Vec<ClaimId> {
    let mut claims: Vec<ClaimId> = Vec::new();
    for correction in
        corrections.iter().filter(|correction| correction.outcome == CorrectionOutcome::Noted)
    {
        let is_stricter =
            correction.to.0 > correction.from.0 || correction.code == CorrectionCode::ClaimDropped;
        if is_stricter && !claims.contains(&correction.claim) {
            claims.push(correction.claim.clone());
        }
    }
    claims
}

fn undecided_claims(claims: &[VerifiedClaim]) -> Vec<ClaimId> {
    let judged = claims.iter().map(|claim| &claim.judged);
    ids(judged.filter(|judged| judged.undecided.is_some()))
}

fn ids<'a>(judged: impl Iterator<Item = &'a JudgedClaim>) -> Vec<ClaimId> {
    judged.map(|judged| judged.claim.id.clone()).collect()
}
