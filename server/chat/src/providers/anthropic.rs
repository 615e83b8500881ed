//! Anthropic's messages API. Sends a schema as a mandatory tool, whose input is the answer.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{ErrorObject, Message, ProviderAnswer, Question, Unreadable, missing, to_body, turns};
use crate::failure::Failure;
use crate::reply::{Stop, Usage};
use crate::request::{Schema, Temperature};

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    system: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<[Tool<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<ToolChoice<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'static str,
    input_schema: &'a RawValue,
}

#[derive(Serialize)]
struct ToolChoice<'a> {
    r#type: &'static str,
    name: &'a str,
    disable_parallel_tool_use: bool,
}

pub(super) fn encode(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    let request = question.request;
    let schema = request.schema.as_ref();
    to_body(
        request,
        &Body {
            model: question.model.model(),
            max_tokens: question.max_output_tokens,
            system: &request.system,
            messages: turns(request).collect(),
            temperature: request.temperature.map(Temperature::get),
            tools: schema.map(|schema| [tool(schema)]),
            tool_choice: schema.map(|schema| ToolChoice {
                r#type: "tool",
                name: schema.name(),
                disable_parallel_tool_use: true,
            }),
        },
    )
}

const fn tool(schema: &Schema) -> Tool<'_> {
    Tool { name: schema.name(), description: "Takes the answer.", input_schema: schema.json() }
}

#[derive(Deserialize)]
struct Answer {
    id: Option<String>,
    model: Option<String>,
    error: Option<ErrorObject>,
    content: Option<Vec<Block>>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Block {
    r#type: String,
    text: Option<String>,
    input: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

impl Tokens {
    /// Sums the input tokens: `input_tokens` excludes tokens read from or written to the cache.
    fn usage(&self) -> Usage {
        let cached = self.cache_read_input_tokens;
        Usage {
            input: self
                .input_tokens
                .saturating_add(cached.unwrap_or(0))
                .saturating_add(self.cache_creation_input_tokens.unwrap_or(0)),
            output: self.output_tokens,
            cached,
            reasoning: None,
        }
    }
}

pub(super) fn decode(body: &[u8], with_schema: bool) -> Result<ProviderAnswer, Unreadable> {
    let message: Answer = serde_json::from_slice(body)?;
    if let Some(error) = message.error {
        return Err(Unreadable::Error(error));
    }
    let blocks = message.content.ok_or_else(|| missing("content"))?;
    let joined: String = blocks
        .iter()
        .filter(|block| block.r#type == "text")
        .filter_map(|block| block.text.as_deref())
        .collect();
    let tool_input = blocks
        .iter()
        .filter(|block| block.r#type == "tool_use")
        .find_map(|block| block.input.as_deref());
    let stop = match message.stop_reason.as_deref() {
        Some("refusal") => Stop::Refusal(joined.clone()),
        Some("end_turn" | "stop_sequence" | "tool_use") | None => Stop::Complete,
        Some("model_context_window_exceeded") => return Err(Unreadable::ContextFull),
        Some("max_tokens") => Stop::Length,
        Some(other) => Stop::Other(other.to_owned()),
    };
    let text = match (with_schema, tool_input) {
        (false, _) => joined,
        (true, Some(input)) => input.get().to_owned(),
        (true, None) if stop == Stop::Complete && !blocks.is_empty() => {
            return Err(missing("tool_use in content"));
        }
        (true, None) => String::new(),
    };
    Ok(ProviderAnswer {
        text,
        reasoning: None,
        model: message.model,
        stop,
        usage: message.usage.as_ref().map(Tokens::usage),
        id: message.id,
    })
}
