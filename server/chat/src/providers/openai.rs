//! This module writes and reads OpenAI's chat completions and those of compatible providers.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, Value};

use super::{Answered, ErrorObject, Question, Unreadable, missing, to_body};
use crate::failure::Failure;
use crate::model_name::Provider;
use crate::reply::{Stop, Usage};
use crate::request::{Role, Schema};
use crate::settings::StructuredOutput;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// The most tokens of the answer, as OpenAI takes them; its models that reason refuse the other field.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    /// The most tokens of the answer, as all others take them.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guided_json: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: JsonSchema<'a> },
    JsonObject,
}

#[derive(Serialize)]
struct JsonSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

pub(super) fn write(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    let request = question.request;
    let system = (!request.system.is_empty())
        .then_some(Message { role: "system", content: &request.system });
    let turns = request.messages.iter().map(|turn| Message {
        role: match turn.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        },
        content: &turn.text,
    });
    let is_openai = question.model.provider() == Provider::OpenAi;
    let limit = Some(question.max_output_tokens);
    let schema = request.schema.as_ref();
    to_body(&Body {
        model: question.model.model(),
        messages: system.into_iter().chain(turns).collect(),
        temperature: request.temperature.map(crate::Temperature::get),
        // A signed number there.
        seed: request.seed.map(|seed| seed & i64::MAX.unsigned_abs()),
        max_completion_tokens: limit.filter(|_| is_openai),
        max_tokens: limit.filter(|_| !is_openai),
        response_format: schema
            .and_then(|schema| response_format(schema, question.structured_output)),
        guided_json: schema
            .filter(|_| question.structured_output == StructuredOutput::GuidedJson)
            .map(Schema::json),
    })
}

const fn response_format(schema: &Schema, way: StructuredOutput) -> Option<ResponseFormat<'_>> {
    match way {
        StructuredOutput::JsonSchema => Some(ResponseFormat::JsonSchema {
            json_schema: JsonSchema { name: schema.name(), strict: true, schema: schema.json() },
        }),
        StructuredOutput::JsonObject => Some(ResponseFormat::JsonObject),
        StructuredOutput::GuidedJson | StructuredOutput::Off => None,
    }
}

#[derive(Deserialize)]
struct Completion {
    id: Option<String>,
    model: Option<String>,
    error: Option<ErrorObject>,
    /// `error` where the body is the error itself, as with vLLM.
    object: Option<String>,
    /// What a framework says that refuses the request, as FastAPI does.
    detail: Option<Value>,
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Reply>,
    finish_reason: Option<String>,
    /// OpenRouter says here that the provider behind it failed.
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct Reply {
    content: Option<Content>,
    refusal: Option<String>,
    /// Servers with a parser of reasoning put it here, DeepSeek's and vLLM's under this name.
    reasoning_content: Option<Content>,
    /// OpenRouter's and newer ones of vLLM under this.
    reasoning: Option<Content>,
}

/// Some gateways give parts instead of a text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
    Other(IgnoredAny),
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().filter_map(Part::text).collect(),
            Self::Other(_) => String::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Typed { r#type: Option<String>, text: Option<String> },
    Other(IgnoredAny),
}

impl Part {
    /// What belongs to the answer: reasoning, images and calls of tools do not.
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Typed { r#type, text } => {
                let is_answer = matches!(r#type.as_deref(), None | Some("text" | "output_text"));
                text.filter(|_| is_answer)
            }
            Self::Other(_) => None,
        }
    }
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptTokens>,
    completion_tokens_details: Option<CompletionTokens>,
}

#[derive(Deserialize)]
struct PromptTokens {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionTokens {
    reasoning_tokens: Option<u64>,
}

pub(super) fn read(body: &[u8]) -> Result<Answered, Unreadable> {
    let completion: Completion = serde_json::from_slice(body)?;
    if let Some(error) = completion.error {
        return Err(Unreadable::Error(error));
    }
    let Some(choices) = completion.choices else {
        let is_error = completion.object.as_deref() == Some("error") || completion.detail.is_some();
        return Err(match is_error {
            true => Unreadable::Error(serde_json::from_slice(body)?),
            false => missing("choices"),
        });
    };
    let choice = choices.into_iter().next().ok_or(Unreadable::Empty)?;
    if let Some(error) = choice.error {
        return Err(Unreadable::Error(error));
    }
    let message = choice.message.ok_or_else(|| missing("choices[0].message"))?;
    let refusal = message.refusal.filter(|refusal| !refusal.is_empty());
    let stop = match (refusal, choice.finish_reason.as_deref()) {
        (Some(said), _) => Stop::Refusal(said),
        (None, Some("stop") | None) => Stop::Complete,
        (None, Some("length")) => Stop::Length,
        (None, Some("content_filter")) => Stop::ContentFilter,
        (None, Some(other)) => Stop::Other(other.to_owned()),
    };
    Ok(Answered {
        text: message.content.map(Content::text).unwrap_or_default(),
        reasoning: message.reasoning_content.or(message.reasoning).map(Content::text),
        model: completion.model,
        stop,
        usage: completion.usage.map(|tokens| Usage {
            input: tokens.prompt_tokens,
            output: tokens.completion_tokens,
            cached: tokens.prompt_tokens_details.and_then(|details| details.cached_tokens),
            reasoning: tokens
                .completion_tokens_details
                .and_then(|details| details.reasoning_tokens),
        }),
        id: completion.id,
    })
}
