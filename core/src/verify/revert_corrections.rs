//! Restores the judge's answer from a recorded partition by reverting corrections.

use super::{Correction, CorrectionCode, VerdictStatus, VerifiedClaim, VerifiedPartition};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::ids::ClaimId;

/// The codes of corrections that lose part of the judge's answer.
const LOSSY: [CorrectionCode; 4] = [
    CorrectionCode::UnknownClaim,
    CorrectionCode::DuplicateClaim,
    CorrectionCode::AlteredClaim,
    CorrectionCode::QuoteMoved,
];

/// The codes of corrections that removed or changed citations. Verifying the restored partition does not find them
/// again.
const CITATION_CODES: [CorrectionCode; 8] = [
    CorrectionCode::UnknownEvidence,
    CorrectionCode::UnknownField,
    CorrectionCode::UnknownReference,
    CorrectionCode::SelfCitation,
    CorrectionCode::CitationCycle,
    CorrectionCode::QuoteNotFound,
    CorrectionCode::QuoteMoved,
    CorrectionCode::QuoteOutsideField,
];

/// A judge's partition before verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredPartition {
    /// The judge's verdicts, without the citations that verification removed.
    pub judged: Vec<JudgedClaim>,
    /// The corrections that are not found if the restored partition is verified again.
    pub removed: Vec<Correction>,
    /// The distinct codes of the corrections that lost part of the judge's answer.
    pub lossy: Vec<CorrectionCode>,
}

/// Reverts the corrections of a verified and corrected partition.
#[must_use]
pub fn undo(verified: &VerifiedPartition) -> RestoredPartition {
    let kept_claims = verified.claims.iter().filter(|claim| claim.status != VerdictStatus::Dropped);
    let judged: Vec<JudgedClaim> =
        kept_claims.map(|claim| restore(claim, &verified.corrections)).collect();
    let with_code = |codes: &[CorrectionCode]| -> Vec<Correction> {
        let corrections = verified.corrections.iter();
        corrections.filter(|correction| codes.contains(&correction.code)).cloned().collect()
    };
    let lossy_corrections = with_code(&LOSSY);
    let mut lossy: Vec<CorrectionCode> =
        lossy_corrections.iter().map(|correction| correction.code).collect();
    lossy.sort_unstable();
    lossy.dedup();
    let mut removed = with_code(&CITATION_CODES);
    let is_new = |correction: &Correction| !CITATION_CODES.contains(&correction.code);
    removed.extend(lossy_corrections.into_iter().filter(is_new));
    RestoredPartition { judged, removed, lossy }
}

fn restore(claim: &VerifiedClaim, corrections: &[Correction]) -> JudgedClaim {
    let mut judged = claim.judged.clone();
    if let Some((class, evidence_type)) = original(&judged.claim.id, corrections) {
        (judged.class, judged.evidence_type) = (class, evidence_type);
    }
    judged
}

/// Returns the class and type before the first correction.
fn original(claim: &ClaimId, corrections: &[Correction]) -> Option<(Class, EvidenceType)> {
    corrections.iter().find(|correction| correction.claim == *claim).map(|first| first.from)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool};
    use super::super::{EvidenceSet, verify};
    use super::*;
    use crate::claim::EvidenceType::{Inference, ToolMatch};
    use crate::policy::{Policy, Preset, VerificationMode, preset};

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    fn verify_enforced(
        claims: &[crate::claim::Claim],
        judged: Vec<JudgedClaim>,
    ) -> VerifiedPartition {
        let items = [tool("e1", LOG)];
        let policy: Policy = preset(Preset::Reference);
        verify(VerificationMode::Enforce, &policy, claims, judged, &EvidenceSet::new(&items))
    }

    #[test]
    fn verifying_a_restored_partition_makes_the_same_corrections() {
        let claims = claims(&["queue depth was 31?", "workers busy 4 of 8", "the cache was lost"]);
        let answer = vec![
            judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]),
            judged(&claims[1], Class::Grounded, ToolMatch, &[("e1", "workers busy 4 of 8")]),
            judged(&claims[2], Class::Contradicted, Inference, &[("e1", "not there")]),
        ];
        let verified = verify_enforced(&claims, answer.clone());
        let restored = undo(&verified);
        let classes = |judged: &[JudgedClaim]| -> Vec<_> {
            judged.iter().map(|judged| (judged.class, judged.evidence_type)).collect()
        };
        assert_eq!(classes(&restored.judged), classes(&answer));
        assert_eq!(restored.lossy, []);
        assert_eq!(restored.removed.len(), 1, "the quote that was not found");
        let second = verify_enforced(&claims, restored.judged);
        assert_eq!(second.claims, verified.claims);
        let count = second.corrections.len() + restored.removed.len();
        assert_eq!(count, verified.corrections.len());
    }

    #[test]
    fn a_dropped_claim_is_not_part_of_the_restored_partition() {
        let claims = claims(&["queue depth was 29", "workers busy 4 of 8"]);
        let answer =
            vec![judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let restored = undo(&verify_enforced(&claims, answer));
        assert_eq!(restored.judged.len(), 1);
        assert_eq!(restored.judged[0].claim, claims[0]);
    }

    #[test]
    fn a_duplicate_answer_is_reported_as_lost() {
        let claims = claims(&["queue depth was 29"]);
        let answer = judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]);
        let answers = vec![answer.clone(), JudgedClaim { class: Class::Ungrounded, ..answer }];
        let restored = undo(&verify_enforced(&claims, answers));
        assert_eq!(restored.lossy, [CorrectionCode::DuplicateClaim]);
    }
}
