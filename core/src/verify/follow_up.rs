//! Selects the claims for a follow-up request to the judge, and applies the judge's answers.

use super::{Correction, CorrectionCode, CorrectionOutcome};
use crate::claim::{Class, JudgedClaim};
use crate::ids::ClaimId;

/// A claim that the follow-up request asks about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The verdict on the claim.
    pub judged: JudgedClaim,
    /// The problems found by verification.
    pub findings: Vec<String>,
}

/// Returns the claims that lost all their citations because quotes or items were not found.
#[must_use]
pub fn objections(judged: &[JudgedClaim], corrections: &[Correction]) -> Vec<Objection> {
    let objection = |judged: &JudgedClaim| {
        let claim_corrections = corrections.iter().filter(|correction| {
            correction.claim == judged.claim.id
                && correction.outcome == CorrectionOutcome::Corrected
        });
        let has_no_citation = claim_corrections
            .clone()
            .any(|correction| correction.code == CorrectionCode::NoValidCitation);
        let sentences = claim_corrections
            .filter(|correction| {
                let code = correction.code;
                matches!(code, CorrectionCode::QuoteNotFound | CorrectionCode::UnknownEvidence)
            })
            .map(|correction| correction.sentence.clone());
        let findings: Vec<String> = sentences.filter(|_| has_no_citation).collect();
        (!findings.is_empty()).then(|| Objection { judged: judged.clone(), findings })
    };
    judged.iter().filter_map(objection).collect()
}

/// Applies the answers to a follow-up request. This never makes a class less strict.
#[must_use]
pub fn apply_follow_up(
    judged_claims: &[JudgedClaim],
    requested: &[&ClaimId],
    answers: &[JudgedClaim],
) -> Vec<JudgedClaim> {
    let answer_to = |judged: &JudgedClaim| {
        let is_requested = requested.contains(&&judged.claim.id);
        answers.iter().find(|answer| is_requested && answer.claim.id == judged.claim.id)
    };
    judged_claims
        .iter()
        .map(|judged| match answer_to(judged) {
            Some(answer) => revise(judged, answer),
            None => judged.clone(),
        })
        .collect()
}

fn revise(judged: &JudgedClaim, answer: &JudgedClaim) -> JudgedClaim {
    let mut revised = judged.clone();
    if answer.class < judged.class {
        return revised;
    }
    if answer.class > judged.class {
        // A supported claim never gets a heavier type, and an unsupported claim never gets a lighter one.
        let (judged_type, answer_type) = (judged.evidence_type, answer.evidence_type);
        revised.evidence_type = match answer.class {
            Class::Grounded | Class::Complementary => judged_type.max(answer_type),
            Class::Ungrounded | Class::Contradicted => judged_type.min(answer_type),
        };
        revised.class = answer.class;
        revised.note.clone_from(&answer.note);
        revised.rules.clone_from(&answer.rules);
    }
    for citation in &answer.citations {
        if !revised.citations.contains(citation) {
            revised.citations.push(citation.clone());
        }
    }
    revised
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool, verify_claims};
    use super::super::{EvidenceSet, verify};
    use super::*;
    use crate::claim::EvidenceType::{Inference, ToolMatch};
    use crate::policy::{PolicyValues, Preset, VerificationMode, preset};

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    #[test]
    fn claims_that_lost_all_citations_are_selected_for_a_follow_up_request() {
        let claims = claims(&["queue depth was 29", "workers busy 4 of 8", "a", "b", "c"]);
        let judged_claims = [
            judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "depth of the queue: 29")]),
            // One quote is found, so the claim still has a citation.
            judged(
                &claims[1],
                Class::Grounded,
                ToolMatch,
                &[("e1", "workers busy 4 of 8"), ("e1", "8 of 8 are busy")],
            ),
            judged(&claims[2], Class::Contradicted, ToolMatch, &[("e9", "queue depth 29")]),
            // Nothing was cited, so no quote can be missing.
            judged(&claims[3], Class::Grounded, ToolMatch, &[]),
            judged(&claims[4], Class::Ungrounded, ToolMatch, &[("e1", "nowhere to be found")]),
        ];
        let items = [tool("e1", LOG)];
        let result = verify_claims(&claims, &judged_claims, &items);
        let found = objections(&judged_claims, &result.corrections);
        let objected_claims: Vec<&JudgedClaim> =
            found.iter().map(|objection| &objection.judged).collect();
        assert_eq!(objected_claims, [&judged_claims[0], &judged_claims[2]]);
        assert!(found[0].findings[0].contains("depth of the queue"));

        let answers = [judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let revised = apply_follow_up(&judged_claims, &[&claims[0].id, &claims[2].id], &answers);
        let result = verify_claims(&claims, &revised, &items);
        assert_eq!(result.claims[0].judged.class, Class::Grounded);
        assert_eq!(result.claims[0].judged.citations.len(), 1);
        assert_eq!(objections(&revised, &result.corrections).len(), 1);
    }

    #[test]
    fn there_are_no_objections_if_verification_only_observes() {
        let claims = claims(&["queue depth was 29"]);
        let judged_claims =
            [judged(&claims[0], Class::Grounded, ToolMatch, &[("e1", "no such line")])];
        let items = [tool("e1", LOG)];
        let policy = PolicyValues {
            verification: VerificationMode::Observe,
            ..preset(Preset::Reference).values().clone()
        };
        let evidence_set = EvidenceSet::new(&items);
        let result =
            verify(policy.verification, &policy, &claims, judged_claims.to_vec(), &evidence_set);
        assert_eq!(objections(&judged_claims, &result.corrections), []);
    }

    #[test]
    fn an_answer_never_makes_a_class_less_strict() {
        let claims = claims(&["queue depth was 31"]);
        let judged_claims =
            [judged(&claims[0], Class::Complementary, Inference, &[("e1", "queue depth 29")])];
        let requested = [&claims[0].id];
        for class in Class::ALL {
            let answer = [judged(&claims[0], class, ToolMatch, &[("e1", "workers busy 4 of 8")])];
            let revised = apply_follow_up(&judged_claims, &requested, &answer);
            assert_eq!(revised[0].class, class.max(Class::Complementary));
            if class == Class::Grounded {
                assert_eq!(revised, judged_claims);
            }
            assert!(apply_follow_up(&judged_claims, &[], &answer) == judged_claims);
        }
    }
}
