//! Collects corrections and applies them to claims.

use std::collections::BTreeMap;

use super::{Correction, CorrectionCode, CorrectionOutcome};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::ids::ClaimId;
use crate::policy::PolicyValues;

#[derive(Debug, Default)]
pub(in super::super) struct Findings {
    pub(in super::super) corrections: Vec<Correction>,
    /// The original types of the claims whose type was lowered.
    original_types: BTreeMap<ClaimId, EvidenceType>,
}

impl Findings {
    /// Records a problem that does not change the verdict.
    pub(in super::super) fn note(
        &mut self,
        judged: &JudgedClaim,
        code: CorrectionCode,
        sentence: String,
    ) {
        self.note_change(judged, code, (judged.class, judged.evidence_type), sentence);
    }

    /// Makes the class of a claim stricter. If the claim is no longer supported, restores its original type.
    pub(in super::super) fn reclassify(
        &mut self,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        class: Class,
        sentence: String,
    ) {
        let from = (judged.class, judged.evidence_type);
        let class = judged.class.max(class);
        let is_supported = matches!(class, Class::Grounded | Class::Complementary);
        let original = self.original_types.get(&judged.claim.id).filter(|_| !is_supported).copied();
        judged.class = class;
        judged.evidence_type = original.unwrap_or(judged.evidence_type);
        self.note_change(judged, code, from, sentence);
    }

    /// Lowers the type of a supported claim to `ceiling`, unless the policy gives `ceiling` more weight.
    pub(in super::super) fn lower_type(
        &mut self,
        policy: &PolicyValues,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        ceiling: EvidenceType,
        sentence: impl FnOnce() -> String,
    ) {
        let weight = |evidence_type| policy.weights.get(evidence_type);
        let is_higher = judged.evidence_type < ceiling;
        if !is_supported(judged) || !is_higher || weight(ceiling) > weight(judged.evidence_type) {
            return;
        }
        let from = (judged.class, judged.evidence_type);
        self.original_types.entry(judged.claim.id.clone()).or_insert(judged.evidence_type);
        judged.evidence_type = ceiling;
        self.note_change(judged, code, from, sentence());
    }

    /// Records a change that has already been made.
    pub(in super::super) fn note_change(
        &mut self,
        judged: &JudgedClaim,
        code: CorrectionCode,
        from: (Class, EvidenceType),
        sentence: String,
    ) {
        self.corrections.push(Correction {
            claim: judged.claim.id.clone(),
            code,
            from,
            to: (judged.class, judged.evidence_type),
            sentence,
            outcome: CorrectionOutcome::Corrected,
        });
    }
}

/// Returns `true` if the claim counts towards the numerator of the score.
pub(in super::super) fn is_supported(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Grounded | Class::Complementary)
}
