//! This module writes the one repair turn: what was wrong with the answer, and what to give instead.

use std::fmt::Write as _;

use crate::reading::Reading;
use crate::unreadable::Unreadable;

/// What to ask for after an answer; nothing where every claim was judged or the model abstains.
///
/// After an unreadable answer the whole of it is asked for again; else only the claims that nothing was taken for, which
/// are then the expected ones of [`crate::read`]. Words of the answer stand in it quoted and cut.
#[must_use]
pub fn repair_prompt(outcome: &Result<Reading, Unreadable>) -> Option<String> {
    match outcome {
        Err(unreadable) => Some(format!(
            "Your last answer cannot be used: {unreadable}.\n\
             Answer again in full: one JSON object of the given shape, with every claim once, and nothing before or after it."
        )),
        Ok(reading) if reading.abstained.is_some() => None,
        Ok(reading) => of_losses(reading),
    }
}

fn of_losses(reading: &Reading) -> Option<String> {
    let wanted: Vec<String> = reading.unsettled().map(|id| quoted(id.as_str())).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut prompt = String::from("Parts of your last answer cannot be used:\n");
    for lost in &reading.lost {
        let _ = match (&lost.claim, lost.entry) {
            (Some(claim), _) => {
                writeln!(prompt, "- claim {}: {}.", quoted(claim.as_str()), lost.reason)
            }
            (None, Some(entry)) => {
                writeln!(prompt, "- entry {entry} of \"claims\": {}.", lost.reason)
            }
            (None, None) => Ok(()),
        };
    }
    for claim in &reading.missing {
        let _ = writeln!(prompt, "- claim {}: it is missing.", quoted(claim.as_str()));
    }
    for id in &reading.invented {
        let _ = writeln!(prompt, "- {} is not the id of a given claim.", quoted(id));
    }
    let _ = write!(
        prompt,
        "Answer again for these claims only: {}. Give one JSON object of the given shape, with each of them once, and \
         nothing before or after it.",
        wanted.join(", ")
    );
    Some(prompt)
}

fn quoted(id: &str) -> String {
    format!("{id:?}")
}

#[cfg(test)]
mod tests {
    use gsar_core::{Claim, ClaimId};

    use super::*;
    use crate::{Bounds, Form, read};

    fn prompt(answer: &str) -> Option<String> {
        let ids = ["c1", "c2"].into_iter().filter_map(|id| ClaimId::new(id).ok());
        let claims: Vec<Claim> =
            ids.map(|id| Claim { id, text: String::new(), span: None }).collect();
        repair_prompt(&read(answer, Form::Judgement, &claims, &Bounds::default()))
    }

    #[test]
    fn a_whole_answer_is_asked_for_again_with_its_mistake() {
        assert_eq!(
            prompt(r#"{"claims": [{"id": "c1", "class": "grou"#).unwrap(),
            "Your last answer cannot be used: the answer ends before it is complete, after 39 bytes: write shorter notes \
             and finish the JSON.\n\
             Answer again in full: one JSON object of the given shape, with every claim once, and nothing before or after it."
        );
        assert_eq!(
            prompt(r#"{"claims": [], "score": about 0.9}"#).unwrap(),
            "Your last answer cannot be used: the JSON of the answer cannot be read after \"{\\\"claims\\\": [], \\\"score\\\": \" \
             (byte 24), where a value in quotes was expected.\n\
             Answer again in full: one JSON object of the given shape, with every claim once, and nothing before or after it."
        );
    }

    #[test]
    fn only_claims_without_a_verdict_are_asked_for_again() {
        let grounded = r#"{"id": "c2", "class": "grounded", "type": "domain"}"#;
        assert_eq!(
            prompt(&format!(r#"{{"claims": [{{"id": "c1", "class": "maybe"}}, {grounded}, {{"id": "c3", "class": "grounded"}}]}}"#)).unwrap(),
            "Parts of your last answer cannot be used:\n\
             - claim \"c1\": its \"class\" is \"maybe\"; it must be grounded, ungrounded, contradicted or complementary.\n\
             - \"c3\" is not the id of a given claim.\n\
             Answer again for these claims only: \"c1\". Give one JSON object of the given shape, with each of them once, and \
             nothing before or after it."
        );
        assert!(
            prompt(&format!(r#"{{"claims": [{grounded}]}}"#))
                .unwrap()
                .contains("- claim \"c1\": it is missing.\n")
        );
    }

    #[test]
    fn nothing_is_asked_for_where_nothing_is_open() {
        let claim = |id| format!(r#"{{"id": "{id}", "class": "ungrounded", "type": "inference"}}"#);
        assert_eq!(
            prompt(&format!(
                r#"{{"claims": [{}, {}, {}]}}"#,
                claim("c1"),
                claim("c2"),
                claim("c9")
            )),
            None
        );
        assert_eq!(prompt(r#"{"claims": [], "abstain": {"reason": "no logs"}}"#), None);
    }
}
