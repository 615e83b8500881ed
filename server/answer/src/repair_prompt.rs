//! Writes the repair prompt, which lists the mistakes in an answer and the claims to judge again.

use std::fmt::Write as _;

use crate::error::ParseError;
use crate::parsed::ParsedAnswer;

/// Returns the repair prompt, or `None` if every claim was judged or the model abstained.
///
/// After a [`ParseError`], the prompt requests the whole answer again. Otherwise, it requests only the claims
/// without a verdict; pass those claims as `expected` to the next [`crate::parse`].
#[must_use]
pub fn repair_prompt(outcome: &Result<ParsedAnswer, ParseError>) -> Option<String> {
    match outcome {
        Err(unreadable) => Some(format!(
            "Your last answer cannot be used: {unreadable}.\n\
             Answer again in full: one JSON object of the given shape, with every claim once, and nothing before or after it."
        )),
        Ok(answer) if answer.abstained.is_some() => None,
        Ok(answer) => prompt_for_losses(answer),
    }
}

fn prompt_for_losses(answer: &ParsedAnswer) -> Option<String> {
    let requested: Vec<String> = answer.unjudged().map(|id| quoted(id.as_str())).collect();
    if requested.is_empty() {
        return None;
    }
    let mut prompt = String::from("Parts of your last answer cannot be used:\n");
    for entry in &answer.lost {
        let _ = match (&entry.claim, entry.entry) {
            (Some(claim), _) => {
                writeln!(prompt, "- claim {}: {}.", quoted(claim.as_str()), entry.reason)
            }
            (None, Some(number)) => {
                writeln!(prompt, "- entry {number} of \"claims\": {}.", entry.reason)
            }
            (None, None) => Ok(()),
        };
    }
    for claim in &answer.missing {
        let _ = writeln!(prompt, "- claim {}: it is missing.", quoted(claim.as_str()));
    }
    for id in &answer.invented {
        let _ = writeln!(prompt, "- {} is not the id of a given claim.", quoted(id));
    }
    let _ = write!(
        prompt,
        "Answer again for these claims only: {}. Give one JSON object of the given shape, with each of them once, and \
         nothing before or after it.",
        requested.join(", ")
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
    use crate::{Bounds, Form, parse};

    fn prompt(answer: &str) -> Option<String> {
        let ids = ["c1", "c2"].into_iter().filter_map(|id| ClaimId::new(id).ok());
        let claims: Vec<Claim> = ids.map(|id| Claim::new(id, "")).collect();
        repair_prompt(&parse(answer, Form::Judgement, &claims, &Bounds::default()))
    }

    #[test]
    fn requests_unreadable_answers_again() {
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
    fn requests_only_claims_without_a_verdict() {
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
    fn requests_nothing_if_all_claims_are_judged_or_the_model_abstained() {
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
