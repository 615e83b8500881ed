//! Error types for pools and embedding.

use crate::model::ModelError;

/// An error from a pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The model failed on this question, even when run alone.
    #[error("the answer to a question of {bytes} bytes cannot be computed: {reason}")]
    Session {
        /// The length of the question in bytes.
        bytes: usize,
        /// The error from the session.
        reason: String,
    },
    /// The pool has stopped.
    #[error("the pool has stopped; restart it")]
    Ended,
}

/// An error from embedding texts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model failed on this text, even when run alone.
    #[error("a text of {bytes} bytes cannot be embedded: {reason}")]
    Session {
        /// The length of the text in bytes.
        bytes: usize,
        /// The error from the session.
        reason: String,
    },
    /// The pool has stopped.
    #[error("the embedding pool has stopped; restart it")]
    Ended,
}

impl From<PoolError> for EmbedError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Session { bytes, reason } => Self::Session { bytes, reason },
            PoolError::Ended => Self::Ended,
        }
    }
}

/// An error from starting a pool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// An option is out of range.
    #[error("option {field}: {given} is not allowed; expected {allowed}")]
    InvalidOption {
        /// The option's name.
        field: &'static str,
        /// The given value.
        given: u64,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The sessions have different dimensions.
    #[error(
        "the sessions of the pool return vectors of {first} and {other} values; use sessions for the same model"
    )]
    Dimensions {
        /// The dimension of the first session.
        first: usize,
        /// The dimension of another session.
        other: usize,
    },
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A thread cannot be started.
    #[error("failed to start a pool thread: {reason}; raise the thread limit or use fewer workers")]
    Thread {
        /// The error from the operating system.
        reason: String,
    },
}
