//! This module is a chat model that needs no time: it knows the report of [`judging`](crate::judging) and answers
//! what is asked about it, in the wire format of OpenAI's chat completions and in the form that each asker reads.
//!
//! | asker | recognised by | answer |
//! |---|---|---|
//! | GSAR | its list of claims, one JSON object a line | a verdict; what it does not know, such as a canary, is ungrounded |
//! | GSAR, second look | its list of statements, one JSON object a line | what it knows is shown, and nothing else |
//! | `locus-sdk` | `SYNTHESIS:` | the claims that stand in the text, all grounded |
//! | RAGAS `faithfulness`, first call | input with `answer` | the claims as statements |
//! | RAGAS `faithfulness`, second call | input with `statements` | a verdict for each statement |

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::judging::{Grounded, Incident};

const GSAR: &str = "The claims to judge, one JSON object a line:\n";
const SECOND_LOOK: &str = "The statements to read, one JSON object a line:\n";
const LOCUS: &str = "SYNTHESIS:\n";
const RAGAS: &str = "Now perform the same with the following input\ninput: ";

/// The model.
#[derive(Clone, Debug, Default)]
pub struct Provider {
    incident: Incident,
}

#[derive(Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Cow<'a, str>,
}

#[derive(Deserialize)]
struct AskedClaim<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// A statement that is asked about in a second look.
#[derive(Deserialize)]
struct AskedStatement<'a> {
    id: Cow<'a, str>,
    statement: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Statements {
    answer: Option<String>,
    statements: Option<Vec<String>>,
}

impl Provider {
    /// The body of the answer to a body; `None` where nothing was asked that it knows.
    #[must_use]
    pub fn completion(&self, body: &[u8]) -> Option<Vec<u8>> {
        let asked: Asked<'_> = serde_json::from_slice(body).ok()?;
        let question = asked.messages.iter().rfind(|message| message.role == "user")?;
        let text = self.answer(&question.content)?.to_string();
        let completion = json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_773_324_240, "model": "stub",
            "choices": [{
                "index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": text, "refusal": null},
            }],
            "usage": {"prompt_tokens": 12_000, "completion_tokens": 800, "total_tokens": 12_800},
        });
        serde_json::to_vec(&completion).ok()
    }

    fn answer(&self, question: &str) -> Option<Value> {
        if let Some((_, list)) = question.split_once(GSAR) {
            let claims = list.lines().take_while(|line| !line.is_empty());
            let claims: Option<Vec<Value>> = claims.map(|line| self.verdict(line)).collect();
            return Some(json!({
                "claims": claims?, "score": 0.95, "explanation": "The logs state the pools.",
                "gaps": [], "contradictions": [], "abstain": null,
            }));
        }
        if let Some((_, list)) = question.split_once(SECOND_LOOK) {
            let statements: Option<Vec<Value>> = list.lines().map(|line| self.read(line)).collect();
            return Some(json!({ "statements": statements? }));
        }
        if let Some((_, input)) = question.split_once(RAGAS) {
            let input = serde_json::Deserializer::from_str(input).into_iter().next();
            return self.faithful(input?.ok()?);
        }
        let text = question.strip_prefix(LOCUS)?.split_once("\n\nEVIDENCE:")?.0;
        Some(self.partition(text))
    }

    fn known(&self, text: &str) -> Option<&Grounded> {
        let wanted = without_stop(text);
        self.incident.claims.iter().find(|claim| without_stop(&claim.text) == wanted)
    }

    fn verdict(&self, line: &str) -> Option<Value> {
        let AskedClaim { id, text } = serde_json::from_str(line).ok()?;
        Some(match self.known(&text) {
            Some(claim) => json!({
                "id": id, "class": "grounded", "type": "tool_match", "note": "The log states it.",
                "citations": [{
                    "evidence": format!("E{}", claim.item + 1), "field_path": null, "quote": claim.quote,
                }],
            }),
            None => json!({
                "id": id, "class": "ungrounded", "type": "inference", "note": "Nothing states it.",
                "citations": [],
            }),
        })
    }

    fn read(&self, line: &str) -> Option<Value> {
        let AskedStatement { id, statement } = serde_json::from_str(line).ok()?;
        let verdict = if self.known(&statement).is_some() { "shown" } else { "not_shown" };
        Some(json!({ "id": id, "verdict": verdict, "words": "The log states the pools." }))
    }

    fn partition(&self, text: &str) -> Value {
        let claims = self.incident.claims.iter().filter(|claim| text.contains(&claim.text));
        let claims = claims.map(|claim| {
            let reference = format!("log-{}: {}", claim.item, claim.quote);
            json!({"text": claim.text, "type": "tool_match", "evidence_refs": [reference]})
        });
        json!({
            "grounding_score": 0.95, "is_grounded": true, "grounded_claims": claims.collect::<Vec<_>>(),
            "ungrounded_claims": [], "contradicted_claims": [], "complementary_claims": [],
            "gaps": [], "contradictions": [], "verification_needed": false, "verification_reason": null,
            "explanation": "The logs state the pools.", "decision_status": "resolved", "abstain_reason": null,
        })
    }

    fn faithful(&self, input: Statements) -> Option<Value> {
        if let Some(statements) = input.statements {
            let verdicts = statements.iter().map(|statement| {
                let is_known = u8::from(self.known(statement).is_some());
                json!({"statement": statement, "reason": "The log states it.", "verdict": is_known})
            });
            return Some(json!({ "statements": verdicts.collect::<Vec<_>>() }));
        }
        let answer = input.answer?;
        let claims = self.incident.claims.iter().filter(|claim| answer.contains(&claim.text));
        Some(json!({ "statements": claims.map(|claim| &claim.text).collect::<Vec<_>>() }))
    }
}

