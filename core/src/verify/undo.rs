//! Restores the judge's answer from a recorded partition by reverting corrections.

use super::{
    Correction, CorrectionCode, CorrectionOutcome, VerdictStatus, VerifiedClaim, VerifiedPartition,
};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::ids::ClaimId;

/// Corrections that lose part of the judge's answer.
const LOSSY: [CorrectionCode; 4] = [
    CorrectionCode::UnknownClaim,
    CorrectionCode::DuplicateClaim,
    CorrectionCode::AlteredClaim,
    CorrectionCode::QuoteMoved,
];

/// Corrections that removed or changed citations, and are not found again.
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

/// Retired findings for which judges got an extra turn, unless a policy corrected them.
const EXTRA_TURN: [&str; 9] = [
    "CITATION_UNRELATED",
    "FIGURE_CONFLICT",
    "FIGURE_NOT_IN_EVIDENCE",
    "NAME_NOT_IN_EVIDENCE",
    "NAME_CONFLICT",
    "NEGATION_CONFLICT",
    "ABSENCE_NOT_SHOWN",
    "REFUTED_BY_RULE",
    "SECOND_OPINION",
];

/// A judge's partition before verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredPartition {
    /// The judge's verdicts after the follow-up request, without removed citations.
    pub judged: Vec<JudgedClaim>,
    /// The verdicts before the follow-up request, if they differ.
    pub first: Option<Vec<JudgedClaim>>,
    /// The corrections that verifying again does not find.
    pub removed: Vec<Correction>,
    /// The distinct codes of corrections that lost part of the judge's answer.
    pub lossy: Vec<CorrectionCode>,
}

/// Reverts the corrections of a verified and corrected partition, including retired ones.
#[must_use]
pub fn undo(verified: &VerifiedPartition, had_extra_turn: bool) -> RestoredPartition {
    let (by_judge, by_verification): (Vec<&Correction>, Vec<&Correction>) = verified
        .corrections
        .iter()
        .partition(|correction| had_extra_turn && is_made_by_judge(correction));
    let answered = verified.claims.iter().filter(|claim| claim.status != VerdictStatus::Dropped);
    let judged: Vec<JudgedClaim> = answered.map(|claim| restore(claim, &by_verification)).collect();
    let first = (!by_judge.is_empty()).then(|| {
        let first = judged.iter().map(|judged| match original(&judged.claim.id, &by_judge) {
            Some((class, evidence_type)) => JudgedClaim { class, evidence_type, ..judged.clone() },
            None => judged.clone(),
        });
        first.collect()
    });
    let with_code = |codes: &[CorrectionCode]| -> Vec<Correction> {
        by_verification
            .iter()
            .filter(|correction| codes.contains(&correction.code))
            .map(|correction| (*correction).clone())
            .collect()
    };
    let lossy_corrections = with_code(&LOSSY);
    let mut lossy: Vec<CorrectionCode> =
        lossy_corrections.iter().map(|correction| correction.code).collect();
    lossy.sort_unstable();
    lossy.dedup();
    let mut removed = with_code(&CITATION_CODES);
    let is_new = |correction: &Correction| !CITATION_CODES.contains(&correction.code);
    removed.extend(lossy_corrections.into_iter().filter(is_new));
    RestoredPartition { judged, first, removed, lossy }
}

/// Returns `true` if the judge itself made the class stricter in its extra turn, so that there is nothing to revert.
fn is_made_by_judge(correction: &Correction) -> bool {
    correction.outcome == CorrectionOutcome::Corrected
        && matches!(correction.code, CorrectionCode::Retired(name) if EXTRA_TURN.contains(&name))
}

fn restore(claim: &VerifiedClaim, corrections: &[&Correction]) -> JudgedClaim {
    let mut judged = claim.judged.clone();
    if let Some((class, evidence_type)) = original(&judged.claim.id, corrections) {
        (judged.class, judged.evidence_type) = (class, evidence_type);
    }
    // Refuting rules are listed after the rules by which the judge decided.
    let is_refuted = |correction: &&&Correction| {
        correction.claim == judged.claim.id
            && correction.code == CorrectionCode::Retired("REFUTED_BY_RULE")
    };
    let count = judged.rules.len().saturating_sub(corrections.iter().filter(is_refuted).count());
    judged.rules.truncate(count);
    judged
}

