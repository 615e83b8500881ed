//! The wire formats of providers.

mod anthropic;
mod error_object;
mod gemini;
mod gemini_schema;
mod ollama;
mod openai;

use reqwest::Url;
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::failure::Failure;
use crate::model_name::{ModelName, Provider};
use crate::reply::{Stop, Usage};
use crate::request::{Request, Role};
use crate::settings::StructuredOutput;

pub(crate) use error_object::{ErrorObject, in_error_body};

pub(crate) struct Question<'a> {
    pub(crate) model: &'a ModelName,
    pub(crate) request: &'a Request,
    pub(crate) max_output_tokens: u32,
    pub(crate) structured_output: StructuredOutput,
    /// Ollama's context size in tokens. If `None`, Ollama's default applies.
    pub(crate) ollama_context: Option<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProviderAnswer {
    pub(crate) text: String,
    pub(crate) reasoning: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) stop: Stop,
    pub(crate) usage: Option<Usage>,
    pub(crate) id: Option<String>,
}

/// A message, as all providers but Gemini expect it.
#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

/// Returns the system message, if any, and the conversation.
fn messages(request: &Request) -> impl Iterator<Item = Message<'_>> {
    let system = (!request.system.is_empty())
        .then_some(Message { role: "system", content: &request.system });
    system.into_iter().chain(turns(request))
}

/// Returns the conversation.
fn turns(request: &Request) -> impl Iterator<Item = Message<'_>> {
    request.messages.iter().map(|turn| Message {
        role: match turn.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        },
        content: &turn.text,
    })
}

/// The reason why a body with status 200 has no usable answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    NotJson(String),
    WrongShape(String),
    Empty,
    /// The body contains only reasoning, which is not a JSON document.
    OnlyReasoning,
    /// The request and the answer exceed the model's context.
    ContextFull,
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

pub(crate) fn encode(question: &Question<'_>) -> Result<Vec<u8>, Failure> {
    match question.model.provider() {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::Oci => openai::encode(question),
        Provider::Anthropic => anthropic::encode(question),
        Provider::Gemini => gemini::encode(question),
        Provider::Ollama => ollama::encode(question),
    }
}

/// Parses a body with status 200.
pub(crate) fn decode(
    provider: Provider,
    body: &[u8],
    with_schema: bool,
) -> Result<ProviderAnswer, Unreadable> {
    // serde also accepts a list in place of a struct.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(Unreadable::WrongShape("it is a list".to_owned()));
    }
    let mut answer = match provider {
        Provider::OpenAi | Provider::OpenAiCompatible | Provider::Oci => openai::decode(body),
        Provider::Anthropic => anthropic::decode(body, with_schema),
        Provider::Gemini => gemini::decode(body),
        Provider::Ollama => ollama::decode(body),
    }?;
    let is_empty =
        matches!(answer.stop, Stop::Complete | Stop::Other(_)) && answer.text.trim().is_empty();
    match answer.reasoning.take().filter(|reasoning| !reasoning.trim().is_empty()) {
        // With a schema, some servers mistake the whole answer for reasoning.
        Some(reasoning) if is_empty && with_schema && is_document(&reasoning) => {
            Ok(ProviderAnswer { text: reasoning, ..answer })
        }
        Some(_) if is_empty => Err(Unreadable::OnlyReasoning),
        None if is_empty => Err(Unreadable::Empty),
        _ => Ok(answer),
    }
}

