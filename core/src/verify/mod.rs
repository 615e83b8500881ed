//! Verifies a partition against the evidence: no verdict of a judge is accepted unchecked.
//!
//! The checks are structural: whether citations resolve, and which types the cited items allow. Whether a quote supports its
//! claim is left to a second reader (docs/JUDGES.md, "Second look").
//!
//! The checks run in this order, each in its own module:
//!
//! | check | finds | effect |
//! |---|---|---|
//! | `ids` | unknown, duplicate, altered and dropped claims | dropped, strictest, restored, ungrounded and blocking |
//! | `citations::resolve`, `quotes` | unresolved citations, quotes that are not found, cycles | the citation is removed |
//! | `citations::resolve` | quotes outside the cited field, ambiguous values | noted |
//! | `citations` | grounded, contradicted or complementary without a valid citation | ungrounded; a contradiction still blocks |
//! | `kinds` | grounded questions and proposals | complementary |
//! | `actions` | claims that a check passed whose last run failed, or of actions with an empty set of changes | contradicted |
//! | `look` | supported claims that the second reader finds not shown, or refuted | ungrounded, contradicted |
//! | `types` | types above what the cited items allow | a lower type |
//! | `citations::references` | claims that rest on weaker claims | limited to the weakest |
//!
//! A judge none of whose quotes were found may be called for others (`turn`) before that counts.
//!
//! Verification never makes a claim count for more: classes become stricter, types of supported claims lighter.

mod actions;
mod citations;
mod corrections;
mod documents;
mod evidence_set;
mod ids;
mod kinds;
mod look;
mod quotes;
mod turn;
mod types;
mod undo;

pub use actions::spelling::contains_name;
pub use citations::references::claim_cycle;
pub use corrections::{Correction, CorrectionCode, CorrectionOutcome};
pub use evidence_set::EvidenceSet;
pub use turn::{Objection, apply_turn, objections};
pub(crate) use types::heaviest_allowed;
pub use undo::{RestoredPartition, undo};

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
    /// Counts in its class and type.
    AsJudged,
    /// Judged contradicted, with failed citations: counts as ungrounded at max(1, rho) times its weight, and still blocks.
    UnverifiedContradiction,
    /// Missing from the judge's answer: counts as ungrounded at max(1, rho) times the largest weight, and blocks.
    Dropped,
}

/// A claim after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// The claim with its class, type and citations after verification.
    pub judged: JudgedClaim,
    /// The status of the claim.
    pub status: VerdictStatus,
}

/// A partition after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPartition {
    /// If enforced, one for each given claim, in their order; otherwise the judge's claims.
    pub claims: Vec<VerifiedClaim>,
    /// The corrections, in the order of the checks.
    pub corrections: Vec<Correction>,
}

/// Verifies the verdicts on the given claims against the evidence.
///
/// [`VerificationMode::Off`] checks nothing. [`VerificationMode::Observe`] returns the judge's claims with a list of
/// corrections. [`VerificationMode::Enforce`] returns corrected claims.
#[must_use]
pub fn verify(
    mode: VerificationMode,
    policy: &PolicyValues,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> VerifiedPartition {
    match mode {
        VerificationMode::Off => VerifiedPartition::as_judged(judged, Vec::new()),
        VerificationMode::Observe => {
            let observed = enforce(policy, given, judged.clone(), evidence_set);
            VerifiedPartition::as_judged(judged, observed.corrections)
        }
        VerificationMode::Enforce => enforce(policy, given, judged, evidence_set),
    }
}

impl VerifiedPartition {
    /// The judge's claims with corrections that are only noted.
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
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> VerifiedPartition {
    let mut findings = Findings::default();
    let mut sources = Sources::new(evidence_set);
    let mut claims = ids::match_claims(policy, given, judged, &mut findings);
    let texts = texts_of_cited_claims(&claims);
    let targets =
        resolve::check_citations(&mut claims, &texts, evidence_set, &mut sources, &mut findings);
    let execution = Execution::new(evidence_set);
    for (claim, targets) in claims.iter_mut().zip(&targets) {
        if claim.status != VerdictStatus::Dropped {
            citations::check(claim, &mut findings);
            kinds::check(claim, &mut findings);
            execution.check(claim, evidence_set, &mut findings);
            let reading = evidence_set.reading(&claim.judged.claim.id);
            look::check(policy.second_look, &mut claim.judged, reading, &mut findings);
        }
        types::check(policy, &mut claim.judged, targets, &sources, &mut findings);
    }
    references::limit_to_weakest(policy, &mut claims, &targets, &mut findings);
    VerifiedPartition { claims, corrections: findings.corrections }
}

/// The texts of all claims if any claim cites another; empty otherwise.
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
