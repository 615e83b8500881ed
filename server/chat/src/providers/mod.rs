//! The wire formats: what is written to each provider and how its answer is read. No HTTP, no waiting.

mod anthropic;
mod error_object;
mod gemini;
mod gemini_schema;
mod ollama;
mod openai;

use reqwest::Url;

use crate::error::Failure;
use crate::model_name::{ModelName, Provider};
use crate::reply::{Stop, Usage};
use crate::request::Request;
use crate::settings::StructuredOutput;

pub(crate) use error_object::{ErrorObject, in_error_body};

/// A question with what the settings add to it.
pub(crate) struct Question<'a> {
    pub(crate) model: &'a ModelName,
    pub(crate) request: &'a Request,
    pub(crate) max_output_tokens: u32,
    pub(crate) structured_output: StructuredOutput,
    pub(crate) ollama_context: Option<u32>,
}

/// An answer as a provider gave it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) stop: Stop,
    pub(crate) usage: Option<Usage>,
    pub(crate) id: Option<String>,
}

/// Why there is no answer in a body of status 200.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    NotJson(String),
    WrongShape(String),
    Empty,
    Error(ErrorObject),
}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        if error.is_data() {
            Self::WrongShape(error.to_string())
        } else {
            Self::NotJson(error.to_string())
        }
    }
}

/// Where questions to this model go.
pub(crate) fn url(base: &Url, model: &ModelName) -> Url {
    let path = match model.provider() {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::Oci => {
            "chat/completions".to_owned()
        }
        Provider::Anthropic => "messages".to_owned(),
        Provider::Gemini => gemini::path(model.model()),
        Provider::Ollama => "api/chat".to_owned(),
    };
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// The body of the request.
pub(crate) fn write(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    match question.model.provider() {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::Oci => openai::write(question),
        Provider::Anthropic => anthropic::write(question),
        Provider::Gemini => gemini::write(question),
        Provider::Ollama => ollama::write(question),
    }
}

/// Reads a body of status 200.
pub(crate) fn read(
    provider: Provider,
    body: &[u8],
    with_schema: bool,
) -> Result<Answered, Unreadable> {
    // A list would be read as the members of an object, one after the other.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(Unreadable::WrongShape("it is a list".to_owned()));
    }
    let answered = match provider {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::Oci => openai::read(body),
        Provider::Anthropic => anthropic::read(body, with_schema),
        Provider::Gemini => gemini::read(body),
        Provider::Ollama => ollama::read(body),
    }?;
    match answered.stop {
        Stop::Complete | Stop::Other(_) if answered.text.is_empty() => Err(Unreadable::Empty),
        _ => Ok(answered),
    }
}

/// JSON of what was built here: only a writer that fails could fail, and a vector does not.
fn to_body(body: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(body)
        .map_err(|error| Failure::SchemaUnsupported { reason: error.to_string() })
}

fn missing(what: &str) -> Unreadable {
    Unreadable::WrongShape(format!("there is no {what}"))
}
