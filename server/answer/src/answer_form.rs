//! The two forms of an answer, with their JSON schemas and class names.

use gsar_core::Class;

/// The requested form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A class, type, role and citations for each claim.
    Judgement,
    /// For each statement, a verdict on whether its quotes show it.
    SecondLook,
}

/// The labels that an answer can use. The schema lists them to keep models from inventing others.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The ids of the requested claims.
    pub claims: &'a [&'a str],
    /// The number of evidence items; these are labelled E1, E2 and so on.
    pub evidence: usize,
}

/// The maximum length of a list in a schema. OpenAI allows 1,000 values in total, and 15,000 bytes in a list
/// of more than 250 values.
const MAX_LISTED: usize = 256;
const MAX_LISTED_BYTES: usize = 10_000;
/// The minimum length of a list of ids of the form `c1`, `c2`.
const MIN_IDS: usize = 32;

impl Form {
    /// Returns the JSON schema for strict structured output: all fields are required, other fields are
    /// forbidden, and each string has a maximum length because small models can repeat themselves endlessly.
    ///
    /// Ids of the form `c1`, `c2` are listed up to the next power of two, and at least up to `c32`. Different
    /// reports thus share a schema, and providers can cache its compiled form. Lists that are too long for
    /// providers are omitted.
    #[must_use]
    pub fn schema(self, labels: Labels<'_>) -> String {
        let evidence: Vec<String> =
            (1..=labels.evidence).map(|number| format!("E{number}")).collect();
        let schema = with_list(self.template(), "ids", &listed_ids(labels.claims));
        with_list(&schema, "labels", &evidence)
    }

    /// Returns the schema without lists of ids and labels, for use in a prompt.
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

    pub(crate) fn class(self, name: &str) -> Option<Class> {
        match (self, name) {
            (Self::Judgement, name) => Class::from_name(name),
            (Self::SecondLook, "shown") => Some(Class::Grounded),
            (Self::SecondLook, "not_shown") => Some(Class::Ungrounded),
            (Self::SecondLook, "refuted") => Some(Class::Contradicted),
            (Self::SecondLook, _) => None,
        }
    }

    pub(crate) const fn class_field(self) -> &'static str {
        match self {
            Self::Judgement => "class",
            Self::SecondLook => "verdict",
        }
    }

    pub(crate) const fn classes(self) -> &'static str {
        match self {
            Self::Judgement => "grounded, ungrounded, contradicted or complementary",
            Self::SecondLook => "shown, not_shown or refuted",
        }
    }

    pub(crate) const fn fields(self) -> &'static str {
        match self {
            Self::Judgement => "\"id\", \"class\", \"type\", \"role\", \"citations\" and \"note\"",
            Self::SecondLook => "\"id\", \"verdict\" and \"words\"",
        }
    }
}

/// If all ids have the form `c1`, `c2`, returns such ids up to a power of two. Otherwise, returns the given
/// ids.
fn listed_ids(ids: &[&str]) -> Vec<String> {
    let parse_number = |id: &&str| -> Option<usize> {
        let digits = id.strip_prefix('c').filter(|digits| !digits.starts_with(['0', '+']))?;
        digits.parse().ok().filter(|number| *number <= MAX_LISTED)
    };
    let numbers: Option<Vec<usize>> = ids.iter().map(parse_number).collect();
    match numbers {
        Some(numbers) => {
            let highest = numbers.into_iter().max().unwrap_or(0).max(MIN_IDS).next_power_of_two();
            (1..=highest).map(|number| format!("c{number}")).collect()
        }
        None => ids.iter().map(|id| (*id).to_owned()).collect(),
    }
}

fn with_list(schema: &str, name: &str, list: &[String]) -> String {
    let placeholder = format!(", \"enum\": [\"{{{{{name}}}}}\"]");
    let bytes: usize = list.iter().map(String::len).sum();
    if list.is_empty() || list.len() > MAX_LISTED || bytes > MAX_LISTED_BYTES {
        return schema.replace(&placeholder, "");
    }
    schema.replace(&placeholder, &format!(", \"enum\": {}", serde_json::Value::from(list)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(form: Form, claims: &[&str], evidence: usize) -> serde_json::Value {
        serde_json::from_str(&form.schema(Labels { claims, evidence })).unwrap()
    }

    #[test]
    fn lists_ids_and_labels() {
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
    fn different_reports_share_a_schema() {
        let schema = |claims: &[&str]| Form::Judgement.schema(Labels { claims, evidence: 4 });
        assert_eq!(schema(&["c1", "c2"]), schema(&["c31", "c4", "c5"]));
        assert_ne!(schema(&["c1"]), schema(&["c33"]));
    }

    #[test]
    fn leaves_out_lists_too_long_for_providers() {
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
    fn strings_have_a_maximum_length() {
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
