//! Checks that grounded, contradicted and complementary claims have a valid citation.

pub(super) mod references;
pub(super) mod resolve;

use super::corrections::{CorrectionCode, Findings};
use super::{VerdictStatus, VerifiedClaim};
use crate::claim::Class;

pub(super) fn check(claim: &mut VerifiedClaim, findings: &mut Findings) {
    if claim.judged.class == Class::Ungrounded || !claim.judged.citations.is_empty() {
        return;
    }
    let is_contradicted = claim.judged.class == Class::Contradicted;
    let sentence = if is_contradicted {
        "No valid citation contradicts the claim; it counts as ungrounded and still blocks."
    } else {
        "No valid citation supports the claim."
    };
    if is_contradicted {
        claim.status = VerdictStatus::UnverifiedContradiction;
        // Ungrounded is less strict than contradicted, but the status still makes the contradiction block proceed.
        let from = (claim.judged.class, claim.judged.evidence_type);
        claim.judged.class = Class::Ungrounded;
        findings.note_change(
            &claim.judged,
            CorrectionCode::NoValidCitation,
            from,
            String::from(sentence),
        );
    } else {
        let code = CorrectionCode::NoValidCitation;
        findings.reclassify(&mut claim.judged, code, Class::Ungrounded, String::from(sentence));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool, verify_claims};
    use super::*;
    use crate::claim::EvidenceType::ToolMatch;

    #[test]
    fn h09_a_fabricated_quote_does_not_support_a_claim() {
        let claims = claims(&["the pool was exhausted"]);
        let items = [tool("e1", "all connections healthy")];
        for (class, status) in [
            (Class::Grounded, VerdictStatus::AsJudged),
            (Class::Complementary, VerdictStatus::AsJudged),
            (Class::Contradicted, VerdictStatus::UnverifiedContradiction),
        ] {
            let answer =
                [judged(&claims[0], class, ToolMatch, &[("e1", "the pool was exhausted")])];
            let result = verify_claims(&claims, &answer, &items);
            assert_eq!(result.claims[0].judged.class, Class::Ungrounded);
            assert_eq!(result.claims[0].status, status);
            assert!(result.claims[0].judged.citations.is_empty());
        }
    }
}
