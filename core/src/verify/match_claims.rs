//! Matches the judge's verdicts to the submitted claims. If there are several verdicts on a claim, the strictest one
//! wins.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use super::corrections::{CorrectionCode, Findings};
use super::{VerdictStatus, VerifiedClaim};
use crate::claim::{Claim, Class, JudgedClaim};
use crate::ids::ClaimId;
use crate::policy::PolicyValues;
use crate::score::heaviest_type;

/// Returns a verified claim for each submitted claim, in order.
pub(super) fn match_claims(
    policy: &PolicyValues,
    claims: &[Claim],
    judged: Vec<JudgedClaim>,
    findings: &mut Findings,
) -> Vec<VerifiedClaim> {
    let mut slots: BTreeMap<&ClaimId, Option<JudgedClaim>> =
        claims.iter().map(|claim| (&claim.id, None)).collect();
    for answer in judged {
        match slots.get_mut(&answer.claim.id) {
            None => findings.note(
                &answer,
                CorrectionCode::UnknownClaim,
                format!(
                    "The judge returned claim `{}`, which is not in the report.",
                    answer.claim.id
                ),
            ),
            Some(slot) => match slot.take() {
                None => *slot = Some(answer),
                Some(earlier) => *slot = Some(select_stricter(policy, earlier, answer, findings)),
            },
        }
    }
    claims
        .iter()
        .map(|claim| match slots.get_mut(&claim.id).and_then(Option::take) {
            Some(answer) => restore_text(claim, answer, findings),
            None => add_dropped(policy, claim, findings),
        })
        .collect()
}

fn select_stricter(
    policy: &PolicyValues,
    first: JudgedClaim,
    second: JudgedClaim,
    findings: &mut Findings,
) -> JudgedClaim {
    // If two types have the same weight, the type with the larger weight in the paper counts as heavier.
    let weight = |judged: &JudgedClaim| {
        (policy.weights.get(judged.evidence_type), Reverse(judged.evidence_type))
    };
    let (verdict, other) =
        if second.class > first.class { (second, first) } else { (first, second) };
    let is_unsupported = matches!(verdict.class, Class::Ungrounded | Class::Contradicted);
    let uses_other_type = if is_unsupported {
        weight(&other) > weight(&verdict)
    } else {
        weight(&other) < weight(&verdict)
    };
    let evidence_type = if uses_other_type { other.evidence_type } else { verdict.evidence_type };
    let verdict = JudgedClaim { evidence_type, ..verdict };
    findings.note(
        &verdict,
        CorrectionCode::DuplicateClaim,
        format!(
            "The judge returned claim `{}` more than once; the strictest verdict counts.",
            verdict.claim.id
        ),
    );
    verdict
}

fn restore_text(claim: &Claim, mut answer: JudgedClaim, findings: &mut Findings) -> VerifiedClaim {
    if answer.claim != *claim {
        answer.claim = claim.clone();
        findings.note(
            &answer,
            CorrectionCode::AlteredClaim,
            format!(
                "The judge changed the text or span of claim `{}`; the text and span from the report are used.",
                claim.id
            ),
        );
    }
    VerifiedClaim { judged: answer, status: VerdictStatus::AsJudged }
}

fn add_dropped(policy: &PolicyValues, claim: &Claim, findings: &mut Findings) -> VerifiedClaim {
    let judged = JudgedClaim {
        note: String::from("The judge returned no verdict on this claim."),
        ..JudgedClaim::new(claim.clone(), Class::Ungrounded, heaviest_type(policy))
    };
    findings.note(
        &judged,
        CorrectionCode::ClaimDropped,
        format!(
            "The judge omitted claim `{}`; it counts as ungrounded with the largest weight.",
            claim.id
        ),
    );
    VerifiedClaim { judged, status: VerdictStatus::Dropped }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, codes, judged, tool, verify_claims};
    use super::*;
    use crate::claim::EvidenceType;

    #[test]
    fn h06_a_claim_that_the_judge_omits_is_added() {
        let claims = claims(&["pod restarted", "dns failed"]);
        let answer = [judged(
            &claims[0],
            Class::Grounded,
            EvidenceType::ToolMatch,
            &[("e1", "pod restarted")],
        )];
        let result = verify_claims(&claims, &answer, &[tool("e1", "pod restarted")]);
        assert_eq!(result.claims.len(), 2);
        assert_eq!(result.claims[1].status, VerdictStatus::Dropped);
        assert_eq!(result.claims[1].judged.class, Class::Ungrounded);
        assert_eq!(codes(&result), [CorrectionCode::ClaimDropped]);
    }

    #[test]
    fn h27_unknown_and_duplicate_ids_are_noted() {
        let others = claims(&["x", "invented"]);
        let claims = claims(&["pod restarted"]);
        let quotes: &[(&str, &str)] = &[("e1", "pod restarted")];
        let answer = [
            judged(&claims[0], Class::Grounded, EvidenceType::ToolMatch, quotes),
            judged(&others[1], Class::Grounded, EvidenceType::ToolMatch, quotes),
            judged(&claims[0], Class::Contradicted, EvidenceType::Inference, quotes),
        ];
        let result = verify_claims(&claims, &answer, &[tool("e1", "pod restarted")]);
        assert_eq!(result.claims.len(), 1);
        assert_eq!(result.claims[0].judged.class, Class::Contradicted);
        assert_eq!(result.claims[0].judged.evidence_type, EvidenceType::ToolMatch);
        assert_eq!(codes(&result), [CorrectionCode::UnknownClaim, CorrectionCode::DuplicateClaim]);
    }

    #[test]
    fn restores_altered_claim_texts() {
        let claims = claims(&["pod restarted 9 times"]);
        let mut answer = judged(
            &claims[0],
            Class::Grounded,
            EvidenceType::ToolMatch,
            &[("e1", "pod restarted 3 times")],
        );
        answer.claim.text = String::from("pod restarted 3 times");
        let result = verify_claims(&claims, &[answer], &[tool("e1", "pod restarted 3 times")]);
        assert_eq!(result.claims[0].judged.claim, claims[0]);
        assert_eq!(codes(&result), [CorrectionCode::AlteredClaim]);
    }
}
