//! Ollama's `/api/chat`, without streaming.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    ErrorObject, Message, ProviderAnswer, Question, Unreadable, messages, missing, to_body,
};
use crate::failure::Failure;
use crate::reply::{Stop, Usage};
use crate::request::Schema;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a RawValue>,
    options: Options,
}

#[derive(Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    num_predict: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    num_ctx: Option<u32>,
}

pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    let request = question.request;
    to_body(
        request,
        &Body {
            model: question.model.model(),
            messages: messages(request).collect(),
            stream: false,
            format: request.schema.as_ref().map(Schema::json),
            options: Options {
                temperature: request.temperature.map(crate::Temperature::get),
                // The model runner's seed is a signed 32-bit integer.
                seed: request.seed.map(|seed| seed & u64::from(i32::MAX.unsigned_abs())),
                num_predict: question.max_output_tokens,
                num_ctx: question.ollama_context,
            },
        },
    )
}

#[derive(Deserialize)]
struct Chat {
    model: Option<String>,
    error: Option<ErrorObject>,
    message: Option<Reply>,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct Reply {
    content: Option<String>,
    thinking: Option<String>,
}

pub(super) fn decode(body: &[u8]) -> Result<ProviderAnswer, Unreadable> {
    let chat: Chat = serde_json::from_slice(body)?;
    if let Some(error) = chat.error {
        return Err(Unreadable::Error(error));
    }
    let message = chat.message.ok_or_else(|| missing("message"))?;
    Ok(ProviderAnswer {
        text: message.content.unwrap_or_default(),
        reasoning: message.thinking,
        model: chat.model,
        stop: match chat.done_reason.as_deref() {
            Some("stop") | None => Stop::Complete,
            Some("length") => Stop::Length,
            Some(other) => Stop::Other(other.to_owned()),
        },
        // Ollama omits `prompt_eval_count` if the prompt is cached.
        usage: chat.eval_count.map(|output| Usage {
            input: chat.prompt_eval_count.unwrap_or(0),
            output,
            cached: None,
            reasoning: None,
        }),
        id: None,
    })
}
