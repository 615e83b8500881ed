//! A model's reply. `Debug` omits its texts, because they may contain evidence.

use std::fmt;
use std::time::Duration;

/// A model's reply.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text of the answer. If a schema was sent, the text is not validated against it.
    pub text: String,
    /// The model as named by the provider, or else the requested model.
    pub model: String,
    /// The reason for stopping.
    pub stop: Stop,
    /// The token usage, if the provider reports it.
    pub usage: Option<Usage>,
    /// The attempts, in the order in which they ended.
    pub attempts: Vec<Attempt>,
    /// The request id in the provider's logs.
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

/// A model's reason for stopping.
#[derive(Clone, PartialEq, Eq)]
pub enum Stop {
    /// The answer is complete.
    Complete,
    /// The maximum number of tokens was reached.
    Length,
    /// The model refused to answer. Contains its explanation, which may be empty.
    Refusal(String),
    /// The provider's content filter blocked the answer.
    ContentFilter,
    /// Another reason, as named by the provider.
    Other(String),
}

impl Stop {
    /// Returns the name of the reason, without the text of a refusal.
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

/// The token usage of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All input tokens, cached or not.
    pub input: u64,
    /// All output tokens, including reasoning.
    pub output: u64,
    /// The number of `input` tokens from the provider's cache.
    pub cached: Option<u64>,
    /// The number of `output` tokens used for reasoning, which are not in the text.
    pub reasoning: Option<u64>,
}

/// A request sent to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The HTTP status, if there was a response.
    pub status: Option<u16>,
    /// The failure code, or `ABANDONED` if a concurrent attempt answered first. Absent if the attempt was answered.
    pub failure: Option<&'static str>,
    /// The time from admission to the end of the attempt.
    pub took: Duration,
    /// The time before admission, spent waiting for a permit or the rate limit, or between attempts.
    pub waited: Duration,
    /// `true` for a hedging attempt.
    pub hedge: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_omits_texts() {
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
