//! This module collects what the checks of one verification find, and applies it to the claims.

use std::collections::BTreeMap;

use super::{Correction, CorrectionCode, Outcome};
use crate::claim::{ClaimId, Class, EvidenceType, JudgedClaim};
use crate::policy::PolicyValues;

/// The corrections found so far.
#[derive(Debug, Default)]
pub(in super::super) struct Findings {
    pub(in super::super) corrections: Vec<Correction>,
    /// The types that claims had before one was lowered.
    lowered: BTreeMap<ClaimId, EvidenceType>,
}

impl Findings {
    /// Notes something that leaves class and type as they are.
    pub(in super::super) fn note(
        &mut self,
        judged: &JudgedClaim,
        code: CorrectionCode,
        sentence: String,
    ) {
        let stands = (judged.class, judged.evidence_type);
        self.push(judged.claim.id.clone(), code, (stands, stands), sentence);
    }

    /// Gives a claim a stricter class. Where it no longer counts in favour of the report, it has the type with which it
    /// came: an unsupported claim of a lowered type would weigh less.
    pub(in super::super) fn reclass(
        &mut self,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        class: Class,
        sentence: String,
    ) {
        let from = (judged.class, judged.evidence_type);
        let class = judged.class.max(class);
        let supported = matches!(class, Class::Grounded | Class::Complementary);
        let came_as = self.lowered.get(&judged.claim.id).filter(|_| !supported).copied();
        let to = (class, came_as.unwrap_or(judged.evidence_type));
        (judged.class, judged.evidence_type) = to;
        self.push(judged.claim.id.clone(), code, (from, to), sentence);
    }

    /// Lowers the type of a supported claim to at most `ceiling`. Nothing happens where the type is no
    /// higher, or where the policy gives the lower type more weight.
    pub(in super::super) fn retype(
        &mut self,
        policy: &PolicyValues,
        judged: &mut JudgedClaim,
        code: CorrectionCode,
        ceiling: EvidenceType,
        sentence: impl FnOnce() -> String,
    ) {
        let weight = |evidence_type| policy.weights.of(evidence_type);
        let too_high = judged.evidence_type < ceiling;
        if !is_supported(judged) || !too_high || weight(ceiling) > weight(judged.evidence_type) {
            return;
        }
        let from = (judged.class, judged.evidence_type);
        self.lowered.entry(judged.claim.id.clone()).or_insert(judged.evidence_type);
        judged.evidence_type = ceiling;
        let to = (judged.class, ceiling);
        self.push(judged.claim.id.clone(), code, (from, to), sentence());
    }

    /// Notes a change of class that was made already.
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
        let outcome = Outcome::Corrected;
        self.corrections.push(Correction { claim, code, from, to, sentence, outcome });
    }
}

/// Whether a claim counts towards the score's numerator.
pub(in super::super) fn is_supported(judged: &JudgedClaim) -> bool {
    matches!(judged.class, Class::Grounded | Class::Complementary)
}
