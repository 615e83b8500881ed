//! This module makes questions and proposals complementary at most: neither states anything that evidence could show.
//! What they take for granted is a claim of its own.

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
