//! The responses that a test can configure.

use std::time::Duration;

use crate::request::Wire;

/// A response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptedReply {
    /// An answer with this text.
    Answer(String),
    /// An answer after a delay.
    AnswerAfter(Duration, String),
    /// An answer after [`crate::Server::release`].
    AnswerWhenReleased(String),
    /// An HTTP status with an error in the provider's format.
    Status(u16),
    /// Status 429 with this Retry-After value.
    RateLimited(&'static str),
    /// An HTTP status, content type and body.
    Raw(u16, &'static str, Vec<u8>),
    /// No response.
    Hang,
    /// The response head, then one byte of the body per second.
    Dribble,
    /// Half of the response head, then nothing.
    HangInHead,
    /// The connection is closed without a response.
    Close,
    /// The response head and half of the body, then a connection reset.
    Reset,
    /// Truncated JSON in a complete body.
    TruncatedJson,
    /// JSON that is not an answer.
    OtherShape,
    /// The model's refusal to answer.
    Refusal,
    /// A response from the content filter.
    ContentFilter,
    /// An answer truncated by the token limit.
    Length,
    /// An answer without choices.
    EmptyChoice,
    /// Status 200 with an error in the body.
    ErrorInAnswer,
    /// An HTML page with status 200.
    Html,
    /// A chunked body of this many bytes.
    Endless(u64),
    /// A content length of this many bytes, without a body.
    OmittedBody(u64),
    /// A redirect.
    Redirect,
    /// A body that is not valid UTF-8.
    InvalidUtf8,
    /// A small body with a content encoding.
    Gzip,
}

impl ScriptedReply {
    /// Returns an answer with this text.
    #[must_use]
    pub fn answer(text: &str) -> Self {
        Self::Answer(text.to_owned())
    }

    /// Returns `true` if the wire format has this kind of response.
    #[must_use]
    pub fn exists_in(&self, wire: Wire) -> bool {
        match self {
            Self::Refusal => matches!(wire, Wire::OpenAi | Wire::Anthropic),
            Self::ContentFilter => wire != Wire::Ollama,
            _ => true,
        }
    }
}
