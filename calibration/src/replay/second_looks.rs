//! Stored second looks at statements and their quotes.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use gsar_chat_wire::{Prompt, Question};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::data_set::lines;

#[derive(Clone, Debug, Default)]
pub(crate) struct StoredLooks(HashMap<Key, LookLine>);

type Key = (String, Vec<String>);

#[derive(Clone, Debug, Deserialize)]
struct LookLine {
    statement: String,
    quotes: Vec<String>,
    verdict: String,
    words: String,
}

impl StoredLooks {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let looks = lines::<LookLine>(path)?.into_iter();
        let stored = looks.map(|look| ((look.statement.clone(), look.quotes.clone()), look));
        Ok(Self(stored.collect()))
    }

    /// Answers the prompt for a second look. A statement without a stored second look, such as a canary, gets the
    /// verdict `not_shown`.
    pub(crate) fn answer(&self, prompt: Prompt<'_>) -> Value {
        let statements: Vec<Value> =
            prompt.questions.into_iter().map(|statement| self.verdict(statement)).collect();
        json!({ "statements": statements })
    }

    fn verdict(&self, statement: Question) -> Value {
        let Question { id, text, quotes } = statement;
        match self.0.get(&(text, quotes)) {
            Some(LookLine { verdict, words, .. }) => {
                json!({ "id": id, "verdict": verdict, "words": words })
            }
            None => json!({
                "id": id, "verdict": "not_shown", "words": "No second look is stored for this statement.",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_a_stored_look_is_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("looks.jsonl");
        let line = r#"{"statement": "It is up.", "quotes": ["up"], "verdict": "shown", "words": "E1: up"}"#;
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let looks = StoredLooks::read(&path).unwrap();
        let statement = |id: &str, quote: &str| {
            json!({"id": id, "statement": "It is up.", "under": "", "before": "",
                "quotes": [{"evidence": "E1", "quote": quote}]})
        };
        let prompt = format!(
            "The statements to read, one JSON object a line:\n{}\n{}\n",
            statement("c1", "up"),
            statement("c2", "down")
        );
        let answer = looks.answer(Prompt::parse(&prompt).unwrap());
        let verdicts = [&answer["statements"][0]["verdict"], &answer["statements"][1]["verdict"]];
        assert_eq!(verdicts, ["shown", "not_shown"]);
        std::fs::write(&path, "{}\n").unwrap();
        assert!(StoredLooks::read(&path).is_err());
    }
}
