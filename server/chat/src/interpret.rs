//! This module interprets an HTTP answer as a reply or a failure. It knows no HTTP client and never waits.

use reqwest::header::HeaderMap;

use crate::excerpt::{Excerpt, Secrets};
use crate::failure::Failure;
use crate::model_name::ModelName;
use crate::providers::{self, Unreadable};
use crate::reply::{Reply, Stop};
use crate::retry::retry_after;
use crate::transport::Answer;

/// Where providers put the name of a call, OpenAI and its like, Anthropic, Oracle Cloud.
const REQUEST_ID: [&str; 3] = ["x-request-id", "request-id", "opc-request-id"];

/// Reads the answer of `model`. With a schema, an answer that is not whole is a failure.
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
    // The answer is kept and shown; a model or a gateway that repeats the key must not get it there.
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
        // Neither "not implemented" nor "this version of HTTP is not supported" passes by itself.
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

/// What was asked for with a schema is of use only whole.
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

/// A name as a provider gave it, short enough for a log.
fn word(given: &str) -> String {
    given.chars().filter(|character| !character.is_control()).take(200).collect()
}
