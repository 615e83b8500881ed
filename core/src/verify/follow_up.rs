//! Selects claims for a follow-up request to the judge, and applies the answer.

use super::{Correction, CorrectionCode, CorrectionOutcome};
use crate::claim::{Class, JudgedClaim};
use crate::ids::ClaimId;

/// A claim for the follow-up request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// The verdict on the claim.
    pub judged: JudgedClaim,
    /// The problems found by verification.
    pub findings: Vec<String>,
}

/// Returns the claims whose citations were all removed because quotes or items were not found.
#[must_use]
pub fn objections(judged: &[JudgedClaim], corrections: &[Correction]) -> Vec<Objection> {
    let objection = |judged: &JudgedClaim| {
        let corrections_of_claim = corrections.iter().filter(|correction| {
            correction.claim == judged.claim.id
                && correction.outcome == CorrectionOutcome::Corrected
        });
        let lost_all = corrections_of_claim
            .clone()
            .any(|correction| correction.code == CorrectionCode::NoValidCitation);
        let sentences = corrections_of_claim
            .filter(|correction| {
                let code = correction.code;
                matches!(code, CorrectionCode::QuoteNotFound | CorrectionCode::UnknownEvidence)
            })
            .map(|correction| correction.sentence.clone());
        let findings: Vec<String> = sentences.filter(|_| lost_all).collect();
        (!findings.is_empty()).then(|| Objection { judged: judged.clone(), findings })
    };
    judged.iter().filter_map(objection).collect()
}

/// Applies the answers to a follow-up request. Never makes a class less strict.
#[must_use]
pub fn apply_follow_up(
    first: &[JudgedClaim],
    requested: &[&ClaimId],
    answers: &[JudgedClaim],
) -> Vec<JudgedClaim> {
    let answer_to = |judged: &JudgedClaim| {
        let is_requested = requested.contains(&&judged.claim.id);
        answers.iter().find(|answer| is_requested && answer.claim.id == judged.claim.id)
    };
    first
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
        // A supported claim never gets a heavier type, and an unsupported one never a lighter type.
        let (before, after) = (judged.evidence_type, answer.evidence_type);
        revised.evidence_type = match answer.class {
            Class::Grounded | Class::Complementary => before.max(after),
            Class::Ungrounded | Class::Contradicted => before.min(after),
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
    use super::super::testing::{claims, judged, tool, verified};
    use super::super::{EvidenceSet, verify};
    use super::*;
    use crate::claim::EvidenceType::{Inference, ToolMatch};
    use crate::policy::{PolicyValues, Preset, VerificationMode, preset};

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    #[test]
    fn claims_without_a_found_citation_get_an_extra_turn() {
        let given = claims(&["queue depth was 29", "workers busy 4 of 8", "a", "b", "c"]);
        let first = [
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "depth of the queue: 29")]),
            // One quote is found, so the claim is still cited.
            judged(
                &given[1],
                Class::Grounded,
                ToolMatch,
                &[("e1", "workers busy 4 of 8"), ("e1", "8 of 8 are busy")],
            ),
            judged(&given[2], Class::Contradicted, ToolMatch, &[("e9", "queue depth 29")]),
            // Nothing was cited, so no quote was missing.
            judged(&given[3], Class::Grounded, ToolMatch, &[]),
            judged(&given[4], Class::Ungrounded, ToolMatch, &[("e1", "nowhere to be found")]),
        ];
        let items = [tool("e1", LOG)];
        let found = verified(&given, &first, &items);
        let objections_found = objections(&first, &found.corrections);
        let claims: Vec<&JudgedClaim> =
            objections_found.iter().map(|objection| &objection.judged).collect();
        assert_eq!(claims, [&first[0], &first[2]]);
        assert!(objections_found[0].findings[0].contains("depth of the queue"));

        let answers = [judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let after = apply_follow_up(&first, &[&given[0].id, &given[2].id], &answers);
        let found = verified(&given, &after, &items);
        assert_eq!(found.claims[0].judged.class, Class::Grounded);
        assert_eq!(found.claims[0].judged.citations.len(), 1);
        assert_eq!(objections(&after, &found.corrections).len(), 1);
    }

    #[test]
    fn an_observing_policy_has_no_objections() {
        let given = claims(&["queue depth was 29"]);
        let first = [judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "no such line")])];
        let items = [tool("e1", LOG)];
        let policy = PolicyValues {
            verification: VerificationMode::Observe,
            ..preset(Preset::Reference).values().clone()
        };
        let evidence_set = EvidenceSet::new(&items);
        let found = verify(policy.verification, &policy, &given, first.to_vec(), &evidence_set);
        assert_eq!(objections(&first, &found.corrections), []);
    }

    #[test]
    fn an_answer_never_makes_a_class_less_strict() {
        let given = claims(&["queue depth was 31"]);
        let first =
            [judged(&given[0], Class::Complementary, Inference, &[("e1", "queue depth 29")])];
        let requested = [&given[0].id];
        for class in Class::ALL {
            let answer = [judged(&given[0], class, ToolMatch, &[("e1", "workers busy 4 of 8")])];
            let after = apply_follow_up(&first, &requested, &answer);
            assert_eq!(after[0].class, class.max(Class::Complementary));
            if class == Class::Grounded {
                assert_eq!(after, first);
            }
            assert!(apply_follow_up(&first, &[], &answer) == first);
        }
    }
}
