//! This module is the error of a question without an answer: the model asked, the attempts made, and why the last one
//! failed.

use std::fmt;
use std::time::Duration;

use crate::failure::Failure;
use crate::model_name::ModelName;
use crate::reply::{Attempt, Reply};

/// A question that was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatError {
    /// Who was asked.
    pub model: ModelName,
    /// Where, without secrets.
    pub url: String,
    /// Why the last attempt failed, or why none was made.
    pub failure: Box<Failure>,
    /// What was tried, oldest first; empty when nothing left this process.
    pub attempts: Vec<Attempt>,
}

impl ChatError {
    /// The stable name of the failure.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.failure.code()
    }

    /// Whether the same question may be answered later, unchanged.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        self.failure.is_retryable()
    }

    /// How long to wait at least, where that is known.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.failure.retry_after()
    }

    /// What came nevertheless, with its tokens.
    #[must_use]
    pub fn reply(&self) -> Option<&Reply> {
        self.failure.reply()
    }
}

impl fmt::Display for ChatError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.model, self.failure)?;
        match self.attempts.len() {
            0 => Ok(()),
            1 => write!(formatter, " (called {})", self.url),
            number => write!(formatter, " (called {} {number} times)", self.url),
        }
    }
}

impl std::error::Error for ChatError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        None
    }
}
