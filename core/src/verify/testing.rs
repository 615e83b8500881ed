//! Test helpers for verification.

use super::{CorrectionCode, EvidenceSet, VerifiedPartition, verify};
use crate::claim::{Claim, Class, EvidenceType, JudgedClaim};
use crate::evidence::{Citation, Content, EvidenceId, EvidenceItem, Target};
use crate::ids::ClaimId;
use crate::policy::{Preset, VerificationMode, preset};
pub(super) use crate::testing::tool;

pub(super) fn json(id: &str, content: &str) -> EvidenceItem {
    EvidenceItem { content: Content::Json(content.to_string()), ..tool(id, "") }
}

pub(super) fn claims(texts: &[&str]) -> Vec<Claim> {
    let claim = |(index, text): (usize, &&str)| {
        Claim::new(ClaimId::new(format!("c{index}")).unwrap(), *text)
    };
    texts.iter().enumerate().map(claim).collect()
}

pub(super) fn judged(
    claim: &Claim,
    class: Class,
    evidence_type: EvidenceType,
    quotes: &[(&str, &str)],
) -> JudgedClaim {
    let citation =
        |(id, quote): &(&str, &str)| Citation::new(EvidenceId::new(*id).unwrap(), *quote);
    let citations = quotes.iter().map(citation).collect();
    JudgedClaim { citations, ..JudgedClaim::new(claim.clone(), class, evidence_type) }
}

pub(super) fn judged_citing_claims(
    claim: &Claim,
    class: Class,
    evidence_type: EvidenceType,
    supports: &[&Claim],
) -> JudgedClaim {
    let citation = |support: &&Claim| Citation {
        target: Target::Claim(support.id.clone()),
        quote: String::new(),
        bytes: None,
    };
    let citations = supports.iter().map(citation).collect();
    JudgedClaim { citations, ..judged(claim, class, evidence_type, &[]) }
}

pub(super) fn verify_with_preset(
    name: Preset,
    claims: &[Claim],
    answer: &[JudgedClaim],
    items: &[EvidenceItem],
) -> VerifiedPartition {
    verify(
        VerificationMode::Enforce,
        &preset(name),
        claims,
        answer.to_vec(),
        &EvidenceSet::new(items),
    )
}

pub(super) fn verify_claims(
    claims: &[Claim],
    answer: &[JudgedClaim],
    items: &[EvidenceItem],
) -> VerifiedPartition {
    verify_with_preset(Preset::Reference, claims, answer, items)
}

pub(super) fn codes(result: &VerifiedPartition) -> Vec<CorrectionCode> {
    result.corrections.iter().map(|correction| correction.code).collect()
}
