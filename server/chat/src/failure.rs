//! The failures of a call, each with its code, its fix, and whether a retry can help.

use std::fmt;
use std::time::Duration;

use crate::excerpt::Excerpt;
use crate::reply::Reply;

/// The phase of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a permit or for the rate limit.
    Queue,
    /// Connecting, sending, and waiting for the answer to begin.
    FirstByte,
    /// Reading the answer.
    Body,
}

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Queue => "waiting for a permit",
            Self::FirstByte => "waiting for the answer to begin",
            Self::Body => "reading the answer",
        })
    }
}

/// The reason why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The connection was refused, the host is unknown, or the network is down.
    #[error("cannot connect: {reason}; check the base URL and that the provider runs")]
    Connect {
        /// The error from the operating system.
        reason: String,
    },
    /// A certificate that is not trusted, or a peer that does not speak TLS.
    #[error(
        "TLS failed: {reason}; check that the base URL should begin with https, and configure the certificate authority of a private gateway"
    )]
    Tls {
        /// The cause.
        reason: String,
    },
    /// Connecting, including TLS, took too long.
    #[error(
        "no connection within {after:?}; check the base URL and the network, or raise connect_timeout"
    )]
    ConnectTimeout {
        /// The limit.
        after: Duration,
    },
    /// The answer did not begin in time.
    #[error(
        "the answer did not begin within {after:?}; raise first_byte_timeout, or ask for fewer tokens"
    )]
    FirstByteTimeout {
        /// The limit.
        after: Duration,
    },
    /// The answer did not end in time.
    #[error(
        "the answer did not end within {after:?}; raise total_timeout, or ask for fewer tokens"
    )]
    TotalTimeout {
        /// The limit.
        after: Duration,
    },
    /// The caller's deadline passed.
    #[error("the deadline passed while {phase}; give the call more time")]
    DeadlinePassed {
        /// The phase of the call.
        phase: Phase,
    },
    /// The caller's deadline had passed before the call.
    #[error("the deadline had passed before the call; give it more time")]
    DeadlineBeforeStart,
    /// The connection was lost.
    #[error("the connection was lost while {phase}: {reason}; retry")]
    ConnectionLost {
        /// The phase of the call.
        phase: Phase,
        /// The error from the operating system.
        reason: String,
    },
    /// 401 or 403.
    #[error(
        "status {status}, the key was rejected: {body}; check the key (key_file or key_env of the model, or the provider's own variable) and its permissions"
    )]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Excerpt,
    },
    /// 404.
    #[error("status 404: {body}; check the name of the model and the base URL")]
    ModelNotFound {
        /// The body.
        body: Excerpt,
    },
    /// 429, or an equivalent error.
    #[error("too many requests: {body}; {}", retry_advice(*retry_after))]
    RateLimited {
        /// The time to wait requested by the provider.
        retry_after: Option<Duration>,
        /// The body.
        body: Excerpt,
    },
    /// The account has no credit left; waiting does not help.
    #[error(
        "the account has no credit left: {body}; add credit or raise its limit with the provider"
    )]
    QuotaExhausted {
        /// The body.
        body: Excerpt,
    },
    /// 400 or 422.
    #[error(
        "status {status}, the request was rejected: {body}; if the model does not support schemas, set structured_output = \"off\"; if it does not support a temperature, set none"
    )]
    RequestRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Excerpt,
    },
    /// 413, or more tokens than the context of the model.
    #[error(
        "the request is too large for the model: {body}; lower max_evidence of the model, or send less evidence"
    )]
    RequestTooLarge {
        /// The body.
        body: Excerpt,
    },
    /// A redirect. It is not followed, because that would send the key to another server.
    #[error("status {status}, a redirect, which is not followed; set base_url to its target")]
    Redirected {
        /// The HTTP status.
        status: u16,
    },
    /// 408 or 5xx: the provider is temporarily unavailable.
    #[error("status {status}, the provider is unavailable: {body}; {}", retry_advice(*retry_after))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// The time to wait requested by the provider.
        retry_after: Option<Duration>,
        /// The body.
        body: Excerpt,
    },
    /// Any other status.
    #[error("unexpected status {status}: {body}; check the base URL")]
    OtherStatus {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Excerpt,
    },
    /// Status 200 with an error in the body.
    #[error("status 200 with an error in it: {body}; {}", if *transient { "retry" } else { "fix the named cause" })]
    ErrorInAnswer {
        /// `true` if the error is transient.
        transient: bool,
        /// The body.
        body: Excerpt,
    },
    /// The content type is not JSON, or the body is compressed although that was not requested.
    #[error(
        "the answer is {found}, not application/json: {body}; check that the base URL is the provider's API"
    )]
    WrongContentType {
        /// The content type, and the encoding, if any.
        found: String,
        /// The body.
        body: Excerpt,
    },
    /// The answer is too large.
    #[error(
        "the answer has more than {limit} bytes; raise max_answer_bytes, or ask for fewer tokens"
    )]
    AnswerTooLarge {
        /// The maximum number of bytes.
        limit: usize,
    },
    /// The body is not valid JSON.
    #[error("the answer is not valid JSON ({reason}): {body}; retry, or check the base URL")]
    NotJson {
        /// The cause and its position.
        reason: String,
        /// The body.
        body: Excerpt,
    },
    /// The body is JSON, but not in the format of this provider.
    #[error(
        "the answer does not have the format of this provider ({reason}): {body}; check that the provider and the base URL match"
    )]
    WrongShape {
        /// The cause, such as a missing member.
        reason: String,
        /// The body.
        body: Excerpt,
    },
    /// The answer has no text.
    #[error("the answer is empty; retry")]
    EmptyAnswer,
    /// The answer has reasoning but no text.
    #[error(
        "the model returned reasoning but no answer; turn off the server's reasoning parser for this model, or change structured_output"
    )]
    OnlyReasoning,
    /// The model refused to answer. Only with a schema; otherwise see [`Reply::stop`].
    #[error("the model refused to answer: {text}; rephrase the question, or use another model")]
    Refused {
        /// The text of the refusal.
        text: Excerpt,
        /// The incomplete reply with its tokens.
        reply: Box<Reply>,
    },
    /// The provider's content filter blocked the request or the answer.
    #[error("the provider's content filter blocked the answer{}; change its settings, or use another model", body.as_ref().map(|body| format!(": {body}")).unwrap_or_default())]
    Filtered {
        /// The body, if the request was blocked.
        body: Option<Excerpt>,
        /// The incomplete reply with its tokens; `None` if the request was blocked.
        reply: Option<Box<Reply>>,
    },
    /// The answer was truncated. Only with a schema; otherwise see [`Reply::stop`].
    #[error(
        "the answer was truncated after {} bytes of text; raise max_output_tokens, or ask for less at once",
        reply.text.len()
    )]
    Truncated {
        /// The incomplete reply with its tokens.
        reply: Box<Reply>,
    },
    /// The circuit breaker is open after repeated failures.
    #[error(
        "the provider failed {failures} times in a row and is not called; the next attempt is possible in {retry_in:?}"
    )]
    CircuitOpen {
        /// The number of failures in a row that opened the circuit.
        failures: u32,
        /// The time until the next probe; zero while a probe is running.
        retry_in: Duration,
    },
    /// The call would exceed the configured rate.
    #[error(
        "requests_per_minute allows the next request in {retry_in:?}, after the deadline; raise it, or retry later"
    )]
    RateLimitedHere {
        /// The time until the rate allows another request.
        retry_in: Duration,
    },
    /// The maximum numbers of running and waiting calls are reached.
    #[error(
        "{concurrent} calls are running and {waiting} are waiting, which is the maximum; raise max_concurrent or max_waiting, or retry later"
    )]
    TooManyCalls {
        /// The maximum number of running calls.
        concurrent: usize,
        /// The maximum number of waiting calls.
        waiting: usize,
    },
    /// The provider does not support the schema.
    #[error("the schema is not supported by this provider: {reason}")]
    SchemaUnsupported {
        /// The cause and the fix.
        reason: String,
    },
}

