//! The configured responses.

use std::time::Duration;

use crate::request::Wire;

/// A response to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Play {
    /// An answer with this text.
    Answer(String),
    /// An answer after a delay.
    AnswerAfter(Duration, String),
    /// An answer after [`crate::Server::release`].
    AnswerWhenReleased(String),
    /// An HTTP status with an error of the provider.
    Status(u16),
    /// Status 429 with this Retry-After.
    RateLimited(&'static str),
    /// This HTTP status, content type and body.
    Raw(u16, &'static str, Vec<u8>),
    /// No response.
    Hang,
    /// A head, then one byte a second.
    Dribble,
    /// A part of the head, then nothing.
    HangInHead,
    /// The connection is closed instead of an answer.
    Close,
    /// A head and half of a body, then the connection is reset.
    Reset,
    /// A complete body of truncated JSON.
    CutJson,
    /// JSON of an unexpected shape.
    OtherShape,
    /// A refusal of the model.
    Refusal,
    /// A refusal by the content filter.
    ContentFilter,
    /// An answer cut off by the token limit.
    Length,
    /// An answer without a choice.
    EmptyChoice,
    /// Status 200 with an error inside.
    ErrorInAnswer,
    /// An HTML page with status 200.
    Html,
    /// A chunked body of this many bytes.
    Endless(u64),
    /// A body with this content length and no bytes.
    Announced(u64),
    /// A redirect that keeps the method and the body.
    Redirect,
    /// An answer with invalid UTF-8.
    InvalidUtf8,
    /// A small body with the content encoding gzip.
    Gzip,
}

impl Play {
    /// An answer of the model.
    #[must_use]
    pub fn answer(text: &str) -> Self {
        Self::Answer(text.to_owned())
    }

    /// `true` if the provider has a way to do this.
    #[must_use]
    pub fn exists_in(&self, wire: Wire) -> bool {
        match self {
            Self::Refusal => matches!(wire, Wire::OpenAi | Wire::Anthropic),
            Self::ContentFilter => wire != Wire::Ollama,
            _ => true,
        }
    }
}
