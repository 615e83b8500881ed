//! This module says what a judge is asked once more, and what its answer may change: a class may become stricter and
//! citations may be added. It calls no judge and decides nothing.

use super::{Correction, CorrectionCode, Outcome};
use crate::claim::{ClaimId, Class, JudgedClaim};

/// A claim whose judge is asked once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What the judge said of the claim.
    pub said: JudgedClaim,
    /// The findings of verification, one sentence each; at least one.
    pub findings: Vec<String>,
}

/// What to ask a judge about its partition, once: the claims that it supported or contradicted and that lost every
/// citation because no quote was found, or no item.
#[must_use]
pub fn objections(judged: &[JudgedClaim], corrections: &[Correction]) -> Vec<Objection> {
    let of = |said: &JudgedClaim| {
        let of_claim = corrections
            .iter()
            .filter(|found| found.claim == said.claim.id && found.outcome == Outcome::Corrected);
        let lost_all = of_claim.clone().any(|found| found.code == CorrectionCode::NoValidCitation);
        let sentences = of_claim
            .filter(|found| {
                let code = found.code;
                matches!(code, CorrectionCode::QuoteNotFound | CorrectionCode::UnknownEvidence)
            })
            .map(|found| found.sentence.clone());
        let findings: Vec<String> = sentences.filter(|_| lost_all).collect();
        (!findings.is_empty()).then(|| Objection { said: said.clone(), findings })
    };
    judged.iter().filter_map(of).collect()
}

/// The partition after the turn. An answer about a claim that was not asked about, or one that would make a class
/// less strict, changes nothing.
#[must_use]
pub fn after_turn(
    first: &[JudgedClaim],
    asked: &[&ClaimId],
    answers: &[JudgedClaim],
) -> Vec<JudgedClaim> {
    let answer_to = |said: &JudgedClaim| {
        let is_asked = asked.contains(&&said.claim.id);
        answers.iter().find(|answer| is_asked && answer.claim.id == said.claim.id)
    };
    first
        .iter()
        .map(|said| match answer_to(said) {
            Some(answer) => revised(said, answer),
            None => said.clone(),
        })
        .collect()
}

fn revised(said: &JudgedClaim, answer: &JudgedClaim) -> JudgedClaim {
    let mut revised = said.clone();
    if answer.class < said.class {
        return revised;
    }
    if answer.class > said.class {
        // A supported claim never gets a heavier type; one that counts against the report keeps the heavier one.
        revised.evidence_type = match answer.class {
            Class::Grounded | Class::Complementary => said.evidence_type.max(answer.evidence_type),
            Class::Ungrounded | Class::Contradicted => said.evidence_type.min(answer.evidence_type),
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
    fn what_cites_nothing_that_stands_is_asked_about_and_a_citation_settles_it() {
        let given = claims(&["queue depth was 29", "workers busy 4 of 8", "a", "b", "c"]);
        let first = [
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "depth of the queue: 29")]),
            // One quote stands, so nothing is lost.
            judged(
                &given[1],
                Class::Grounded,
                ToolMatch,
                &[("e1", "workers busy 4 of 8"), ("e1", "8 of 8 are busy")],
            ),
            judged(&given[2], Class::Contradicted, ToolMatch, &[("e9", "queue depth 29")]),
            // Nothing was cited, and nothing is claimed for it.
            judged(&given[3], Class::Grounded, ToolMatch, &[]),
            judged(&given[4], Class::Ungrounded, ToolMatch, &[("e1", "nowhere to be found")]),
        ];
        let items = [tool("e1", LOG)];
        let found = verified(&given, &first, &items);
        let asked = objections(&first, &found.corrections);
        let said: Vec<&JudgedClaim> = asked.iter().map(|objection| &objection.said).collect();
        assert_eq!(said, [&first[0], &first[2]]);
        assert!(asked[0].findings[0].contains("depth of the queue"), "{asked:?}");

        let answers = [judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let after = after_turn(&first, &[&given[0].id, &given[2].id], &answers);
        let found = verified(&given, &after, &items);
        assert_eq!(found.claims[0].judged.class, Class::Grounded);
        assert_eq!(found.claims[0].judged.citations.len(), 1);
        let asked = objections(&after, &found.corrections);
        assert_eq!(asked.len(), 1, "{asked:?}");
    }

    #[test]
    fn a_policy_that_only_observes_asks_nothing() {
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
        let asked = [&given[0].id];
        for class in Class::ALL {
            let answer = [judged(&given[0], class, ToolMatch, &[("e1", "workers busy 4 of 8")])];
            let after = after_turn(&first, &asked, &answer);
            assert_eq!(after[0].class, class.max(Class::Complementary));
            if class == Class::Grounded {
                assert_eq!(after, first);
            }
            assert!(after_turn(&first, &[], &answer) == first);
        }
    }
}
