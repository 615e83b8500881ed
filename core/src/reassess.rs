//! This module decides a recorded partition under another policy where its evidence is at hand no more: it counts what
//! verification made of it then. It verifies nothing.

use crate::assess::{AsJudged, Assessment, Seen, Weighed, settled, weigh};
use crate::claim::JudgedClaim;
use crate::coverage::Coverage;
use crate::decision::Origin;
use crate::evidence::EvidenceItem;
use crate::fault::CitedSpecialists;
use crate::policy::{Policy, VerificationMode};
use crate::safety::UnverifiedFix;
use crate::verify::{
    Correction, EvidenceSet, Outcome, Standing, Verified, VerifiedClaim, heaviest_allowed,
};

/// A recorded partition.
#[derive(Debug)]
pub struct Recorded<'a> {
    /// What the judge said, before verification.
    pub judged: Vec<JudgedClaim>,
    /// What verification made of it.
    pub verified: Verified,
    /// How much of the synthesis the claims cover; `None` without a synthesis.
    pub coverage: Option<Coverage>,
    /// Why claims that were to be read a second time were not; `None` where all were.
    pub unread: Option<String>,
    /// The evidence by id, for whose it is; its contents are not looked at.
    pub evidence: &'a [EvidenceItem],
}

/// Decides a recorded partition. A policy that corrects decides on what was corrected, any other on what the judge said;
/// gate, chain, cap and action are those of a report without an investigation.
#[must_use]
pub fn reassess(policy: &Policy, recorded: Recorded<'_>) -> Assessment {
    let Recorded { judged, verified, coverage, unread, evidence } = recorded;
    let cited = CitedSpecialists::of(&judged, &EvidenceSet::new(evidence));
    let own = AsJudged::of(policy, &judged, heaviest_allowed(policy, evidence));
    let verified = match policy.verification {
        VerificationMode::Enforce => verified,
        VerificationMode::Observe => {
            Verified { corrections: noted(verified.corrections), claims: claims_as_judged(judged) }
        }
        VerificationMode::Off => {
            Verified { claims: claims_as_judged(judged), corrections: Vec::new() }
        }
    };
    let seen = Seen { coverage, unread };
    let Weighed { tally, findings, decision } = weigh(policy, &own, &verified, seen, Origin::Judge);
    let affected_specialists = cited.affected(&decision, &verified.claims);
    let (chain, settled) = settled(policy, None, None, decision.tier, UnverifiedFix::Absent);
    Assessment {
        claims: verified.claims,
        corrections: verified.corrections,
        tally,
        findings,
        decision,
        chain,
        settled,
        unverified_fixes: Vec::new(),
        affected_specialists,
    }
}

fn noted(corrections: Vec<Correction>) -> Vec<Correction> {
    let noted = |found| Correction { outcome: Outcome::Noted, ..found };
    corrections.into_iter().map(noted).collect()
}

fn claims_as_judged(judged: Vec<JudgedClaim>) -> Vec<VerifiedClaim> {
    let stands = |judged| VerifiedClaim { judged, standing: Standing::AsJudged };
    judged.into_iter().map(stands).collect()
}
