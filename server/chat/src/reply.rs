//! This module is the reply of a model: text, tokens, time and cost. `Debug` shows no texts: they may hold evidence.

use std::fmt;
use std::time::Duration;

/// An answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// What the model wrote; with a schema, its JSON text, not compared with the schema.
    pub text: String,
    /// The model as the provider names it; the one asked for where it names none.
    pub model: String,
    /// Why the model stopped.
    pub stop: Stop,
    /// Tokens; `None` where the provider states none, which is not the same as zero.
    pub usage: Option<Usage>,
    /// What was tried, in the order in which it ended, an attempt that was abandoned behind the one that answered.
    pub attempts: Vec<Attempt>,
    /// By which the provider finds the call in its own logs.
    pub request_id: Option<String>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Reply")
            .field("text", &format_args!("{} bytes", self.text.len()))
            .field("model", &self.model)
            .field("stop", &self.stop)
            .field("usage", &self.usage)
            .field("attempts", &self.attempts)
            .field("request_id", &self.request_id)
            .finish()
    }
}

/// Why a model stopped.
#[derive(Clone, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    Complete,
    /// It had written as many tokens as it may.
    Length,
    /// It will not answer, and says why (which may be nothing).
    Refusal(String),
    /// The provider held the answer back.
    ContentFilter,
    /// Another reason, in the provider's word.
    Other(String),
}

impl Stop {
    /// The reason as a word, without what the model said.
    #[must_use]
    pub const fn name(&self) -> &str {
        match self {
            Self::Complete => "stop",
            Self::Length => "length",
            Self::Refusal(_) => "refusal",
            Self::ContentFilter => "content_filter",
            Self::Other(word) => word.as_str(),
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All tokens that were read, from a cache or not.
    pub input: u64,
    /// All tokens that were written, reasoning included.
    pub output: u64,
    /// How many tokens of `input` came from the provider's cache.
    pub cached: Option<u64>,
    /// How many tokens of `output` were reasoning and are not in the text.
    pub reasoning: Option<u64>,
}

/// One call of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The HTTP status, where one came.
    pub status: Option<u16>,
    /// The code of the failure, `ABANDONED` where the attempt beside it answered first; `None` for an answer.
    pub failure: Option<&'static str>,
    /// From admission to its end.
    pub took: Duration,
    /// Before it: for a permit, for the rate, between attempts.
    pub waited: Duration,
    /// Whether it was started beside another that took long.
    pub hedge: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_not_in_debug() {
        let reply = Reply {
            text: "password hunter2".to_owned(),
            model: "m".to_owned(),
            stop: Stop::Refusal("because of hunter2".to_owned()),
            usage: None,
            attempts: Vec::new(),
            request_id: None,
        };
        let shown = format!("{reply:?}");
        assert!(shown.contains("16 bytes") && shown.contains("refusal"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
