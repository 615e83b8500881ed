//! This module holds what a model is asked to answer with: the two forms, their JSON schemas and their words. It reads no
//! answer.

use gsar_core::Class;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A class, type, role and citations for each claim.
    Judgement,
    /// Whether quotes in their context show a statement.
    SecondLook,
}

/// The labels that an answer may use; its schema lists them, so that a model cannot make up others.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The ids of the claims that are asked about.
    pub claims: &'a [&'a str],
    /// How many items of evidence there are, labelled E1, E2 and so on.
    pub evidence: usize,
}

/// The most values of a list in a schema: OpenAI takes 1,000 in all, with 15,000 bytes in lists of more than 250.
const MAX_LISTED: usize = 256;
/// The most bytes of a list in a schema.
const MAX_LISTED_BYTES: usize = 10_000;
/// The shortest list of ids.
const MIN_IDS: usize = 32;

impl Form {
    /// The JSON schema of an answer, fit for strict structured output: every field is required, no other is allowed, and
    /// each text has a length, without which small models repeat themselves without end.
    ///
    /// Ids of the form `c1`, `c2` are listed up to the next power of two, at least 32, so that two questions about the
    /// same evidence have the same schema, and providers reuse what they computed for it. A list that would be too long
    /// for a provider is left out.
    #[must_use]
    pub fn schema(self, labels: Labels<'_>) -> String {
        let evidence: Vec<String> =
            (1..=labels.evidence).map(|number| format!("E{number}")).collect();
        let schema = with_list(self.template(), "ids", &listed_ids(labels.claims));
        with_list(&schema, "labels", &evidence)
    }

    /// The schema without lists of ids and labels, as it is written out in a prompt.
    #[must_use]
    pub fn schema_for_prompt(self) -> String {
        with_list(&with_list(self.template(), "ids", &[]), "labels", &[])
    }

    const fn template(self) -> &'static str {
        match self {
            Self::Judgement => include_str!("judgement.json"),
            Self::SecondLook => include_str!("second_look.json"),
        }
    }

    /// The class that a word of this form stands for.
    pub(crate) fn class(self, word: &str) -> Option<Class> {
        match (self, word) {
            (Self::Judgement, word) => Class::from_name(word),
            (Self::SecondLook, "shown") => Some(Class::Grounded),
            (Self::SecondLook, "not_shown") => Some(Class::Ungrounded),
            (Self::SecondLook, "refuted") => Some(Class::Contradicted),
            (Self::SecondLook, _) => None,
        }
    }

    /// The field that holds it.
    pub(crate) const fn class_field(self) -> &'static str {
        match self {
            Self::Judgement => "class",
            Self::SecondLook => "verdict",
        }
    }

    /// The words that it may hold.
    pub(crate) const fn classes(self) -> &'static str {
        match self {
            Self::Judgement => "grounded, ungrounded, contradicted or complementary",
            Self::SecondLook => "shown, not_shown or refuted",
        }
    }

    /// The fields of an entry.
    pub(crate) const fn fields(self) -> &'static str {
        match self {
            Self::Judgement => "\"id\", \"class\", \"type\", \"role\", \"citations\" and \"note\"",
            Self::SecondLook => "\"id\", \"verdict\" and \"words\"",
        }
    }
}

/// The ids, with more of the same form up to the next power of two where all are `c1`, `c2` and so on.
fn listed_ids(ids: &[&str]) -> Vec<String> {
    let number = |id: &&str| -> Option<usize> {
        let digits = id.strip_prefix('c').filter(|digits| !digits.starts_with(['0', '+']))?;
        digits.parse().ok().filter(|number| *number <= MAX_LISTED)
    };
    let numbers: Option<Vec<usize>> = ids.iter().map(number).collect();
    match numbers {
        Some(numbers) => {
            let last = numbers.into_iter().max().unwrap_or(0).max(MIN_IDS).next_power_of_two();
            (1..=last).map(|number| format!("c{number}")).collect()
        }
        None => ids.iter().map(|id| (*id).to_owned()).collect(),
    }
}

/// The schema with a list in place of its mark, or without a list where none fits.
fn with_list(schema: &str, name: &str, list: &[String]) -> String {
    let mark = format!(", \"enum\": [\"{{{{{name}}}}}\"]");
    let bytes: usize = list.iter().map(String::len).sum();
    if list.is_empty() || list.len() > MAX_LISTED || bytes > MAX_LISTED_BYTES {
        return schema.replace(&mark, "");
    }
    schema.replace(&mark, &format!(", \"enum\": {}", serde_json::Value::from(list)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(form: Form, claims: &[&str], evidence: usize) -> serde_json::Value {
        serde_json::from_str(&form.schema(Labels { claims, evidence })).unwrap()
    }

    #[test]
    fn ids_and_labels_are_listed() {
        let schema = parsed(Form::Judgement, &["root", "c2"], 3);
        let claim = &schema["properties"]["claims"]["items"]["properties"];
        assert_eq!(claim["id"]["enum"], serde_json::json!(["root", "c2"]));
        let citation = &claim["citations"]["items"]["properties"];
        assert_eq!(citation["evidence"]["enum"], serde_json::json!(["E1", "E2", "E3"]));
        let look = parsed(Form::SecondLook, &["root"], 3);
        let statement = &look["properties"]["statements"]["items"]["properties"];
        assert_eq!(statement["id"]["enum"], serde_json::json!(["root"]));
    }

    #[test]
    fn reports_over_the_same_evidence_have_the_same_schema() {
        let schema = |claims: &[&str]| Form::Judgement.schema(Labels { claims, evidence: 4 });
        assert_eq!(schema(&["c1", "c2"]), schema(&["c31", "c4", "c5"]));
        assert_ne!(schema(&["c1"]), schema(&["c33"]));
    }

    #[test]
    fn lists_that_no_provider_takes_are_left_out() {
        let long = "x".repeat(200);
        let ids: Vec<String> = (0..100).map(|number| format!("{long}{number}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let schema = parsed(Form::Judgement, &ids, 2_000);
        let claim = &schema["properties"]["claims"]["items"]["properties"];
        assert_eq!(claim["id"].get("enum"), None);
        assert_eq!(claim["citations"]["items"]["properties"]["evidence"].get("enum"), None);
        for form in [Form::Judgement, Form::SecondLook] {
            assert!(!form.schema_for_prompt().contains("{{"));
        }
    }

    #[test]
    fn every_text_of_an_answer_has_a_length() {
        fn texts(schema: &serde_json::Value, found: &mut Vec<serde_json::Value>) {
            if schema["type"] == "string" || schema["type"] == serde_json::json!(["string", "null"])
            {
                found.push(schema.clone());
            }
            let children = schema.as_object().into_iter().flat_map(|object| object.values());
            children
                .chain(schema.as_array().into_iter().flatten())
                .for_each(|child| texts(child, found));
        }
        for form in [Form::Judgement, Form::SecondLook] {
            let mut found = Vec::new();
            texts(&parsed(form, &["c1"], 1), &mut found);
            assert!(found.len() >= 3);
            for text in found {
                assert!(text.get("enum").is_some() || text.get("maxLength").is_some(), "{text}");
            }
        }
    }
}