fn is_document(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn to_body(request: &Request, body: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let texts = request.messages.iter().map(|turn| turn.text.len()).sum::<usize>();
    let schema = request.schema.as_ref().map_or(0, |schema| schema.json().get().len());
    // Escapes and field names need about an eighth more space.
    let mut bytes = Vec::with_capacity((request.system.len() + texts + schema) / 8 * 9);
    serde_json::to_writer(&mut bytes, body)
        .map_err(|error| Failure::SchemaUnsupported { reason: error.to_string() })?;
    Ok(bytes)
}

fn missing(member: &str) -> Unreadable {
    Unreadable::WrongShape(format!("{member} is missing"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn joins_text_parts() {
        for (content, expected) in [
            (r#""{}""#, Ok("{}")),
            (
                r#"[{"type":"thinking","thinking":"hm"},{"type":"text","text":"{"},{"type":"output_text","text":"}"}]"#,
                Ok("{}"),
            ),
            (
                r#"["{",null,{"type":"image_url","image_url":{}},{"type":"reasoning","text":"no"},{"text":"}"}]"#,
                Ok("{}"),
            ),
            ("null", Err(Unreadable::Empty)),
            (r#"[{"type":"text","text":null}]"#, Err(Unreadable::Empty)),
            (r#"{"odd": 1}"#, Err(Unreadable::Empty)),
        ] {
            let body = format!(r#"{{"choices":[{{"message":{{"content":{content}}}}}]}}"#);
            let text =
                decode(Provider::OpenAiCompatible, body.as_bytes(), true).map(|found| found.text);
            assert_eq!(text, expected.map(str::to_owned), "{content}");
        }
    }

    #[test]
    fn reasoning_that_is_a_json_document_is_the_answer() {
        let openai = r#"{"choices":[{"message":{"content":null,"reasoning_content":REASONING}}]}"#;
        let openai_reasoning = r#"{"choices":[{"message":{"content":"","reasoning":REASONING}}]}"#;
        let ollama = r#"{"message":{"content":"","thinking":REASONING}}"#;
        let answer_and_reasoning =
            r#"{"choices":[{"message":{"content":"{\"b\":2}","reasoning":REASONING}}]}"#;
        for (provider, body) in [
            (Provider::OpenAiCompatible, openai),
            (Provider::OpenAiCompatible, openai_reasoning),
            (Provider::Ollama, ollama),
        ] {
            let decode_text = |reasoning: &str, with_schema| {
                let body =
                    body.replace("REASONING", &serde_json::Value::from(reasoning).to_string());
                decode(provider, body.as_bytes(), with_schema).map(|found| found.text)
            };
            assert_eq!(decode_text(" {\"a\":1}\n", true), Ok(" {\"a\":1}\n".to_owned()));
            for (reasoning, with_schema) in
                [("Maybe {\"a\":1}?", true), ("{} {}", true), ("[1]", true), ("{}", false)]
            {
                assert_eq!(
                    decode_text(reasoning, with_schema),
                    Err(Unreadable::OnlyReasoning),
                    "{reasoning}"
                );
            }
            assert_eq!(decode_text(" ", true), Err(Unreadable::Empty));
        }
        let body = answer_and_reasoning.replace("REASONING", r#""{\"a\":1}""#);
        let found = decode(Provider::OpenAiCompatible, body.as_bytes(), true).unwrap();
        assert_eq!(found.text, "{\"b\":2}");
    }

    #[test]
    fn a_full_context_is_a_failure() {
        let body = r#"{"content":[{"type":"text","text":"The"}],"stop_reason":"model_context_window_exceeded"}"#;
        let result = decode(Provider::Anthropic, body.as_bytes(), true);
        assert_eq!(result, Err(Unreadable::ContextFull));
    }

    /// A complete answer in each format, with all members that we decode.
    const ANSWERS: [(Provider, &str); 4] = [
        (
            Provider::OpenAi,
            r#"{"id":"c","model":"m","error":null,"choices":[{"message":{"content":"{}","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}"#,
        ),
        (
            Provider::Anthropic,
            r#"{"id":"c","model":"m","content":[{"type":"text","text":"x"},{"type":"tool_use","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3}}"#,
        ),
        (
            Provider::Gemini,
            r#"{"responseId":"c","modelVersion":"m","candidates":[{"content":{"parts":[{"text":"{}","thought":false}]},"finishReason":"STOP"}],"promptFeedback":{},"usageMetadata":{"promptTokenCount":1,"thoughtsTokenCount":2}}"#,
        ),
        (
            Provider::Ollama,
            r#"{"model":"m","message":{"content":"{}"},"done_reason":"stop","prompt_eval_count":1,"eval_count":2}"#,
        ),
    ];

    #[test]
    fn decodes_a_complete_answer_in_each_format() {
        for (provider, body) in ANSWERS {
            let answer = decode(provider, body.as_bytes(), true).unwrap();
            assert_eq!((answer.text.as_str(), answer.stop), ("{}", Stop::Complete));
        }
    }

    #[test]
    fn rejects_truncated_answers() {
        for (provider, body) in ANSWERS {
            for end in 0..body.len() {
                let unreadable = decode(provider, &body.as_bytes()[..end], true).unwrap_err();
                assert!(matches!(unreadable, Unreadable::NotJson(_)), "{provider} {end}");
            }
        }
    }

    proptest! {
        #[test]
        fn damaged_answers_do_not_panic(
            index in 0..4_usize,
            replacements in proptest::collection::vec((0..400_usize, any::<u8>()), 0..4),
            with_schema in any::<bool>(),
        ) {
            let (provider, body) = ANSWERS[index];
            let mut body = body.as_bytes().to_vec();
            for (position, byte) in replacements {
                let position = position % body.len();
                body[position] = byte;
            }
            match decode(provider, &body, with_schema) {
                Ok(answer) => prop_assert!(!answer.text.is_empty() || !matches!(answer.stop, Stop::Complete)),
                Err(_unreadable) => {}
            }
        }
    }
}
