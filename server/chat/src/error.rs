//! The error from a failed call.

use std::fmt;

use crate::failure::Failure;
use crate::model_name::ModelName;
use crate::reply::{Attempt, Reply};

/// An error from [`crate::Chat::ask`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatError {
    /// The name of the model.
    pub model: ModelName,
    /// The requested URL, without secrets.
    pub url: String,
    /// The failure of the last attempt, or the reason why no attempt was made.
    pub failure: Box<Failure>,
    /// The attempts, with the oldest first. Empty if no request was sent.
    pub attempts: Vec<Attempt>,
}

impl ChatError {
    /// Returns the stable code of the failure.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.failure.code()
    }

    /// Returns the incomplete reply, if there is one.
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