fn without_stop(text: &str) -> &str {
    text.strip_suffix('.').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(question: &str) -> Option<Value> {
        let body = json!({"model": "stub", "messages": [
            {"role": "system", "content": "Judge."}, {"role": "user", "content": question},
        ]});
        let completion = Provider::default().completion(body.to_string().as_bytes())?;
        let completion: Value = serde_json::from_slice(&completion).unwrap();
        let text = completion.pointer("/choices/0/message/content").unwrap().as_str().unwrap();
        Some(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn claims_are_quoted_and_a_canary_is_not() {
        let incident = Incident::new();
        let [known, canary] = [incident.claims[3].text.as_str(), "Release 1 was audited."]
            .map(|text| json!({"id": text.len().to_string(), "text": text}).to_string());
        let said = said(&format!("{GSAR}{canary}\n{known}\n\nevidence")).unwrap();
        let claims = said["claims"].as_array().unwrap();
        assert_eq!(claims.len(), 2);
        assert_eq!(claims[0]["class"], "ungrounded");
        assert_eq!(claims[1]["class"], "grounded");
        assert_eq!(claims[1]["citations"][0]["evidence"], "E34");
        let quote = claims[1]["citations"][0]["quote"].as_str().unwrap();
        assert!(incident.evidence[33].contains(quote));
    }

    #[test]
    fn statements_are_read_and_a_canary_is_not_shown() {
        let incident = Incident::new();
        let [known, canary] = [incident.claims[3].text.as_str(), "Release 1 was audited."]
            .map(|text| json!({"id": "c1", "statement": text, "quotes": []}).to_string());
        let said = said(&format!("evidence\n{SECOND_LOOK}{canary}\n{known}\n")).unwrap();
        let verdicts = [&said["statements"][0]["verdict"], &said["statements"][1]["verdict"]];
        assert_eq!(verdicts, ["not_shown", "shown"]);
    }

    #[test]
    fn the_others_are_answered_in_their_forms() {
        let incident = Incident::new();
        let report = incident.synthesis();
        let partition = said(&format!("{LOCUS}{report}\n\nEVIDENCE:\nlogs")).unwrap();
        assert_eq!(partition["grounded_claims"].as_array().unwrap().len(), incident.claims.len());
        let ask = |input: Value| said(&format!("Examples.{RAGAS}{input}\nOutput: ")).unwrap();
        let statements = ask(json!({"question": "what?", "answer": report}))["statements"].take();
        assert_eq!(statements.as_array().unwrap().len(), incident.claims.len());
        let mut statements = statements.as_array().unwrap().clone();
        statements.push(json!("Something else."));
        let verdicts = ask(json!({"context": "logs", "statements": statements}));
        let verdicts = verdicts["statements"].as_array().unwrap();
        let faithful = verdicts.iter().filter(|verdict| verdict["verdict"] == 1).count();
        assert_eq!((faithful, verdicts.len()), (incident.claims.len(), incident.claims.len() + 1));
        assert_eq!(said("What is the weather?"), None);
    }
}
