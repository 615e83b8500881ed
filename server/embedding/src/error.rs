//! This module holds the errors of a pool: of its start, of a call, and of a text to embed.

use crate::model::ModelError;

/// Why a pool did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The model failed on one of the questions, alone.
    #[error("what has {bytes} bytes cannot be computed: {reason}")]
    Session {
        /// The length of the question, in bytes.
        bytes: usize,
        /// What the session said.
        reason: String,
    },
    /// The threads of the pool are gone.
    #[error("the pool has ended; start it anew")]
    Ended,
}

/// Why texts were not embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    /// The model failed on one of the texts, alone.
    #[error("a text of {bytes} bytes cannot be embedded: {reason}")]
    Session {
        /// The length of the text, in bytes.
        bytes: usize,
        /// What the session said.
        reason: String,
    },
    /// The threads of the pool are gone.
    #[error("the pool that embeds texts has ended; start it anew")]
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

/// Why a pool could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// An option has a value that is not allowed.
    #[error("option {field}: {given} is not allowed; allowed is {allowed}")]
    InvalidOption {
        /// The option.
        field: &'static str,
        /// What was given.
        given: u64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The sessions do not give vectors of one length.
    #[error(
        "the sessions of one pool give vectors of {first} and of {other} numbers; give it sessions of one model"
    )]
    Dimensions {
        /// The number of values of the first.
        first: usize,
        /// The number of values of another.
        other: usize,
    },
    /// The model cannot be run.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The system gives no thread.
    #[error(
        "a thread of the pool cannot be started: {reason}; raise the limit of threads, or lower the number of workers"
    )]
    Thread {
        /// What the system said.
        reason: String,
    },
}
