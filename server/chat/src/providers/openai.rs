//! The chat completions API of OpenAI and compatible providers.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, Value};

use super::{
    ErrorObject, Message, ProviderAnswer, Question, Unreadable, messages, missing, to_body,
};
use crate::failure::Failure;
use crate::model_name::Provider;
use crate::reply::{Stop, Usage};
use crate::request::Schema;
use crate::settings::StructuredOutput;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// The token limit for OpenAI, whose reasoning models reject `max_tokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guided_json: Option<&'a RawValue>,
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

pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    let request = question.request;
    let is_openai = question.model.provider() == Provider::OpenAi;
    let limit = Some(question.max_output_tokens);
    let schema = request.schema.as_ref();
    to_body(
        request,
        &Body {
            model: question.model.model(),
            messages: messages(request).collect(),
            temperature: request.temperature.map(crate::Temperature::get),
            // OpenAI's seed is a signed 64-bit integer.
            seed: request.seed.map(|seed| seed & i64::MAX.unsigned_abs()),
            max_completion_tokens: limit.filter(|_| is_openai),
            max_tokens: limit.filter(|_| !is_openai),
            response_format: schema
                .and_then(|schema| response_format(schema, question.structured_output)),
            guided_json: schema
                .filter(|_| question.structured_output == StructuredOutput::GuidedJson)
                .map(Schema::json),
        },
    )
}

const fn response_format(schema: &Schema, mode: StructuredOutput) -> Option<ResponseFormat<'_>> {
    match mode {
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
    /// `error` if the body itself is the error, as with vLLM.
    object: Option<String>,
    /// The error of a web framework such as FastAPI.
    detail: Option<Value>,
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Option<Reply>,
    finish_reason: Option<String>,
    /// The upstream provider's error, as with OpenRouter.
    error: Option<ErrorObject>,
}

#[derive(Deserialize)]
struct Reply {
    content: Option<Content>,
    refusal: Option<String>,
    reasoning_content: Option<Content>,
    /// The reasoning, as named by OpenRouter and newer versions of vLLM.
    reasoning: Option<Content>,
}

/// The content of a message, which some gateways send in parts.
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
    /// Returns the text, or `None` for parts outside the answer, such as reasoning.
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

pub(super) fn decode(body: &[u8]) -> Result<ProviderAnswer, Unreadable> {
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
        (Some(text), _) => Stop::Refusal(text),
        (None, Some("stop") | None) => Stop::Complete,
        (None, Some("length")) => Stop::Length,
        (None, Some("content_filter")) => Stop::ContentFilter,
        (None, Some(other)) => Stop::Other(other.to_owned()),
    };
    Ok(ProviderAnswer {
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
