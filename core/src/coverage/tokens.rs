//! The content words of assertions and claims.

use core::ops::Range;

use crate::report::{Assertion, is_informative_word};
use crate::text::figures::Figures;
use crate::text::tokens::{Shape, is_stop_word, words};

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// A hash that ignores case and plural endings.
    pub(super) key: u64,
    /// A hash that also ignores inflection.
    pub(super) stem: u64,
    /// The byte range in the report; `None` if the word is in a claim or was inserted.
    pub(super) source: Option<Range<usize>>,
    /// `true` if the word may be a statement by itself.
    pub(super) is_critical: bool,
    pub(super) is_figure: bool,
}

pub(super) fn text_tokens(text: &str) -> Vec<Token> {
    words(text)
        .filter(|word| !is_stop_word(word.text))
        .map(|word| Token {
            text: word.text.to_owned(),
            key: word.key(),
            stem: word.stem(),
            source: None,
            is_critical: is_informative_word(&word),
            is_figure: word.shape() == Shape::Number,
        })
        .collect()
}

pub(super) fn assertion_tokens(assertion: &Assertion) -> Vec<Token> {
    let text = assertion.text.text();
    let spans = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let mut tokens = text_tokens(text);
    for (token, span) in tokens.iter_mut().zip(spans) {
        token.source = assertion.text.source(span);
    }
    tokens
}

pub(super) fn mark_figures(text: &str, tokens: &mut [Token], figures: &Figures) {
    let word_spans = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let spans: Vec<&Range<usize>> = figures.figures.iter().map(|figure| &figure.span).collect();
    for (token, word_span) in tokens.iter_mut().zip(word_spans) {
        token.is_figure |=
            spans.iter().any(|span| span.start < word_span.end && word_span.start < span.end);
    }
}
