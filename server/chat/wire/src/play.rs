//! This module carries out the configured answer to a request.

use std::time::Duration;

use crate::request::Wire;

/// What is done with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Play {
    /// This text, as the model's.
    Answer(String),
    /// The same after so long.
    AnswerAfter(Duration, String),
    /// The same once [`crate::Server::release`] allows it.
    AnswerWhenReleased(String),
    /// This HTTP status, with an error as the provider writes it.
    Status(u16),
    /// Status 429 with this Retry-After.
    RateLimited(&'static str),
    /// This HTTP status, content type and body.
    Raw(u16, &'static str, Vec<u8>),
    /// Nothing, ever.
    Hang,
    /// A head, then one byte a second.
    Dribble,
    /// Half a head, then nothing.
    HangInHead,
    /// The connection is closed instead of an answer.
    Close,
    /// A head and half of a body, then the connection is reset.
    Reset,
    /// JSON that ends in its middle, in a body that is whole.
    CutJson,
    /// JSON without what an answer has.
    OtherShape,
    /// The model will not.
    Refusal,
    /// The provider will not.
    ContentFilter,
    /// The answer ends for want of tokens.
    Length,
    /// An answer without any.
    EmptyChoice,
    /// Status 200 with an error inside.
    ErrorInAnswer,
    /// A page for people, of status 200.
    Html,
    /// A body of this many bytes, none of which is announced.
    Endless(u64),
    /// A body that announces this many bytes, and has none.
    Announced(u64),
    /// Elsewhere, with the request.
    Redirect,
    /// A text that is no UTF-8.
    InvalidUtf8,
    /// A small body that says it is compressed.
    Gzip,
}

impl Play {
    /// An answer of the model.
    #[must_use]
    pub fn answer(text: &str) -> Self {
        Self::Answer(text.to_owned())
    }

    /// Whether the provider has a way to do this.
    #[must_use]
    pub fn exists_in(&self, wire: Wire) -> bool {
        match self {
            Self::Refusal => matches!(wire, Wire::OpenAi | Wire::Anthropic),
            Self::ContentFilter => wire != Wire::Ollama,
            _ => true,
        }
    }
}
