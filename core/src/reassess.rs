//! Decides a recorded partition under another policy, without reading the content of the evidence.

use crate::assess::{
    Assessment, JudgedTallies, PartitionDecision, ReportContext, chain_and_safety, decide_partition,
};
use crate::claim::JudgedClaim;
use crate::coverage::Coverage;
use crate::evidence::EvidenceItem;
use crate::fault::CitedSpecialists;
use crate::policy::{Policy, VerificationMode};
use crate::safety::UnverifiedFix;
use crate::tier_decision::Origin;
use crate::verify::{EvidenceSet, VerifiedPartition, heaviest_allowed};

/// A recorded partition.
#[derive(Debug)]
pub struct RecordedPartition<'a> {
    /// The judge's verdicts before verification.
    pub judged: Vec<JudgedClaim>,
    /// The verification result.
    pub verified: VerifiedPartition,
    /// The coverage of the synthesis by the claims; `None` for an empty synthesis.
    pub coverage: Option<Coverage>,
    /// The error of the second look, if the second look at some claims failed.
    pub second_look_error: Option<String>,
    /// The evidence. Only the ids, kinds and specialists of its items are used.
    pub evidence: &'a [EvidenceItem],
}

/// Decides a recorded partition like that of a report without an investigation.
#[must_use]
pub fn reassess(policy: &Policy, recorded: RecordedPartition<'_>) -> Assessment {
    let RecordedPartition { judged, verified, coverage, second_look_error, evidence } = recorded;
    let cited_specialists = CitedSpecialists::new(&judged, &EvidenceSet::new(evidence));
    let judged_tallies = JudgedTallies::new(policy, &judged, heaviest_allowed(policy, evidence));
    let verified = match policy.verification {
        VerificationMode::Enforce => verified,
        VerificationMode::Observe => VerifiedPartition::as_judged(judged, verified.corrections),
        VerificationMode::Off => VerifiedPartition::as_judged(judged, Vec::new()),
    };
    let context = ReportContext { coverage, second_look_error };
    let PartitionDecision { tally, findings, decision } =
        decide_partition(policy, &judged_tallies, &verified, context, Origin::Judge);
    let affected_specialists = cited_specialists.affected(&decision, &verified.claims);
    let (chain, safety) =
        chain_and_safety(policy, None, None, decision.tier, UnverifiedFix::Absent);
    Assessment {
        claims: verified.claims,
        corrections: verified.corrections,
        tally,
        findings,
        decision,
        chain,
        safety,
        unverified_fixes: Vec::new(),
        affected_specialists,
    }
}
