//! The reasons for failed calls.

use std::fmt;
use std::time::Duration;

use crate::excerpt::Excerpt;
use crate::reply::Reply;

/// A phase of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a permit or for the rate limit.
    Queue,
    /// Connecting, sending, and waiting for the first byte.
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

/// The reason for a failed call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The connection was refused, the host is unknown, or the network is down.
    #[error("cannot connect: {reason}; check the base URL, and that the provider is running")]
    Connect {
        /// The operating system's error.
        reason: String,
    },
    /// The certificate is untrusted, or the peer does not use TLS.
    #[error(
        "TLS failed: {reason}; check that the server expects https, and configure the certificate authority of a private gateway"
    )]
    Tls {
        /// The cause.
        reason: String,
    },
    /// The connection, including TLS, was not established in time.
    #[error(
        "no connection within {after:?}; check the base URL and the network, or raise connect_timeout"
    )]
    ConnectTimeout {
        /// The limit.
        after: Duration,
    },
    /// The first byte was not received in time.
    #[error(
        "the answer did not begin within {after:?}; raise first_byte_timeout, or request fewer tokens"
    )]
    FirstByteTimeout {
        /// The limit.
        after: Duration,
    },
    /// The answer was not complete in time.
    #[error(
        "the answer was not complete within {after:?}; raise total_timeout, or request fewer tokens"
    )]
    TotalTimeout {
        /// The limit.
        after: Duration,
    },
    /// The caller's deadline passed during the call.
    #[error("the deadline passed while {phase}; set a later deadline")]
    DeadlinePassed {
        /// The phase of the call.
        phase: Phase,
    },
    /// The caller's deadline passed before the call.
    #[error("the deadline had passed before the call; set a later deadline")]
    DeadlineBeforeStart,
    /// The connection was lost.
    #[error("the connection was lost while {phase}: {reason}; retry")]
    ConnectionLost {
        /// The phase of the call.
        phase: Phase,
        /// The operating system's error.
        reason: String,
    },
    /// Status 401 or 403.
    #[error(
        "status {status}, the key was rejected: {body}; check the key (key_file or key_env of the model, or the provider's own variable) and its permissions"
    )]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Excerpt,
    },
    /// Status 404.
    #[error("status 404: {body}; check the name of the model and the base URL")]
    ModelNotFound {
        /// The body.
        body: Excerpt,
    },
    /// Status 429, or an equivalent error.
    #[error("too many requests: {body}; {}", retry_advice(*retry_after))]
    RateLimited {
        /// The delay requested by the provider.
        retry_after: Option<Duration>,
        /// The body.
        body: Excerpt,
    },
    /// The account has no credit left. Retrying does not help.
    #[error(
        "the account has no credit left: {body}; add credit or raise its limit with the provider"
    )]
    QuotaExhausted {
        /// The body.
        body: Excerpt,
    },
    /// Status 400 or 422.
    #[error(
        "status {status}, the request was rejected: {body}; if the model does not support schemas, set structured_output = \"off\"; if it does not support a temperature, do not set one"
    )]
    RequestRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: Excerpt,
    },
    /// Status 413, or the request exceeds the model's context.
    #[error(
        "the request is too large for the model: {body}; lower max_evidence of the model, or send less evidence"
    )]
    RequestTooLarge {
        /// The body.
        body: Excerpt,
    },
    /// A redirect, which is not followed because that would send the key to another server.
    #[error("status {status}, a redirect, which is not followed; set base_url to its target")]
    Redirected {
        /// The HTTP status.
        status: u16,
    },
    /// Status 408 or 5xx: the provider is temporarily unavailable.
    #[error("status {status}, the provider is unavailable: {body}; {}", retry_advice(*retry_after))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// The delay requested by the provider.
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
    #[error("status 200 with an error in the body: {body}; {}", if *transient { "retry" } else { "fix the reported error" })]
    ErrorInAnswer {
        /// `true` if the error is transient.
        transient: bool,
        /// The body.
        body: Excerpt,
    },
    /// The content type is not JSON, or the body is compressed although no encoding was requested.
    #[error(
        "the answer is {found}, not application/json: {body}; check that the base URL is the provider's API"
    )]
    WrongContentType {
        /// The content type, and the encoding if any.
        found: String,
        /// The body.
        body: Excerpt,
    },
    /// The answer is too large.
    #[error(
        "the answer has more than {limit} bytes; raise max_answer_bytes, or request fewer tokens"
    )]
    AnswerTooLarge {
        /// The maximum size in bytes.
        limit: usize,
    },
    /// The body is not valid JSON.
    #[error("the answer is not valid JSON ({reason}): {body}; retry, or check the base URL")]
    NotJson {
        /// The parser's error.
        reason: String,
        /// The body.
        body: Excerpt,
    },
    /// The body is JSON, but not in the provider's format.
    #[error(
        "the answer does not have the format of this provider ({reason}): {body}; check that the provider and the base URL match"
    )]
    WrongShape {
        /// The difference, such as a missing member.
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
    /// The model refused to answer. Reported only with a schema; otherwise see [`Reply::stop`].
    #[error("the model refused to answer: {text}; rephrase the question, or use another model")]
    Refused {
        /// The text of the refusal.
        text: Excerpt,
        /// The incomplete reply.
        reply: Box<Reply>,
    },
    /// The provider's content filter blocked the request or the answer.
    #[error("the provider's content filter blocked the answer{}; change its settings, or use another model", body.as_ref().map(|body| format!(": {body}")).unwrap_or_default())]
    Filtered {
        /// The body, if the request was blocked.
        body: Option<Excerpt>,
        /// The incomplete reply. Absent if the request was blocked.
        reply: Option<Box<Reply>>,
    },
    /// The answer was truncated. Reported only with a schema; otherwise see [`Reply::stop`].
    #[error(
        "the answer was truncated after {} bytes of text; raise max_output_tokens, or request a shorter answer",
        reply.text.len()
    )]
    Truncated {
        /// The incomplete reply.
        reply: Box<Reply>,
    },
    /// The circuit breaker is open after repeated failures.
    #[error(
        "the provider failed {failures} times in a row and is not called; retry in {retry_in:?}"
    )]
    CircuitOpen {
        /// The number of consecutive failures that opened the circuit.
        failures: u32,
        /// The time until the next probe, or zero while a probe is running.
        retry_in: Duration,
    },
    /// The configured rate does not allow the call before its deadline.
    #[error(
        "requests_per_minute allows the next request in {retry_in:?}, which is after the deadline; raise the limit, or retry later"
    )]
    RateLimitedHere {
        /// The time until the rate allows another request.
        retry_in: Duration,
    },
    /// The limits for running and waiting calls are reached.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// The provider responds, even if with an error.
    Alive,
    /// The provider does not respond properly.
    Broken,
    /// The failure does not indicate the provider's health.
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

    /// Returns the health that the failure indicates. A rejected request shows that the provider works.
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

    /// Returns the incomplete reply, if there is one.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Refused { reply, .. } | Self::Truncated { reply } => Some(reply),
            Self::Filtered { reply, .. } => reply.as_deref(),
            _ => None,
        }
    }
}