fn retry_advice(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(duration) => format!("retry in {duration:?}"),
        None => "retry later".to_owned(),
    }
}

/// The health of the provider, as far as a failure indicates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// It responds, even if with an error.
    Alive,
    /// It does not respond properly.
    Broken,
    /// The failure indicates nothing.
    Unknown,
}

impl Failure {
    /// Returns the stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Connect { .. } => "CONNECT_FAILED",
            Self::Tls { .. } => "TLS_FAILED",
            Self::ConnectTimeout { .. } => "CONNECT_TIMEOUT",
            Self::FirstByteTimeout { .. } => "FIRST_BYTE_TIMEOUT",
            Self::TotalTimeout { .. } => "TOTAL_TIMEOUT",
            Self::DeadlinePassed { .. } => "DEADLINE_PASSED",
            Self::DeadlineBeforeStart => "DEADLINE_BEFORE_START",
            Self::ConnectionLost { .. } => "CONNECTION_LOST",
            Self::KeyRefused { .. } => "KEY_REFUSED",
            Self::ModelNotFound { .. } => "MODEL_NOT_FOUND",
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::QuotaExhausted { .. } => "QUOTA_EXHAUSTED",
            Self::RequestRefused { .. } => "REQUEST_REFUSED",
            Self::RequestTooLarge { .. } => "REQUEST_TOO_LARGE",
            Self::Redirected { .. } => "REDIRECTED",
            Self::Unavailable { .. } => "PROVIDER_UNAVAILABLE",
            Self::OtherStatus { .. } => "UNEXPECTED_STATUS",
            Self::ErrorInAnswer { .. } => "ERROR_IN_ANSWER",
            Self::WrongContentType { .. } => "WRONG_CONTENT_TYPE",
            Self::AnswerTooLarge { .. } => "ANSWER_TOO_LARGE",
            Self::NotJson { .. } => "ANSWER_NOT_JSON",
            Self::WrongShape { .. } => "ANSWER_WRONG_SHAPE",
            Self::EmptyAnswer => "ANSWER_EMPTY",
            Self::OnlyReasoning => "ANSWER_IN_REASONING",
            Self::Refused { .. } => "MODEL_REFUSED",
            Self::Filtered { .. } => "CONTENT_FILTERED",
            Self::Truncated { .. } => "ANSWER_TRUNCATED",
            Self::CircuitOpen { .. } => "CIRCUIT_OPEN",
            Self::RateLimitedHere { .. } => "RATE_LIMITED_HERE",
            Self::TooManyCalls { .. } => "TOO_MANY_CALLS",
            Self::SchemaUnsupported { .. } => "SCHEMA_UNSUPPORTED",
        }
    }

    /// Returns `true` if the same request may succeed later.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::ErrorInAnswer { transient, .. } => *transient,
            Self::Connect { .. }
            | Self::ConnectTimeout { .. }
            | Self::FirstByteTimeout { .. }
            | Self::TotalTimeout { .. }
            | Self::ConnectionLost { .. }
            | Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::NotJson { .. }
            | Self::EmptyAnswer
            | Self::CircuitOpen { .. }
            | Self::RateLimitedHere { .. }
            | Self::TooManyCalls { .. } => true,
            _ => false,
        }
    }

    /// Returns the minimum time to wait before a retry, if known.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => {
                *retry_after
            }
            Self::CircuitOpen { retry_in, .. } | Self::RateLimitedHere { retry_in } => {
                Some(*retry_in)
            }
            _ => None,
        }
    }

    /// A passed deadline says nothing about the provider; a refused request shows that it works.
    pub(crate) const fn health(&self) -> Health {
        match self {
            Self::Connect { .. }
            | Self::Tls { .. }
            | Self::ConnectTimeout { .. }
            | Self::FirstByteTimeout { .. }
            | Self::TotalTimeout { .. }
            | Self::ConnectionLost { .. }
            | Self::Unavailable { .. }
            | Self::WrongContentType { .. }
            | Self::NotJson { .. }
            | Self::WrongShape { .. } => Health::Broken,
            Self::DeadlinePassed { .. }
            | Self::DeadlineBeforeStart
            | Self::CircuitOpen { .. }
            | Self::RateLimitedHere { .. }
            | Self::TooManyCalls { .. }
            | Self::SchemaUnsupported { .. } => Health::Unknown,
            Self::ErrorInAnswer { transient: true, .. } => Health::Broken,
            _ => Health::Alive,
        }
    }

    /// Returns the incomplete reply with its tokens, if there is one.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Refused { reply, .. } | Self::Truncated { reply } => Some(reply),
            Self::Filtered { reply, .. } => reply.as_deref(),
            _ => None,
        }
    }
}
