//! The content words of assertions and claims.

use core::ops::Range;

use crate::report::{Assertion, says_something};
use crate::text::figures::Figures;
use crate::text::tokens::{Shape, is_stop_word, words};

/// A content word.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// A hash that is equal for words that differ only in case or plural.
    pub(super) key: u64,
    /// A hash that is also equal for words with the same stem.
    pub(super) stem: u64,
    /// The bytes in the report; `None` in a claim or for an added word.
    pub(super) source: Option<Range<usize>>,
    /// `true` if the word alone may carry a statement.
    pub(super) is_critical: bool,
    /// `true` if the word is part of a figure or time.
    pub(super) is_figure: bool,
}

/// Returns the tokens of a text.
pub(super) fn text_tokens(text: &str) -> Vec<Token> {
    words(text)
        .filter(|word| !is_stop_word(word.text))
        .map(|word| Token {
            text: word.text.to_owned(),
            key: word.key(),
            stem: word.stem(),
            source: None,
            is_critical: says_something(&word),
            is_figure: word.shape() == Shape::Number,
        })
        .collect()
}

/// Returns the tokens of an assertion, with their bytes in the report.
pub(super) fn assertion_tokens(assertion: &Assertion) -> Vec<Token> {
    let text = assertion.text.text();
    let spans = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let mut tokens = text_tokens(text);
    for (token, span) in tokens.iter_mut().zip(spans) {
        token.source = assertion.text.source(span);
    }
    tokens
}

/// Marks the tokens that are part of figures or times, such as the unit of a quantity.
pub(super) fn mark_figures(text: &str, tokens: &mut [Token], figures: &Figures) {
    let places = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let spans: Vec<&Range<usize>> = figures.figures.iter().map(|figure| &figure.span).collect();
    for (token, place) in tokens.iter_mut().zip(places) {
        token.is_figure |=
            spans.iter().any(|span| span.start < place.end && place.start < span.end);
    }
}
