//! A chat model stub that answers immediately, in the format of OpenAI's chat completions. Knows only the
//! report from [`judging`](crate::judging).
//!
//! | client | recognized by | answer |
//! |---|---|---|
//! | GSAR | a [`Prompt`] | verdicts; unknown claims, such as a canary, are ungrounded |
//! | `locus-sdk` | `SYNTHESIS:` | the claims in the text, all grounded |
//! | RAGAS `faithfulness`, first call | input with `answer` | the claims as statements |
//! | RAGAS `faithfulness`, second call | input with `statements` | a verdict per statement |

use std::borrow::Cow;

use gsar_chat_wire::{Prompt, Verdict, citation};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::judging::{Grounded, Incident};

const LOCUS: &str = "SYNTHESIS:\n";
const RAGAS: &str = "Now perform the same with the following input\ninput: ";

/// The stub.
#[derive(Clone, Debug, Default)]
pub struct Provider {
    incident: Incident,
}

#[derive(Deserialize)]
struct ChatRequest<'a> {
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
struct Statements {
    answer: Option<String>,
    statements: Option<Vec<String>>,
}

impl Provider {
    /// Returns the response body for a request body, or `None` for an unknown prompt.
    pub fn completion(&self, body: &[u8]) -> Option<Vec<u8>> {
        let request: ChatRequest<'_> = serde_json::from_slice(body).ok()?;
        let question = request.messages.iter().rfind(|message| message.role == "user")?;
        let text = self.answer(&question.content)?;
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

    fn answer(&self, question: &str) -> Option<String> {
        if let Some(prompt) = Prompt::parse(question) {
            return Some(prompt.answer(|question| self.verdict(&question.text)));
        }
        if let Some((_, input)) = question.split_once(RAGAS) {
            let input = serde_json::Deserializer::from_str(input).into_iter().next();
            return Some(self.faithful(input?.ok()?)?.to_string());
        }
        let text = question.strip_prefix(LOCUS)?.split_once("\n\nEVIDENCE:")?.0;
        Some(self.partition(text).to_string())
    }

    fn find_claim(&self, text: &str) -> Option<&Grounded> {
        let text = without_stop(text);
        self.incident.claims.iter().find(|claim| without_stop(&claim.text) == text)
    }

    fn verdict(&self, text: &str) -> Verdict {
        match self.find_claim(text) {
            Some(claim) => Verdict {
                class: "grounded",
                evidence_type: "tool_match",
                note: "The log states it.",
                citations: vec![citation(&format!("E{}", claim.item + 1), None, &claim.quote)],
            },
            None => Verdict {
                class: "ungrounded",
                evidence_type: "inference",
                note: "Nothing states it.",
                citations: Vec::new(),
            },
        }
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
                let is_known = u8::from(self.find_claim(statement).is_some());
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
