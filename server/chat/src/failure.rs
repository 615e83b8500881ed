//! This module lists every failure of a call, each with its code, whether a retry can help, and the fix.

use std::fmt;
use std::time::Duration;

use crate::excerpt::Excerpt;
use crate::reply::Reply;

/// What a call was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waiting for a permit or for the rate.
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

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Nobody listens, the name has no address, the network is down.
    #[error("cannot connect: {reason}; check the base URL and that the provider runs")]
    Connect {
        /// What the system said.
        reason: String,
    },
    /// A certificate that is not trusted, or a peer that does not speak TLS.
    #[error(
        "TLS failed: {reason}; check that the base URL should begin with https, and name the certificate authority of a gateway of your own"
    )]
    Tls {
        /// What is wrong.
        reason: String,
    },
    /// Connecting took too long, TLS included.
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
    /// The caller's deadline came first.
    #[error("the deadline passed while {phase}; give the call more time")]
    DeadlinePassed {
        /// What the call was doing.
        phase: Phase,
    },
    /// The caller's deadline had passed already.
    #[error("the deadline had passed before the call; give it more time")]
    DeadlineBeforeStart,
    /// The connection was lost.
    #[error("the connection was lost while {phase}: {reason}; ask again")]
    ConnectionLost {
        /// What the call was doing.
        phase: Phase,
        /// What the system said.
        reason: String,
    },
    /// 401 or 403.
    #[error(
        "status {status}, the key is refused: {came}; check the key (key_file or key_env of the model, or the provider's own variable) and what it may use"
    )]
    KeyRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        came: Excerpt,
    },
    /// 404.
    #[error("status 404: {came}; check the name of the model and the base URL")]
    ModelNotFound {
        /// The body.
        came: Excerpt,
    },
    /// 429, or its word for it.
    #[error("too many requests: {came}; {}", wait(*retry_after))]
    RateLimited {
        /// What the provider asks to wait.
        retry_after: Option<Duration>,
        /// The body.
        came: Excerpt,
    },
    /// The account has no credit left, which waiting does not fix.
    #[error("the account is exhausted: {came}; add credit or raise its limit with the provider")]
    QuotaExhausted {
        /// The body.
        came: Excerpt,
    },
    /// 400 or 422.
    #[error(
        "status {status}, the request is refused: {came}; for a model that takes no schema set structured_output = \"off\", and no temperature for one that takes none"
    )]
    RequestRefused {
        /// The HTTP status.
        status: u16,
        /// The body.
        came: Excerpt,
    },
    /// 413, or more tokens than the model reads.
    #[error(
        "the request is too large for the model: {came}; lower max_evidence of the model, or send less evidence"
    )]
    RequestTooLarge {
        /// The body.
        came: Excerpt,
    },
    /// A redirect, which is not followed: the key would go along.
    #[error("status {status}, a redirect, which is not followed; give the base URL it leads to")]
    Redirected {
        /// The HTTP status.
        status: u16,
    },
    /// 408 or 5xx: the provider cannot, for now.
    #[error("status {status}, the provider is unavailable: {came}; {}", wait(*retry_after))]
    Unavailable {
        /// The HTTP status.
        status: u16,
        /// What the provider asks to wait.
        retry_after: Option<Duration>,
        /// The body.
        came: Excerpt,
    },
    /// Any other status.
    #[error("status {status} is none that a provider gives: {came}; check the base URL")]
    OtherStatus {
        /// The HTTP status.
        status: u16,
        /// The body.
        came: Excerpt,
    },
    /// Status 200 with an error inside.
    #[error("status 200 with an error in it: {came}; {}", if *transient { "ask again" } else { "fix what it names" })]
    ErrorInAnswer {
        /// Whether the error is one that passes.
        transient: bool,
        /// The body.
        came: Excerpt,
    },
    /// Not JSON by its own word, or compressed though nothing compressed was asked for.
    #[error(
        "the answer is {found}, not application/json: {came}; check that the base URL is the provider's API"
    )]
    WrongContentType {
        /// The content type, and the encoding where there is one.
        found: String,
        /// The body.
        came: Excerpt,
    },
    /// More bytes than allowed.
    #[error(
        "the answer has more than {limit} bytes; raise max_answer_bytes, or ask for fewer tokens"
    )]
    AnswerTooLarge {
        /// The most bytes.
        limit: usize,
    },
    /// The body is no JSON.
    #[error("the answer is no JSON ({reason}): {came}; ask again, or check the base URL")]
    NotJson {
        /// What is wrong, and where.
        reason: String,
        /// The body.
        came: Excerpt,
    },
    /// JSON, but not what this provider answers.
    #[error(
        "the answer is not as this provider answers ({reason}): {came}; check that provider and base URL belong together"
    )]
    WrongShape {
        /// What is missing or otherwise wrong.
        reason: String,
        /// The body.
        came: Excerpt,
    },
    /// An answer without a text.
    #[error("the answer is empty; ask again")]
    EmptyAnswer,
    /// The model reasoned and answered nothing.
    #[error(
        "the model reasoned and gave no answer; turn the server's parser of reasoning off for this model, or set structured_output otherwise"
    )]
    OnlyReasoning,
    /// The model will not answer (asked with a schema; without, [`Reply::stop`] tells).
    #[error(
        "the model refuses to answer: {said}; word the question otherwise, or ask another model"
    )]
    Refused {
        /// What it said.
        said: Excerpt,
        /// What came, with its tokens.
        reply: Box<Reply>,
    },
    /// The provider held question or answer back.
    #[error("the provider's content filter holds the answer back{}; change its settings there, or ask another model", came.as_ref().map(|came| format!(": {came}")).unwrap_or_default())]
    Filtered {
        /// The body, where the request was refused.
        came: Option<Excerpt>,
        /// What came, with its tokens; `None` where the request was refused.
        reply: Option<Box<Reply>>,
    },
    /// The answer ends before its end (asked with a schema; without, [`Reply::stop`] tells).
    #[error(
        "the answer is cut off after {} bytes of text; raise max_output_tokens, or ask for less at once",
        reply.text.len()
    )]
    Truncated {
        /// What came, with its tokens.
        reply: Box<Reply>,
    },
    /// The provider failed again and again, and is left alone for a while.
    #[error(
        "the provider has failed {failures} times in a row and is not asked; the next attempt is possible in {retry_in:?}"
    )]
    CircuitOpen {
        /// The number of failures in a row that opened the circuit.
        failures: u32,
        /// When it is tried again; zero while one call is trying it.
        retry_in: Duration,
    },
    /// Asking now would exceed the rate that is configured.
    #[error(
        "requests_per_minute allows the next request in {retry_in:?}, after the deadline; raise it, or ask later"
    )]
    RateLimitedHere {
        /// When a permit is free.
        retry_in: Duration,
    },
    /// As many calls run and wait as may.
    #[error(
        "{concurrent} calls run and {waiting} wait, as many as may; raise max_concurrent or max_waiting, or ask later"
    )]
    TooManyCalls {
        /// The most calls that run.
        concurrent: usize,
        /// The most calls that wait.
        waiting: usize,
    },
    /// The schema cannot be said in the provider's words.
    #[error("the schema cannot be written for this provider: {reason}")]
    SchemaUnsupported {
        /// What cannot, and the fix.
        reason: String,
    },
}

fn wait(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(duration) => format!("ask again in {duration:?}"),
        None => "ask again later".to_owned(),
    }
}

/// What a failure says about the provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// It answers, though perhaps not as hoped.
    Alive,
    /// It does not.
    Broken,
    /// Nothing.
    Unknown,
}

impl Failure {
    /// The stable name.
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

    /// Whether the same question may be answered later, unchanged.
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

    /// How long to wait at least, where that is known.
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

    /// A deadline says more about the caller than about the provider; a refused request shows one that works.
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

    /// What came nevertheless, with its tokens.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Refused { reply, .. } | Self::Truncated { reply } => Some(reply),
            Self::Filtered { reply, .. } => reply.as_deref(),
            _ => None,
        }
    }
}
