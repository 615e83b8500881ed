//! This module verifies a partition against the evidence: no verdict of a judge is accepted unchecked.
//!
//! What is checked is structure: what was cited, whether it is there, and of what kind it is. Whether the cited words
//! bear a claim out is read, not compared (docs/JUDGES.md, "Second look").
//!
//! The checks run in this order, each in its own file:
//!
//! | check | finds | effect |
//! |---|---|---|
//! | `ids` | unknown, duplicate, altered and dropped claims | refused, strictest, restored, ungrounded and blocking |
//! | `citations::resolve`, `quotes` | citations that do not resolve, quotes that are not there, circles | the citation is taken away |
//! | `citations::resolve` | quotes beside the cited field, values that could be of anything | noted |
//! | `citations` | grounded, contradicted or complementary without a valid citation | ungrounded; a contradiction goes on blocking |
//! | `kinds` | questions and proposals called grounded | complementary |
//! | `actions` | a check whose last run failed called passed, an empty set of changes called done | contradicted |
//! | `look` | supported claims that a second reader does not find shown, or refuted | ungrounded, contradicted |
//! | `types` | types above what the cited items allow | a lower type |
//! | `citations::references` | claims that rest on weaker claims | held to the weakest |
//!
//! A judge of whose quotes none was found may be asked for others (`turn`) before that counts.
//!
//! Nothing here makes a claim count for more: classes become stricter, types of supported claims lighter.

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

pub use actions::spelling::holds_spelled;
pub use citations::references::claim_cycle;
pub use corrections::{Correction, CorrectionCode, Outcome};
pub use evidence_set::EvidenceSet;
pub use turn::{Objection, after_turn, objections};
pub(crate) use types::heaviest_allowed;
pub use undo::{Undone, undo};

use actions::Executed;
use citations::{references, resolve};
use corrections::Findings;
use evidence_set::Sources;

use crate::claim::{Claim, JudgedClaim};
use crate::evidence::Target;
use crate::policy::{PolicyValues, VerificationMode};

/// How a verified claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// In the class and type it has.
    AsJudged,
    /// Judged contradicted, with citations that failed: counts as ungrounded at max(1, rho) times its
    /// weight, and still blocks.
    UnverifiedContradiction,
    /// Given, but missing from the judge's answer: counts as ungrounded at max(1, rho) times the largest
    /// weight, and blocks.
    Dropped,
}

/// A claim after verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// The claim with the class, type and citations it now has.
    pub judged: JudgedClaim,
    /// How it stands.
    pub standing: Standing,
}

/// What verification made of a partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// When enforced, one for each given claim in their order; else what the judge said.
    pub claims: Vec<VerifiedClaim>,
    /// What was found, in the order of the checks.
    pub corrections: Vec<Correction>,
}

/// Checks what was said of the given claims against the evidence.
///
/// [`VerificationMode::Off`] checks nothing. [`VerificationMode::Observe`] lists the corrections and
/// returns the claims as judged. [`VerificationMode::Enforce`] returns them corrected.
#[must_use]
pub fn verify(
    mode: VerificationMode,
    policy: &PolicyValues,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> Verified {
    match mode {
        VerificationMode::Off => Verified { claims: as_judged(judged), corrections: Vec::new() },
        VerificationMode::Observe => {
            let mut observed = enforce(policy, given, judged.clone(), evidence_set);
            for correction in &mut observed.corrections {
                correction.outcome = Outcome::Noted;
            }
            Verified { claims: as_judged(judged), corrections: observed.corrections }
        }
        VerificationMode::Enforce => enforce(policy, given, judged, evidence_set),
    }
}

fn as_judged(judged: Vec<JudgedClaim>) -> Vec<VerifiedClaim> {
    let stands = |judged| VerifiedClaim { judged, standing: Standing::AsJudged };
    judged.into_iter().map(stands).collect()
}

fn enforce(
    policy: &PolicyValues,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    evidence_set: &EvidenceSet<'_>,
) -> Verified {
    let mut findings = Findings::default();
    let mut sources = Sources::new(evidence_set);
    let mut claims = ids::match_claims(policy, given, judged, &mut findings);
    let texts = texts_of_cited_claims(&claims);
    let points_at =
        resolve::check_citations(&mut claims, &texts, evidence_set, &mut sources, &mut findings);
    let executed = Executed::of(evidence_set);
    for (claim, points_at) in claims.iter_mut().zip(&points_at) {
        if claim.standing != Standing::Dropped {
            citations::check(claim, &mut findings);
            kinds::check(claim, &mut findings);
            executed.check(claim, evidence_set, &mut findings);
            let reading = evidence_set.reading(&claim.judged.claim.id);
            look::check(policy.second_look, &mut claim.judged, reading, &mut findings);
        }
        types::check(policy, &mut claim.judged, points_at, &sources, &mut findings);
    }
    references::hold_to_weakest(policy, &mut claims, &points_at, &mut findings);
    Verified { claims, corrections: findings.corrections }
}

/// The words of every claim where any claim cites another; nothing otherwise.
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
mod properties;
#[cfg(test)]
mod testing;
