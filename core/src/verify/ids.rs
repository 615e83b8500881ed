//! This module checks that every given claim is judged exactly once.
//!
//! Unknown ids are refused, of duplicates the strictest counts, altered words are put back, and what the
//! judge left out comes back as dropped.

use core::cmp::Reverse;
use std::collections::BTreeMap;

use super::corrections::{CorrectionCode, Findings};
use super::{Standing, VerifiedClaim};
use crate::claim::{Claim, ClaimId, Class, JudgedClaim};
use crate::policy::PolicyValues;
use crate::score::heaviest_type;

/// One verified claim for each given one, in the order given.
pub(super) fn match_claims(
    policy: &PolicyValues,
    given: &[Claim],
    judged: Vec<JudgedClaim>,
    findings: &mut Findings,
) -> Vec<VerifiedClaim> {
    let mut slots: BTreeMap<&ClaimId, Option<JudgedClaim>> =
        given.iter().map(|claim| (&claim.id, None)).collect();
    for answer in judged {
        match slots.get_mut(&answer.claim.id) {
            None => findings.note(
                &answer,
                CorrectionCode::UnknownClaim,
                format!(
                    "The judge spoke of claim `{}`, which the report does not have.",
                    answer.claim.id
                ),
            ),
            Some(slot) => match slot.take() {
                None => *slot = Some(answer),
                Some(earlier) => *slot = Some(stricter(policy, earlier, answer, findings)),
            },
        }
    }
    given
        .iter()
        .map(|claim| match slots.get_mut(&claim.id).and_then(Option::take) {
            Some(answer) => with_given_words(claim, answer, findings),
            None => dropped(policy, claim, findings),
        })
        .collect()
}

fn stricter(
    policy: &PolicyValues,
    a: JudgedClaim,
    b: JudgedClaim,
    findings: &mut Findings,
) -> JudgedClaim {
    // Of equal weights the type that is worth more in the method counts as the heavier one.
    let weight = |judged: &JudgedClaim| {
        (policy.weights.of(judged.evidence_type), Reverse(judged.evidence_type))
    };
    let (kept, other) = if b.class > a.class { (b, a) } else { (a, b) };
    let heavier_counts = matches!(kept.class, Class::Ungrounded | Class::Contradicted);
    let other_decides_type = if heavier_counts {
        weight(&other) > weight(&kept)
    } else {
        weight(&other) < weight(&kept)
    };
    let evidence_type = if other_decides_type { other.evidence_type } else { kept.evidence_type };
    let kept = JudgedClaim { evidence_type, ..kept };
    findings.note(
        &kept,
        CorrectionCode::DuplicateClaim,
        format!(
            "The judge gave claim `{}` more than once; the strictest answer counts.",
            kept.claim.id
        ),
    );
    kept
}

fn with_given_words(
    claim: &Claim,
    mut answer: JudgedClaim,
    findings: &mut Findings,
) -> VerifiedClaim {
    if answer.claim != *claim {
        answer.claim = claim.clone();
        findings.note(
            &answer,
            CorrectionCode::AlteredClaim,
            format!(
                "The judge changed the words or place of claim `{}`; the report's count.",
                claim.id
            ),
        );
    }
    VerifiedClaim { judged: answer, standing: Standing::AsJudged }
}

fn dropped(policy: &PolicyValues, claim: &Claim, findings: &mut Findings) -> VerifiedClaim {
    let judged = JudgedClaim {
        claim: claim.clone(),
        class: Class::Ungrounded,
        evidence_type: heaviest_type(policy),
        citations: Vec::new(),
        note: String::from("The judge gave no answer for this claim."),
        role: crate::claim::Role::default(),
        rules: Vec::new(),
        undecided: None,
    };
    findings.note(
        &judged,
        CorrectionCode::ClaimDropped,
        format!(
            "The judge left claim `{}` out; it counts as ungrounded at the largest weight.",
            claim.id
        ),
    );
    VerifiedClaim { judged, standing: Standing::Dropped }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, codes, judged, tool, verified};
    use super::*;
    use crate::claim::EvidenceType;

    #[test]
    fn h06_a_claim_that_the_judge_drops_comes_back() {
        let given = claims(&["pod restarted", "dns failed"]);
        let answer = [judged(
            &given[0],
            Class::Grounded,
            EvidenceType::ToolMatch,
            &[("e1", "pod restarted")],
        )];
        let result = verified(&given, &answer, &[tool("e1", "pod restarted")]);
        assert_eq!(result.claims.len(), 2);
        assert_eq!(result.claims[1].standing, Standing::Dropped);
        assert_eq!(result.claims[1].judged.class, Class::Ungrounded);
        assert_eq!(codes(&result), [CorrectionCode::ClaimDropped]);
    }

    #[test]
    fn h27_unknown_and_duplicate_ids() {
        let given = claims(&["pod restarted"]);
        let other = claims(&["x", "invented"]);
        let cited: &[(&str, &str)] = &[("e1", "pod restarted")];
        let answer = [
            judged(&given[0], Class::Grounded, EvidenceType::ToolMatch, cited),
            judged(&other[1], Class::Grounded, EvidenceType::ToolMatch, cited),
            judged(&given[0], Class::Contradicted, EvidenceType::Inference, cited),
        ];
        let result = verified(&given, &answer, &[tool("e1", "pod restarted")]);
        assert_eq!(result.claims.len(), 1);
        assert_eq!(result.claims[0].judged.class, Class::Contradicted);
        assert_eq!(result.claims[0].judged.evidence_type, EvidenceType::ToolMatch);
        assert_eq!(codes(&result), [CorrectionCode::UnknownClaim, CorrectionCode::DuplicateClaim]);
    }

    #[test]
    fn altered_words_are_put_back() {
        let given = claims(&["pod restarted 9 times"]);
        let mut answer = judged(
            &given[0],
            Class::Grounded,
            EvidenceType::ToolMatch,
            &[("e1", "pod restarted 3 times")],
        );
        answer.claim.text = String::from("pod restarted 3 times");
        let result = verified(&given, &[answer], &[tool("e1", "pod restarted 3 times")]);
        assert_eq!(result.claims[0].judged.claim, given[0]);
        assert_eq!(codes(&result), [CorrectionCode::AlteredClaim]);
    }
}
