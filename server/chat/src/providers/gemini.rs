//! Gemini's `generateContent` API.

use serde::{Deserialize, Serialize};

use super::gemini_schema::{Node, convert};
use super::{ErrorObject, ProviderAnswer, Question, Unreadable, missing, to_body};
use crate::failure::Failure;
use crate::reply::{Stop, Usage};
use crate::request::{Role, Schema};

/// Returns the path after the base URL. Names such as `tunedModels/…` need no prefix.
pub(super) fn path(model: &str) -> String {
    let folder = if model.contains('/') { "" } else { "models/" };
    format!("{folder}{model}:generateContent")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
    generation_config: Configuration,
}

#[derive(Serialize)]
struct Content<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    parts: [Text<'a>; 1],
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Node>,
}

pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    let request = question.request;
    let schema = request.schema.as_ref();
    to_body(
        request,
        &Body {
            system_instruction: (!request.system.is_empty())
                .then_some(Content { role: None, parts: [Text { text: &request.system }] }),
            contents: request
                .messages
                .iter()
                .map(|turn| Content {
                    role: Some(match turn.role {
                        Role::User => "user",
                        Role::Assistant => "model",
                    }),
                    parts: [Text { text: &turn.text }],
                })
                .collect(),
            generation_config: Configuration {
                temperature: request.temperature.map(crate::Temperature::get),
                // Gemini's seed is a signed 32-bit integer.
                seed: request.seed.map(|seed| seed & u64::from(i32::MAX.unsigned_abs())),
                max_output_tokens: question.max_output_tokens,
                response_mime_type: schema.map(|_| "application/json"),
                response_schema: schema
                    .map(Schema::json)
                    .map(convert)
                    .transpose()
                    .map_err(|reason| Failure::SchemaUnsupported { reason })?,
            },
        },
    )
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Generated {
    response_id: Option<String>,
    model_version: Option<String>,
    error: Option<ErrorObject>,
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Parts>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Parts {
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    cached_content_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
}

pub(super) fn decode(body: &[u8]) -> Result<ProviderAnswer, Unreadable> {
    let generated: Generated = serde_json::from_slice(body)?;
    if let Some(error) = generated.error {
        return Err(Unreadable::Error(error));
    }
    let blocked = generated.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some();
    let candidate = generated.candidates.map(|candidates| candidates.into_iter().next());
    let (text, stop) = match candidate {
        None | Some(None) if blocked => (String::new(), Stop::ContentFilter),
        None => return Err(missing("candidates")),
        Some(None) => return Err(Unreadable::Empty),
        Some(Some(candidate)) => {
            (text(candidate.content), stop(candidate.finish_reason.as_deref()))
        }
    };
    Ok(ProviderAnswer {
        reasoning: None,
        text,
        model: generated.model_version,
        stop,
        usage: generated.usage_metadata.map(|tokens| Usage {
            input: tokens.prompt_token_count,
            output: tokens
                .candidates_token_count
                .saturating_add(tokens.thoughts_token_count.unwrap_or(0)),
            cached: tokens.cached_content_token_count,
            reasoning: tokens.thoughts_token_count,
        }),
        id: generated.response_id,
    })
}

fn text(content: Option<Parts>) -> String {
    let parts = content.map(|content| content.parts).unwrap_or_default();
    parts.into_iter().filter(|part| !part.thought).filter_map(|part| part.text).collect()
}

fn stop(reason: Option<&str>) -> Stop {
    match reason {
        Some("STOP") | None => Stop::Complete,
        Some("MAX_TOKENS") => Stop::Length,
        Some("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII") => {
            Stop::ContentFilter
        }
        Some(other) => Stop::Other(other.to_owned()),
    }
}
