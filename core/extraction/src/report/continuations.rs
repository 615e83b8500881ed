//! Recognizes continuations without a conjunction that need their own check: a distance in time (", 71
//! seconds after the sync had begun"), part of the subject (", all of them after ten seconds"), or another
//! statement about the same subject (", its connections were pinned", ": its p99 peaked").

use super::words::is_predicate;
use crate::text::figures::{Dimension, Figure, figures};
use crate::text::tokens::{Word, words};

const MAX_WORDS: usize = 10;

/// Returns `true` if the text after a comma starts with a distance in time.
pub(super) fn is_time_distance(text: &str, start: usize) -> bool {
    let rest = text.get(start..).unwrap_or("");
    let end = words(rest).take(MAX_WORDS).last().map_or(0, |word| word.span.end);
    let rest = rest.get(..end).unwrap_or("");
    let length = figures(rest).figures.into_iter().next();
    // "71 seconds after", "roughly ten minutes later".
    let is_length = |length: &Figure| {
        let before = rest.get(..length.span.start).unwrap_or("");
        length.unit.dimension == Dimension::Duration
            && (before.is_empty() || length.approximate && words(before).nth(1).is_none())
    };
    let Some(length) = length.filter(is_length) else { return false };
    let mut after = words(rest.get(length.span.end..).unwrap_or(""));
    let link = after.next();
    let is_link = |expected: [&str; 2]| {
        link.as_ref().is_some_and(|word| expected.iter().any(|link| word.is(link)))
    };
    is_link(["after", "before"]) && after.nth(1).is_some()
        || is_link(["later", "earlier"]) && after.next().is_some_and(|word| !word.is("than"))
}

/// Returns `true` if "and" joins a distance in time: ", and ten minutes later to 24".
pub(super) fn joins_time_distance(text: &str, word: &Word<'_>) -> bool {
    let rest = text.get(word.span.end..).unwrap_or("");
    let start = word.span.end + rest.len() - rest.trim_start().len();
    word.is("and") && is_time_distance(text, start)
}

/// Returns `true` if the text after a comma is about part of the subject: "all of them", "among them".
pub(super) fn is_about_part(text: &str, start: usize) -> bool {
    const MAX_LEAD_WORDS: usize = 5;
    let rest = text.get(start..).unwrap_or("");
    let lead_words: Vec<Word<'_>> = words(rest).take(MAX_LEAD_WORDS).collect();
    let phrase = lead_words.windows(2).find(|pair| {
        let [first_word, last_word] = pair else { return false };
        ["of", "among"].iter().any(|word| first_word.is(word)) && last_word.is("them")
    });
    let Some([_, last_word]) = phrase else { return false };
    !rest.get(..last_word.span.end).unwrap_or(",").contains([',', ';', ':', '('])
        && words(rest).nth(MAX_LEAD_WORDS).is_some()
}

/// Returns `true` if a word starts a second statement: ", its connections were pinned", ": its p99 peaked".
/// `gap` is the text before the word.
pub(super) fn starts_second_statement(
    gap: &str,
    before: Option<&Word<'_>>,
    word: &Word<'_>,
) -> bool {
    gap.trim_start().starts_with(',') && is_pronoun(word)
        || gap.contains(": ") && before.is_some_and(separates_statements)
}

fn is_pronoun(word: &Word<'_>) -> bool {
    ["its", "their", "it", "they"].iter().any(|pronoun| word.is(pronoun))
}

/// Returns `true` if a colon after a word separates two statements. If it does not, it introduces a quote or a list.
fn separates_statements(last: &Word<'_>) -> bool {
    const ANNOUNCING: [&str; 12] = [
        "following", "this", "these", "below", "here", "as", "by", "with", "is", "are", "was",
        "were",
    ];
    !is_predicate(last) && !ANNOUNCING.iter().any(|word| last.is(word))
}