/// The class and type before the first correction.
fn original(claim: &ClaimId, corrections: &[&Correction]) -> Option<(Class, EvidenceType)> {
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

    fn enforced(given: &[crate::claim::Claim], judged: Vec<JudgedClaim>) -> VerifiedPartition {
        let items = [tool("e1", LOG)];
        let policy: Policy = preset(Preset::Reference);
        verify(VerificationMode::Enforce, &policy, given, judged, &EvidenceSet::new(&items))
    }

    #[test]
    fn a_restored_partition_is_corrected_in_the_same_way_again() {
        let given = claims(&["queue depth was 31?", "workers busy 4 of 8", "the cache was lost"]);
        let answer = vec![
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]),
            judged(&given[1], Class::Grounded, ToolMatch, &[("e1", "workers busy 4 of 8")]),
            judged(&given[2], Class::Contradicted, Inference, &[("e1", "not there")]),
        ];
        let verified = enforced(&given, answer.clone());
        let restored = undo(&verified, false);
        let classes = |judged: &[JudgedClaim]| -> Vec<_> {
            judged.iter().map(|judged| (judged.class, judged.evidence_type)).collect()
        };
        assert_eq!(classes(&restored.judged), classes(&answer));
        assert_eq!((restored.lossy.as_slice(), restored.first), (&[][..], None));
        assert_eq!(restored.removed.len(), 1, "the quote that was not found");
        let again = enforced(&given, restored.judged);
        assert_eq!(again.claims, verified.claims);
        let found = again.corrections.len() + restored.removed.len();
        assert_eq!(found, verified.corrections.len());
    }

    #[test]
    fn a_dropped_claim_is_omitted_again() {
        let given = claims(&["queue depth was 29", "workers busy 4 of 8"]);
        let answer =
            vec![judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let restored = undo(&enforced(&given, answer), false);
        assert_eq!(restored.judged.len(), 1);
        assert_eq!(restored.judged[0].claim, given[0]);
    }

    #[test]
    fn a_duplicate_answer_is_lost() {
        let given = claims(&["queue depth was 29"]);
        let once = judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]);
        let answer = vec![once.clone(), JudgedClaim { class: Class::Ungrounded, ..once }];
        let restored = undo(&enforced(&given, answer), false);
        assert_eq!(restored.lossy, [CorrectionCode::DuplicateClaim]);
    }

    #[test]
    fn a_retired_correction_is_reverted_and_not_found_again() {
        let given = claims(&["queue depth was 31"]);
        let after = judged(&given[0], Class::Contradicted, ToolMatch, &[("e1", "queue depth 29")]);
        let found = Correction {
            claim: given[0].id.clone(),
            code: CorrectionCode::from_name("FIGURE_CONFLICT").unwrap(),
            from: (Class::Grounded, ToolMatch),
            to: (Class::Contradicted, ToolMatch),
            sentence: "31 is not 29".to_owned(),
            outcome: CorrectionOutcome::Corrected,
        };
        let verified = VerifiedPartition {
            claims: vec![VerifiedClaim { judged: after.clone(), status: VerdictStatus::AsJudged }],
            corrections: vec![found],
        };
        let restored = undo(&verified, false);
        assert_eq!(restored.judged[0].class, Class::Grounded);
        assert_eq!((restored.removed.as_slice(), restored.first), (&[][..], None));
        let again = enforced(&given, restored.judged);
        assert_eq!(again.claims[0].judged.class, Class::Grounded);
        assert_eq!(again.corrections, []);

        // In an extra turn the judge itself made the class stricter.
        let restored = undo(&verified, true);
        assert_eq!(restored.judged, [after]);
        assert_eq!(restored.first.unwrap()[0].class, Class::Grounded);
    }
}
