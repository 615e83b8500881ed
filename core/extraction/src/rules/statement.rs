//! Parses statements that can assign one value to one entity.

use crate::text::figures::{Figure, figures};
use crate::text::part;
use crate::text::polarity;
use crate::text::tokens::{Word, words};

const MAX_WORDS: usize = 24;

/// Words that add nothing to an entity, attribute and value. All other words must be accounted for.
const FUNCTION_WORDS: [&str; 25] = [
    "the", "a", "an", "is", "are", "was", "were", "has", "have", "had", "been", "of", "in", "at",
    "for", "its", "currently", "now", "shows", "showed", "reports", "reported", "set", "to", "s",
];

/// A statement's words and figure, without function words.
#[derive(Debug)]
pub(super) struct Statement<'c> {
    pub(super) text: &'c str,
    /// The words in text order, without those in the figure.
    pub(super) words: Vec<Word<'c>>,
    pub(super) figure: Option<Figure>,
    /// `true` for the present tense: "is", not "was".
    pub(super) is_present: bool,
}

impl<'c> Statement<'c> {
    /// Parses a statement. Returns `None` if it is a question, or contains a negation, a hedge, a time, a bound or
    /// several figures.
    pub(super) fn parse(text: &'c str) -> Option<Self> {
        let all_words: Vec<Word<'_>> = words(text).take(MAX_WORDS + 1).collect();
        if all_words.len() > MAX_WORDS || text.contains('?') || polarity::is_negated_or_hedged(text)
        {
            return None;
        }
        let found = figures(text);
        if found.figures.len() > 1 || !found.times.is_empty() {
            return None;
        }
        let figure = found.figures.into_iter().next();
        if figure.as_ref().is_some_and(|figure| figure.comparator.is_some()) {
            return None;
        }
        let has = |expected: &[&str]| {
            all_words.iter().any(|word| expected.iter().any(|entry| word.is(entry)))
        };
        let is_present = has(&["is", "are"]) && !has(&["was", "were", "had", "been"]);
        let is_needed = |word: &Word<'_>| {
            !FUNCTION_WORDS.iter().any(|function_word| word.is(function_word))
                && !figure.as_ref().is_some_and(|figure| belongs_to_figure(text, word, figure))
        };
        let words = all_words.into_iter().filter(is_needed).collect();
        Some(Self { text, words, figure, is_present })
    }
}

/// Returns `true` if a word is part of a figure, marks it as approximate, or is "times" after a count:
/// "restarted 4 times".
fn belongs_to_figure(text: &str, word: &Word<'_>, figure: &Figure) -> bool {
    let is_within = word.span.start < figure.span.end && figure.span.start < word.span.end;
    let is_about = figure.approximate
        && word.span.end <= figure.span.start
        && part(text, word.span.end..figure.span.start).trim().is_empty();
    let is_times = word.is("times")
        && figure.span.end <= word.span.start
        && part(text, figure.span.end..word.span.start).trim().is_empty();
    is_within || is_about || is_times
}
