//! This module reads the words of assertions and claims that must be held. It knows nothing of claims' places.

use core::ops::Range;

use crate::report::{Assertion, says_something};
use crate::text::figures::Figures;
use crate::text::tokens::{Shape, is_stop_word, words};

/// A word that says something: no stop word.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// A hash, equal for equal words, case and plural aside.
    pub(super) key: u64,
    /// A hash, equal also for words of one beginning.
    pub(super) stem: u64,
    /// Its bytes in the report; `None` in a claim, or where the word was added.
    pub(super) source: Option<Range<usize>>,
    /// Whether the word alone may carry a statement.
    pub(super) is_critical: bool,
    /// Whether it belongs to a figure or time.
    pub(super) is_figure: bool,
}

/// The tokens of a text.
pub(super) fn of_text(text: &str) -> Vec<Token> {
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

/// The tokens of an assertion, with their places.
pub(super) fn of_assertion(assertion: &Assertion) -> Vec<Token> {
    let text = assertion.text.text();
    let places = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let mut tokens = of_text(text);
    for (token, place) in tokens.iter_mut().zip(places) {
        token.source = assertion.text.source(place);
    }
    tokens
}

/// Marks the tokens that lie in figures or times, such as the unit of a quantity.
pub(super) fn mark_figures(text: &str, tokens: &mut [Token], figures: &Figures) {
    let places = words(text).filter(|word| !is_stop_word(word.text)).map(|word| word.span);
    let spans: Vec<&Range<usize>> = figures.figures.iter().map(|figure| &figure.span).collect();
    for (token, place) in tokens.iter_mut().zip(places) {
        token.is_figure |=
            spans.iter().any(|span| span.start < place.end && place.start < span.end);
    }
}
