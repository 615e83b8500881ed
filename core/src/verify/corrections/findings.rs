//! Collects corrections and applies them to claims.

use std::collections::BTreeMap;

use super::{Correction, CorrectionCode, CorrectionOutcome};
use crate::claim::{Class, EvidenceType, JudgedClaim};
use crate::ids::ClaimId;
use crate::policy::PolicyValues;

#[derive(Debug, Default)]
pub(in super::super) struct Findings {
    pub(in super::super) corrections: Vec<Correction>,
    /// The original types of claims with a lowered type.
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
        let verdict = (judged.class, judged.evidence_type);
        self.push(judged.claim.id.clone(), code, (verdict, verdict), sentence);
    }

    /// Makes a class stricter. Restores the type of a claim that is no longer supported.
    pub(in super::super) fn reclass(
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
        let to = (class, original.unwrap_or(judged.evidence_type));
        (judged.class, judged.evidence_type) = to;
        self.push(judged.claim.id.clone(), code, (from, to), sentence);
    }

    /// Lowers a supported claim's type to `ceiling`, unless the policy gives that type more weight.
    pub(in super::super) fn retype(
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
        let to = (judged.class, ceiling);
        self.push(judged.claim.id.clone(), code, (from, to), sentence());
    }

    /// Records a change that was already made.
    pub(in super::super) fn note_change(
        &mut self,
        judged: &JudgedClaim,
        code: CorrectionCode,
        from: (Class, EvidenceType),
        sentence: String,
    ) {
        let to = (judged.class, judged.evidence_type);
        self.push(judged.claim.id.clone(), code, (from, to), sentence);
    }

    fn push(
        &mut self,
        claim: ClaimId,
        code: CorrectionCode,
        (from, to): ((Class, EvidenceType), (Class, EvidenceType)),
        sentence: String,
    ) {
        let outcome = CorrectionOutcome::Corrected;
        self.corrections.push(Correction { claim, code, from, to, sentence, outcome });
    }
}

/// Returns `true` if the claim counts towards the score's numerator.
pub(in super::super) fn is_supported(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Grounded | Class::Complementary)
}
