//! Limits questions and proposals to complementary, since they state nothing that evidence could show. Their presuppositions
//! are claims of their own.

use super::VerifiedClaim;
use super::corrections::{CorrectionCode, Findings};
use crate::claim::Class;
use crate::report::ClaimKind;

/// Lowers a grounded question or proposal to complementary.
pub(super) fn check(claim: &mut VerifiedClaim, findings: &mut Findings) {
    let kind = ClaimKind::of(&claim.judged.claim.text);
    if kind != ClaimKind::Statement && claim.judged.class == Class::Grounded {
        let sentence =
            format!("it is a {} and states nothing that evidence could show", kind.name());
        let code = CorrectionCode::StatesNothing;
        findings.reclass(&mut claim.judged, code, Class::Complementary, sentence);
    }
}
