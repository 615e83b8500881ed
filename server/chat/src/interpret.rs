//! Interprets an HTTP response as a reply or a failure.

use reqwest::header::HeaderMap;

use crate::excerpt::{Excerpt, Secrets};
use crate::failure::Failure;
use crate::model_name::ModelName;
use crate::providers::{self, Unreadable};
use crate::reply::{Reply, Stop};
use crate::retry::retry_after;
use crate::transport::Answer;

/// The headers with the request id: OpenAI and compatible, Anthropic, Oracle Cloud.
const REQUEST_ID: [&str; 3] = ["x-request-id", "request-id", "opc-request-id"];

/// Interprets the response of `model`. With a schema, an incomplete answer is a failure.
pub(crate) fn interpret(
    model: &ModelName,
    with_schema: bool,
    answer: &Answer,
    secrets: &Secrets,
) -> Result<Reply, Failure> {
    let came = || Excerpt::new(&answer.body, secrets);
    if !(200..300).contains(&answer.status) {
        return Err(of_status(answer, came()));
    }
    if let Some(found) = answer.other_than_json() {
        return Err(Failure::WrongContentType { found, came: came() });
    }
    let answered = providers::read(model.provider(), &answer.body, with_schema)
        .map_err(|unreadable| of_body(unreadable, came()))?;
    // The answer is stored and shown, so a key repeated by a model or gateway must not stay in it.
    let shown = |text: String| secrets.hidden_in(text);
    let word = |given: &str| shown(word(given));
    let reply = Reply {
        text: shown(answered.text),
        model: answered.model.map_or_else(|| model.model().to_owned(), |name| word(&name)),
        stop: match answered.stop {
            Stop::Other(reason) => Stop::Other(word(&reason)),
            Stop::Refusal(said) => Stop::Refusal(shown(said)),
            known => known,
        },
        usage: answered.usage,
        attempts: Vec::new(),
        request_id: request_id(&answer.headers).or(answered.id).map(|id| word(&id)),
    };
    if with_schema { whole(reply, secrets) } else { Ok(reply) }
}

fn of_status(answer: &Answer, came: Excerpt) -> Failure {
    let status = answer.status;
    let error = providers::in_error_body(&answer.body);
    let retry_after = retry_after(&answer.headers).or(error.retry_after);
    match status {
        _ if error.is_quota() => Failure::QuotaExhausted { came },
        300..=399 => Failure::Redirected { status },
        400 | 422 if error.is_content_filter() => {
            Failure::Filtered { came: Some(came), reply: None }
        }
        400 | 422 if error.is_too_large() => Failure::RequestTooLarge { came },
        400 | 422 => Failure::RequestRefused { status, came },
        401 | 403 => Failure::KeyRefused { status, came },
        402 => Failure::QuotaExhausted { came },
        404 => Failure::ModelNotFound { came },
        413 => Failure::RequestTooLarge { came },
        429 => Failure::RateLimited { retry_after, came },
        // Neither "not implemented" nor "HTTP version not supported" is transient.
        501 | 505 => Failure::OtherStatus { status, came },
        408 | 500..=599 => Failure::Unavailable { status, retry_after, came },
        _ => Failure::OtherStatus { status, came },
    }
}

fn of_body(unreadable: Unreadable, came: Excerpt) -> Failure {
    match unreadable {
        Unreadable::NotJson(reason) => Failure::NotJson { reason, came },
        Unreadable::WrongShape(reason) => Failure::WrongShape { reason, came },
        Unreadable::Empty => Failure::EmptyAnswer,
        Unreadable::OnlyReasoning => Failure::OnlyReasoning,
        Unreadable::ContextFull => Failure::RequestTooLarge { came },
        Unreadable::Error(error) if error.is_quota() => Failure::QuotaExhausted { came },
        Unreadable::Error(error) if error.is_content_filter() => {
            Failure::Filtered { came: Some(came), reply: None }
        }
        Unreadable::Error(error) if error.is_too_large() => Failure::RequestTooLarge { came },
        Unreadable::Error(error) if error.is_rate_limit() => {
            Failure::RateLimited { retry_after: error.retry_after, came }
        }
        Unreadable::Error(error) if error.is_key() => Failure::KeyRefused { status: 200, came },
        Unreadable::Error(error) => {
            Failure::ErrorInAnswer { transient: error.is_transient(), came }
        }
    }
}

/// Returns a failure for an incomplete reply, which does not follow the schema.
fn whole(reply: Reply, secrets: &Secrets) -> Result<Reply, Failure> {
    match &reply.stop {
        Stop::Complete | Stop::Other(_) => Ok(reply),
        Stop::Length => Err(Failure::Truncated { reply: Box::new(reply) }),
        Stop::ContentFilter => Err(Failure::Filtered { came: None, reply: Some(Box::new(reply)) }),
        Stop::Refusal(said) => {
            let said = Excerpt::new(said.as_bytes(), secrets);
            Err(Failure::Refused { said, reply: Box::new(reply) })
        }
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let value = REQUEST_ID.iter().find_map(|name| headers.get(*name))?;
    value.to_str().ok().map(str::to_owned)
}

/// Removes control characters from a name given by a provider and truncates it.
fn word(given: &str) -> String {
    given.chars().filter(|character| !character.is_control()).take(200).collect()
}
