//! Limits questions and proposals to the class complementary, since evidence cannot show them.

use super::VerifiedClaim;
use super::corrections::{CorrectionCode, Findings};
use crate::claim::Class;
use crate::report::ClaimKind;

pub(super) fn check(claim: &mut VerifiedClaim, findings: &mut Findings) {
    let kind = ClaimKind::classify(&claim.judged.claim.text);
    if kind != ClaimKind::Statement && claim.judged.class == Class::Grounded {
        let sentence =
            format!("The claim is a {} and states nothing that evidence could show.", kind.name());
        let code = CorrectionCode::StatesNothing;
        findings.reclassify(&mut claim.judged, code, Class::Complementary, sentence);
    }
}
