//! This module says what a judge is asked once more, and what its answer may change: a class may become stricter and
//! citations may be added. It asks nobody and decides nothing.

use alloc::vec::Vec;

use super::{Correction, Outcome};
use crate::claim::{ClaimId, Class, JudgedClaim};

/// A claim with the findings that its judge is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What the judge said of the claim.
    pub said: JudgedClaim,
    /// What verification found, at least one.
    pub findings: Vec<Correction>,
}

/// What to ask a judge about its partition: the findings that verification left open, by claim.
#[must_use]
pub fn objections(judged: &[JudgedClaim], corrections: &[Correction]) -> Vec<Objection> {
    let open = |said: &JudgedClaim| -> Vec<Correction> {
        let about = |found: &&Correction| {
            found.outcome == Outcome::Disputed && found.claim == said.claim.id
        };
        corrections.iter().filter(about).cloned().collect()
    };
    judged
        .iter()
        .map(|said| Objection { said: said.clone(), findings: open(said) })
        .filter(|objection| !objection.findings.is_empty())
        .collect()
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

/// What came of the findings that were asked about and are no longer open.
pub(crate) fn settled(
    asked: &[Correction],
    first: &[JudgedClaim],
    judged: &[JudgedClaim],
    now: &[Correction],
) -> Vec<Correction> {
    let is_open = |found: &&Correction| {
        now.iter().any(|other| (&other.claim, other.code) == (&found.claim, found.code))
    };
    let of = |judged: &[JudgedClaim], found: &Correction| {
        let said = judged.iter().find(|said| said.claim.id == found.claim);
        said.map(|said| (said.class, said.evidence_type))
    };
    asked
        .iter()
        .filter(|found| !is_open(found))
        .map(|found| match (of(first, found), of(judged, found)) {
            (Some(from), Some(to)) if from.0 != to.0 => {
                Correction { from, to, outcome: Outcome::Corrected, ..found.clone() }
            }
            _ => Correction { to: found.from, outcome: Outcome::Cleared, ..found.clone() },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{claims, judged, tool};
    use super::super::{EvidenceSet, ExtraTurn, verify_with};
    use super::*;
    use crate::claim::Claim;
    use crate::claim::EvidenceType::{Inference, ToolMatch};
    use crate::policy::{
        FindingMode, FindingModes, PolicyValues, Preset, VerificationMode, preset,
    };

    const LOG: &str = "queue depth 29\nworkers busy 4 of 8";

    fn asked(answer: &[JudgedClaim], given: &[Claim]) -> Vec<Objection> {
        let items = [tool("e1", LOG)];
        let verified = verify_with(
            VerificationMode::Enforce,
            &PolicyValues {
                findings: FindingModes::all(FindingMode::Ask),
                ..preset(Preset::Reference).values().clone()
            },
            ExtraTurn::Possible,
            given,
            answer.to_vec(),
            &EvidenceSet::new(&items),
        );
        objections(answer, &verified.corrections)
    }

    #[test]
    fn a_finding_is_asked_about_and_a_citation_clears_it() {
        let given = claims(&["queue depth was 31", "workers busy 4 of 8"]);
        let first = [
            judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")]),
            judged(&given[1], Class::Grounded, ToolMatch, &[("e1", "workers busy 4 of 8")]),
        ];
        let objections = asked(&first, &given);
        assert_eq!(objections.len(), 1);
        assert_eq!(objections[0].said, first[0]);

        let kept = after_turn(&first, &[&given[0].id], &first);
        assert_eq!(kept, first);
        assert_eq!(asked(&kept, &given), objections);
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

    #[test]
    fn what_came_of_a_finding_is_reported() {
        let given = claims(&["queue depth was 31"]);
        let first = [judged(&given[0], Class::Grounded, ToolMatch, &[("e1", "queue depth 29")])];
        let objections = asked(&first, &given);
        let findings = &objections[0].findings;
        let stricter = [JudgedClaim { class: Class::Contradicted, ..first[0].clone() }];
        let decided = settled(findings, &first, &stricter, &[]);
        assert_eq!(decided[0].outcome, Outcome::Corrected);
        assert_eq!(decided[0].to.0, Class::Contradicted);
        let cleared = settled(findings, &first, &first, &[]);
        assert_eq!((cleared[0].outcome, cleared[0].to), (Outcome::Cleared, findings[0].from));
        assert_eq!(settled(findings, &first, &first, findings), []);
        assert_eq!(cleared[0].sentence, findings[0].sentence);
    }
}
