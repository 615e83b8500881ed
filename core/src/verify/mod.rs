//! Verifies a judge's partition against the evidence (docs/JUDGES.md).
//!
//! The checks are structural. Only the second look checks whether the quotes support a claim. Verification never
//! increases a claim's contribution to the score.

mod actions;
mod apply_second_look;
mod citations;
mod corrections;
mod documents;
mod evidence_set;
mod evidence_types;
mod follow_up;
mod match_claims;
mod quotes;
mod revert_corrections;
mod statement_kinds;

pub use actions::spelling::contains_name;
pub use citations::references::claim_cycle;
pub use corrections::{Correction, CorrectionCode, CorrectionOutcome};
pub use evidence_set::EvidenceSet;
pub(crate) use evidence_types::heaviest_allowed;
pub use follow_up::{Objection, apply_follow_up, objections};
pub use revert_corrections::{RestoredPartition, undo};

use actions::Execution;
use citations::{references, resolve};
use corrections::Findings;
use evidence_set::Sources;

use crate::claim::{Claim, JudgedClaim};
use crate::evidence::Target;
use crate::policy::{PolicyValues, VerificationMode};

/// The status of a verified claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictStatus {
    /// The claim counts with the judge's verdict.
    AsJudged,
    /// The claim was judged contradicted without a valid citation, which blocks proceed.
    UnverifiedContradiction,
    /// The claim is missing from the judge's answer, which blocks proceed.
    Dropped,
}

/// A claim after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// The verified claim.
    pub judged: JudgedClaim,
    /// The status.
    pub status: VerdictStatus,
}

/// A partition after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPartition {
    /// If verification is enforced, one claim per submitted claim; otherwise, the judge's claims.
    pub claims: Vec<VerifiedClaim>,
    /// The corrections, in the order of the checks.
    pub corrections: Vec<Correction>,
}

/// Verifies the verdicts on the submitted claims.
#[must_use]
pub fn verify(
    mode: VerificationMode,
    policy: &PolicyValues,
    claims: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> VerifiedPartition {
    match mode {
        VerificationMode::Off => VerifiedPartition::as_judged(judged, Vec::new()),
        VerificationMode::Observe => {
            let observed = enforce(policy, claims, judged.clone(), evidence_set);
            VerifiedPartition::as_judged(judged, observed.corrections)
        }
        VerificationMode::Enforce => enforce(policy, claims, judged, evidence_set),
    }
}

impl VerifiedPartition {
    /// Returns the judge's claims and marks the corrections as noted.
    pub(crate) fn as_judged(judged: Vec<JudgedClaim>, mut corrections: Vec<Correction>) -> Self {
        for correction in &mut corrections {
            correction.outcome = CorrectionOutcome::Noted;
        }
        let as_judged = |judged| VerifiedClaim { judged, status: VerdictStatus::AsJudged };
        Self { claims: judged.into_iter().map(as_judged).collect(), corrections }
    }
}

fn enforce(
    policy: &PolicyValues,
    submitted_claims: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> VerifiedPartition {
    let mut findings = Findings::default();
    let mut sources = Sources::new(evidence_set);
    let mut claims = match_claims::match_claims(policy, submitted_claims, judged, &mut findings);
    let texts = texts_of_cited_claims(&claims);
    let targets =
        resolve::check_citations(&mut claims, &texts, evidence_set, &mut sources, &mut findings);
    let execution = Execution::new(evidence_set);
    for (claim, targets) in claims.iter_mut().zip(&targets) {
        if claim.status != VerdictStatus::Dropped {
            citations::check(claim, &mut findings);
            statement_kinds::check(claim, &mut findings);
            execution.check(claim, evidence_set, &mut findings);
            let second_look = evidence_set.second_look(&claim.judged.claim.id);
            apply_second_look::check(
                policy.second_look,
                &mut claim.judged,
                second_look,
                &mut findings,
            );
        }
        evidence_types::check(policy, &mut claim.judged, targets, &sources, &mut findings);
    }
    references::limit_to_weakest(policy, &mut claims, &targets, &mut findings);
    VerifiedPartition { claims, corrections: findings.corrections }
}

/// Returns the texts of all claims if any claim cites another claim, or else an empty list.
fn texts_of_cited_claims(claims: &[VerifiedClaim]) -> Vec<String> {
    let cites_claims = claims.iter().any(|claim| {
        claim.judged.citations.iter().any(|citation| matches!(citation.target, Target::Claim(_)))
    });
    if cites_claims {
        claims.iter().map(|claim| claim.judged.claim.text.clone()).collect()
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod properties_tests;
#[cfg(test)]
mod testing;
