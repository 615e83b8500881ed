//! This module holds stored second looks: what a careful reader said of statements with these quotes. It reads a file and
//! calls no judge.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::data_set::lines;

/// The line of a prompt above the statements of a second look.
const STATEMENTS: &str = "The statements to read, one JSON object a line:\n";

/// Second looks by statement and quotes.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredLooks(HashMap<Key, Verdict>);

/// A statement and its quotes, in their order.
type Key = (String, Vec<String>);

#[derive(Clone, Debug)]
struct Verdict {
    verdict: String,
    words: String,
}

/// A line of a file of second looks.
#[derive(Deserialize)]
struct LookLine {
    statement: String,
    quotes: Vec<String>,
    verdict: String,
    words: String,
}

/// A statement as it is asked about.
#[derive(Deserialize)]
struct Asked {
    id: String,
    statement: String,
    quotes: Vec<AskedQuote>,
}

#[derive(Deserialize)]
struct AskedQuote {
    quote: String,
}

impl StoredLooks {
    /// Reads a file with one second look a line.
    ///
    /// # Errors
    /// The file cannot be read, or a line is not a second look.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let looks = lines::<LookLine>(path)?.into_iter();
        let stored = looks.map(|look| {
            let verdict = Verdict { verdict: look.verdict, words: look.words };
            ((look.statement, look.quotes), verdict)
        });
        Ok(Self(stored.collect()))
    }

    /// The answer to the prompt of a second look; `None` for any other prompt. A statement of which nothing is stored, such
    /// as a canary, is not shown.
    pub(crate) fn answer(&self, prompt: &str) -> Option<Value> {
        let (_, asked) = prompt.split_once(STATEMENTS)?;
        let asked = asked.lines().map_while(|line| serde_json::from_str::<Asked>(line).ok());
        let statements: Vec<Value> = asked.map(|asked| self.verdict(asked)).collect();
        Some(json!({ "statements": statements }))
    }

    fn verdict(&self, asked: Asked) -> Value {
        let Asked { id, statement, quotes } = asked;
        let quotes = quotes.into_iter().map(|of| of.quote).collect();
        match self.0.get(&(statement, quotes)) {
            Some(Verdict { verdict, words }) => {
                json!({ "id": id, "verdict": verdict, "words": words })
            }
            None => json!({
                "id": id, "verdict": "not_shown", "words": "No second look is stored of this statement.",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_answered_and_nothing_else_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("looks.jsonl");
        let line = r#"{"statement": "It is up.", "quotes": ["up"], "verdict": "shown", "words": "E1: up"}"#;
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let looks = StoredLooks::read(&path).unwrap();
        let asked = |id: &str, quote: &str| {
            json!({"id": id, "statement": "It is up.", "under": "", "before": "",
                "quotes": [{"evidence": "E1", "quote": quote}]})
        };
        let prompt =
            format!("evidence\n{STATEMENTS}{}\n{}\n", asked("c1", "up"), asked("c2", "down"));
        let answer = looks.answer(&prompt).unwrap();
        let verdicts = [&answer["statements"][0]["verdict"], &answer["statements"][1]["verdict"]];
        assert_eq!(verdicts, ["shown", "not_shown"]);
        assert_eq!(looks.answer("The claims to judge"), None);
        std::fs::write(&path, "{}\n").unwrap();
        assert!(StoredLooks::read(&path).is_err());
    }
}
