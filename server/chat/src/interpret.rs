//! Interprets HTTP responses.

use reqwest::header::HeaderMap;

use crate::excerpt::{Excerpt, Secrets};
use crate::failure::Failure;
use crate::model_name::ModelName;
use crate::providers::{self, Unreadable};
use crate::reply::{Reply, Stop};
use crate::retry::retry_after;
use crate::transport::Answer;

/// The headers that contain the request id, for OpenAI and compatible providers, Anthropic, and Oracle Cloud.
const REQUEST_ID: [&str; 3] = ["x-request-id", "request-id", "opc-request-id"];

/// Converts an HTTP response into a reply or a failure. With a schema, an incomplete answer is a failure.
pub(crate) fn interpret(
    model: &ModelName,
    with_schema: bool,
    answer: &Answer,
    secrets: &Secrets,
) -> Result<Reply, Failure> {
    let body = || Excerpt::new(&answer.body, secrets);
    if !(200..300).contains(&answer.status) {
        return Err(from_status(answer, body()));
    }
    if let Some(found) = answer.non_json_type() {
        return Err(Failure::WrongContentType { found, body: body() });
    }
    let parsed = providers::decode(model.provider(), &answer.body, with_schema)
        .map_err(|unreadable| from_unreadable(unreadable, body()))?;
    // A provider may repeat the key in its answer.
    let redacted = |text: String| secrets.redact(text);
    let name = |given: &str| redacted(clean_name(given));
    let reply = Reply {
        text: redacted(parsed.text),
        model: parsed.model.map_or_else(|| model.model().to_owned(), |given| name(&given)),
        stop: match parsed.stop {
            Stop::Other(reason) => Stop::Other(name(&reason)),
            Stop::Refusal(text) => Stop::Refusal(redacted(text)),
            known => known,
        },
        usage: parsed.usage,
        attempts: Vec::new(),
        request_id: request_id(&answer.headers).or(parsed.id).map(|id| name(&id)),
    };
    if with_schema { require_complete(reply, secrets) } else { Ok(reply) }
}

fn from_status(answer: &Answer, body: Excerpt) -> Failure {
    let status = answer.status;
    let error = providers::in_error_body(&answer.body);
    let retry_after = retry_after(&answer.headers).or(error.retry_after);
    match status {
        _ if error.is_quota() => Failure::QuotaExhausted { body },
        300..=399 => Failure::Redirected { status },
        400 | 422 if error.is_content_filter() => {
            Failure::Filtered { body: Some(body), reply: None }
        }
        400 | 422 if error.is_too_large() => Failure::RequestTooLarge { body },
        400 | 422 => Failure::RequestRefused { status, body },
        401 | 403 => Failure::KeyRefused { status, body },
        402 => Failure::QuotaExhausted { body },
        404 => Failure::ModelNotFound { body },
        413 => Failure::RequestTooLarge { body },
        429 => Failure::RateLimited { retry_after, body },
        // "Not implemented" and "HTTP version not supported" are not transient.
        501 | 505 => Failure::OtherStatus { status, body },
        408 | 500..=599 => Failure::Unavailable { status, retry_after, body },
        _ => Failure::OtherStatus { status, body },
    }
}

fn from_unreadable(unreadable: Unreadable, body: Excerpt) -> Failure {
    match unreadable {
        Unreadable::NotJson(reason) => Failure::NotJson { reason, body },
        Unreadable::WrongShape(reason) => Failure::WrongShape { reason, body },
        Unreadable::Empty => Failure::EmptyAnswer,
        Unreadable::OnlyReasoning => Failure::OnlyReasoning,
        Unreadable::ContextFull => Failure::RequestTooLarge { body },
        Unreadable::Error(error) if error.is_quota() => Failure::QuotaExhausted { body },
        Unreadable::Error(error) if error.is_content_filter() => {
            Failure::Filtered { body: Some(body), reply: None }
        }
        Unreadable::Error(error) if error.is_too_large() => Failure::RequestTooLarge { body },
        Unreadable::Error(error) if error.is_rate_limit() => {
            Failure::RateLimited { retry_after: error.retry_after, body }
        }
        Unreadable::Error(error) if error.is_key() => Failure::KeyRefused { status: 200, body },
        Unreadable::Error(error) => {
            Failure::ErrorInAnswer { transient: error.is_transient(), body }
        }
    }
}

/// Rejects an incomplete reply, which cannot match the schema.
fn require_complete(reply: Reply, secrets: &Secrets) -> Result<Reply, Failure> {
    match &reply.stop {
        Stop::Complete | Stop::Other(_) => Ok(reply),
        Stop::Length => Err(Failure::Truncated { reply: Box::new(reply) }),
        Stop::ContentFilter => Err(Failure::Filtered { body: None, reply: Some(Box::new(reply)) }),
        Stop::Refusal(text) => {
            let text = Excerpt::new(text.as_bytes(), secrets);
            Err(Failure::Refused { text, reply: Box::new(reply) })
        }
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let value = REQUEST_ID.iter().find_map(|name| headers.get(*name))?;
    value.to_str().ok().map(str::to_owned)
}

fn clean_name(given: &str) -> String {
    given.chars().filter(|character| !character.is_control()).take(200).collect()
}
