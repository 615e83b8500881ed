//! The prompts that `gsar-server` sends to chat models, and the answers that it expects.

use serde_json::{Value, json};

use crate::ReceivedRequest;

const CLAIMS: &str = "The claims to judge, one JSON object a line:\n";
const STATEMENTS: &str = "The statements to read, one JSON object a line:\n";

/// The purpose of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Verdicts on claims.
    Judge,
    /// Verdicts on statements with quotes.
    SecondLook,
}

/// A parsed prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt<'a> {
    /// The whole message.
    pub text: &'a str,
    /// The purpose.
    pub purpose: Purpose,
    /// The claims or statements, in order.
    pub questions: Vec<Question>,
}

/// A claim or a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The id for the answer.
    pub id: String,
    /// The claim or statement.
    pub text: String,
    /// The quotes of a statement. Empty for a claim.
    pub quotes: Vec<String>,
}

/// A verdict on a claim or a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The class, such as `grounded`.
    pub class: &'static str,
    /// The evidence type, such as `tool_match`.
    pub evidence_type: &'static str,
    /// The explanation.
    pub note: &'static str,
    /// The citations. See [`citation`].
    pub citations: Vec<Value>,
}

/// Builds a citation of the item with this label.
#[must_use]
pub fn citation(label: &str, field_path: Option<&str>, quote: &str) -> Value {
    json!({ "evidence": label, "field_path": field_path, "quote": quote })
}

impl<'a> Prompt<'a> {
    /// Parses a message. Returns `None` if it has neither claims nor statements.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let (purpose, key, lines) = match text.rsplit_once(CLAIMS) {
            Some((_, lines)) => (Purpose::Judge, "text", lines),
            None => (Purpose::SecondLook, "statement", text.rsplit_once(STATEMENTS)?.1),
        };
        let questions = lines.lines().map_while(|line| {
            let question: Value = serde_json::from_str(line).ok()?;
            let quotes = question.get("quotes").and_then(Value::as_array).into_iter().flatten();
            Some(Question {
                id: question.get("id")?.as_str()?.to_owned(),
                text: question.get(key)?.as_str()?.to_owned(),
                quotes: quotes
                    .filter_map(|quote| Some(quote.get("quote")?.as_str()?.to_owned()))
                    .collect(),
            })
        });
        Some(Self { text, purpose, questions: questions.collect() })
    }

    /// Builds an answer from verdicts. In a second look, `grounded` becomes `shown`, `contradicted` becomes
    /// `refuted`, and other classes become `not_shown`.
    #[must_use]
    pub fn answer(&self, verdict: impl Fn(&Question) -> Verdict) -> String {
        let answers = self.questions.iter().map(|question| {
            let Verdict { class, evidence_type, note, citations } = verdict(question);
            let (id, second_look_verdict) = (&question.id, match class {
                "grounded" => "shown",
                "contradicted" => "refuted",
                _ => "not_shown",
            });
            match self.purpose {
                Purpose::Judge => json!({
                    "id": id, "class": class, "type": evidence_type, "note": note, "citations": citations,
                }),
                Purpose::SecondLook => json!({ "id": id, "verdict": second_look_verdict, "words": note }),
            }
        });
        let answers: Vec<Value> = answers.collect();
        let answer = match self.purpose {
            Purpose::Judge => json!({
                "claims": answers, "score": null, "explanation": "See the notes.", "gaps": [],
                "contradictions": [], "abstain": null,
            }),
            Purpose::SecondLook => json!({ "statements": answers }),
        };
        answer.to_string()
    }
}

impl ReceivedRequest {
    /// Returns the last prompt among the messages.
    #[must_use]
    pub fn prompt(&self) -> Option<Prompt<'_>> {
        let messages = self.body.get("messages")?.as_array()?;
        messages.iter().rev().find_map(|message| Prompt::parse(message.get("content")?.as_str()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(prompt: &str) -> Value {
        let prompt = Prompt::parse(prompt).unwrap();
        let answer = prompt.answer(|question| Verdict {
            class: match question.text.as_str() {
                "It is up." => "grounded",
                "It is down." => "contradicted",
                _ => "ungrounded",
            },
            evidence_type: "tool_match",
            note: "as the log states",
            citations: vec![citation("E1", None, "up")],
        });
        serde_json::from_str(&answer).unwrap()
    }

    #[test]
    fn answers_claims_in_order() {
        let prompt = format!(
            "{CLAIMS}{}\n{}\n",
            json!({"id": "c2", "text": "It is up."}),
            json!({"id": "c1", "text": "It is slow."}),
        );
        let claim = |id, class| {
            json!({
                "id": id, "class": class, "type": "tool_match", "note": "as the log states",
                "citations": [{"evidence": "E1", "field_path": null, "quote": "up"}],
            })
        };
        let answer = answer(&prompt);
        assert_eq!(answer["claims"], json!([claim("c2", "grounded"), claim("c1", "ungrounded")]));
        assert_eq!((&answer["score"], &answer["abstain"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn maps_classes_to_second_look_verdicts() {
        let statement = |id, text| json!({"id": id, "statement": text, "quotes": []});
        let prompt = format!(
            "{STATEMENTS}{}\n{}\n{}\n",
            statement("s1", "It is up."),
            statement("s2", "It is down."),
            statement("s3", "It is slow."),
        );
        let verdict =
            |id, verdict| json!({"id": id, "verdict": verdict, "words": "as the log states"});
        let expected =
            json!([verdict("s1", "shown"), verdict("s2", "refuted"), verdict("s3", "not_shown")]);
        assert_eq!(answer(&prompt), json!({ "statements": expected }));
    }
}
