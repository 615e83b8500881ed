//! Determines the claims, the advice and the specialists that belong to the reasons for a decision.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::claim::{Class, JudgedClaim};
use crate::evidence::Target;
use crate::ids::ClaimId;
use crate::reason::Reason;
use crate::tier::Tier;
use crate::tier_decision::Decision;
use crate::verify::{Correction, EvidenceSet, VerdictStatus, VerifiedClaim};

const MAX_NAMED: usize = 8;

impl Reason {
    /// The claims that led to this reason, in report order.
    #[must_use]
    pub fn claims(&self, claims: &[VerifiedClaim], corrections: &[Correction]) -> Vec<ClaimId> {
        let ids = |matches: &dyn Fn(&VerifiedClaim) -> bool| {
            let matching = claims.iter().filter(|claim| matches(claim));
            matching.map(|claim| claim.judged.claim.id.clone()).collect()
        };
        match self {
            Self::ContradictedClaims { .. } => ids(&|claim| {
                claim.judged.class == Class::Contradicted && claim.status == VerdictStatus::AsJudged
            }),
            Self::UnverifiedContradiction { .. } => {
                ids(&|claim| claim.status == VerdictStatus::UnverifiedContradiction)
            }
            Self::ClaimDropped { .. } => ids(&|claim| claim.status == VerdictStatus::Dropped),
            Self::ScoreBelowProceed { .. } | Self::ScoreBelowRegenerate { .. } => ids(&is_at_fault),
            Self::TooFewGrounded { .. } => ids(&|claim| {
                claim.judged.class != Class::Grounded && claim.judged.undecided.is_none()
            }),
            Self::VerificationKeepsTier { .. } => ids(&|claim| {
                let id = &claim.judged.claim.id;
                corrections.iter().any(|correction| correction.claim == *id)
            }),
            Self::JudgeUndecided { .. } => ids(&|claim| claim.judged.undecided.is_some()),
            Self::RootCauseNotShown { claims } | Self::RemedyNotShown { claims } => claims.clone(),
            Self::GuardedScore { .. }
            | Self::NothingToScore
            | Self::SecondLookFailed { .. }
            | Self::DuplicatesCountOnce { .. }
            | Self::CoverageBelow { .. }
            | Self::UncoveredText { .. }
            | Self::SynthesisMissing
            | Self::NoEvidence
            | Self::LanguageNotRead { .. }
            | Self::JudgeAbstained { .. }
            | Self::JudgeFailed { .. } => Vec::new(),
        }
    }

    /// Advice on how to address the reason, unless the sentence already contains it.
    #[must_use]
    pub const fn advice(&self) -> Option<&'static str> {
        match self {
            Self::ScoreBelowProceed { .. } => {
                Some("cite evidence for each claim, or remove the claim")
            }
            Self::ScoreBelowRegenerate { .. } => {
                Some("gather evidence for each claim, or remove the claim")
            }
            Self::NothingToScore => Some("write at least one claim that the evidence supports"),
            Self::ContradictedClaims { .. } => {
                Some("state what the evidence says, or remove the claim")
            }
            Self::UnverifiedContradiction { .. } => {
                Some("check the claim against the evidence, or remove it")
            }
            Self::ClaimDropped { .. } => Some("have the report judged again, or remove the claim"),
            Self::RootCauseNotShown { .. } => {
                Some("cite evidence for the root cause, or state that the cause is unknown")
            }
            Self::RemedyNotShown { .. } => {
                Some("cite the change or the check, or remove the claim")
            }
            Self::SecondLookFailed { .. } => {
                Some("evaluate the report again, or set `second_look_failure` to `note`")
            }
            Self::JudgeUndecided { .. } => Some(
                "add a chat model to judges.chain, or name one with --judge, so that it judges these claims",
            ),
            Self::TooFewGrounded { .. } => Some("state what the evidence shows, and cite it"),
            Self::CoverageBelow { .. } => {
                Some("add claims for the sentences listed in coverage.uncovered, or remove them")
            }
            Self::UncoveredText { .. } => {
                Some("add claims that contain these words, or remove them from the report")
            }
            Self::SynthesisMissing => Some("set report.synthesis"),
            Self::NoEvidence => Some("send evidence items, or name a corpus that contains some"),
            Self::LanguageNotRead { .. } => {
                Some("write the report in a language that a judge in the chain reads")
            }
            Self::GuardedScore { .. }
            | Self::DuplicatesCountOnce { .. }
            | Self::VerificationKeepsTier { .. }
            | Self::JudgeAbstained { .. }
            | Self::JudgeFailed { .. } => None,
        }
    }

    /// The reason as a sentence, followed by its claims and the advice.
    #[must_use]
    pub fn sentence_with_claims(&self, claims: &[ClaimId]) -> String {
        let mut sentence = self.sentence();
        if !claims.is_empty() {
            let _ = write!(sentence, ": {}", join_ids(claims));
        }
        if let Some(advice) = self.advice() {
            let _ = write!(sentence, "; {advice}");
        }
        sentence
    }
}

/// Joins the first ids, and appends the number of the remaining ids.
pub(crate) fn join_ids(claims: &[ClaimId]) -> String {
    let first: Vec<&str> = claims.iter().take(MAX_NAMED).map(ClaimId::as_str).collect();
    match claims.len().saturating_sub(first.len()) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns `true` if a decided claim worsens the outcome.
fn is_at_fault(claim: &VerifiedClaim) -> bool {
    if claim.judged.undecided.is_some() {
        return false;
    }
    matches!(claim.judged.class, Class::Ungrounded | Class::Contradicted)
        || claim.status != VerdictStatus::AsJudged
}

/// The specialists cited by each claim before verification removed citations.
#[derive(Debug, Default)]
pub(crate) struct CitedSpecialists<'a>(BTreeMap<ClaimId, Vec<&'a str>>);

impl<'a> CitedSpecialists<'a> {
    pub(crate) fn new(judged: &[JudgedClaim], evidence_set: &EvidenceSet<'a>) -> Self {
        let mut specialists_by_claim = BTreeMap::new();
        if evidence_set.items().iter().all(|item| item.specialist_id.is_empty()) {
            return Self(specialists_by_claim);
        }
        for claim in judged {
            let specialists: &mut Vec<&str> =
                specialists_by_claim.entry(claim.claim.id.clone()).or_default();
            for citation in &claim.citations {
                let Target::Evidence { id, .. } = &citation.target else { continue };
                let specialist =
                    evidence_set.item(id).map_or("", |item| item.specialist_id.as_str());
                if !specialist.is_empty() {
                    specialists.push(specialist);
                }
            }
        }
        Self(specialists_by_claim)
    }

    /// Returns the distinct specialists cited by claims at fault, in report order. Returns none if the report may be
    /// sent.
    pub(crate) fn affected(&self, decision: &Decision, claims: &[VerifiedClaim]) -> Vec<String> {
        let mut affected: Vec<String> = Vec::new();
        if decision.tier == Tier::Proceed {
            return affected;
        }
        for claim in claims.iter().filter(|claim| is_at_fault(claim)) {
            for specialist in self.0.get(&claim.judged.claim.id).into_iter().flatten() {
                if !affected.iter().any(|entry| entry == specialist) {
                    affected.push((*specialist).to_owned());
                }
            }
        }
        affected
    }
}
