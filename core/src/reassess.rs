//! Decides a recorded partition under another policy, using the recorded verification instead of the evidence.

use crate::assess::{
    Assessment, JudgedTallies, PartitionDecision, ReportContext, chain_and_safety, decide_partition,
};
use crate::claim::JudgedClaim;
use crate::coverage::Coverage;
use crate::decision::Origin;
use crate::evidence::EvidenceItem;
use crate::fault::CitedSpecialists;
use crate::policy::{Policy, VerificationMode};
use crate::safety::UnverifiedFix;
use crate::verify::{EvidenceSet, VerifiedPartition, heaviest_allowed};

/// A recorded partition.
#[derive(Debug)]
pub struct RecordedPartition<'a> {
    /// The judge's verdicts, before verification.
    pub judged: Vec<JudgedClaim>,
    /// The result of verification.
    pub verified: VerifiedPartition,
    /// How much of the synthesis the claims cover; `None` without a synthesis.
    pub coverage: Option<Coverage>,
    /// Why the second look at some claims failed; `None` if it was complete.
    pub unread: Option<String>,
    /// The evidence, used only for its ids, types and specialists; contents are not read.
    pub evidence: &'a [EvidenceItem],
}

/// Decides a recorded partition. A policy that enforces verification decides on the corrected claims, any other on the
/// judge's verdicts; gate, chain, cap and action are those of a report without an investigation.
#[must_use]
pub fn reassess(policy: &Policy, recorded: RecordedPartition<'_>) -> Assessment {
    let RecordedPartition { judged, verified, coverage, unread, evidence } = recorded;
    let cited = CitedSpecialists::of(&judged, &EvidenceSet::new(evidence));
    let own = JudgedTallies::of(policy, &judged, heaviest_allowed(policy, evidence));
    let verified = match policy.verification {
        VerificationMode::Enforce => verified,
        VerificationMode::Observe => VerifiedPartition::as_judged(judged, verified.corrections),
        VerificationMode::Off => VerifiedPartition::as_judged(judged, Vec::new()),
    };
    let context = ReportContext { coverage, unread };
    let PartitionDecision { tally, findings, decision } =
        decide_partition(policy, &own, &verified, context, Origin::Judge);
    let affected_specialists = cited.affected(&decision, &verified.claims);
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
