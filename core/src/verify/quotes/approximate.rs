//! Finds quotes whose words are nearly equal to those of the source.

use core::ops::Range;

use memchr::memmem;

use crate::text::figures::figures;
use crate::text::fold::Folded;
use crate::text::part;
use crate::text::polarity::markers;
use crate::text::tokens::{Shape, Word, words};

/// Finds the first match whose words are equal to those of the quote, except for case, plural endings and single edits
/// in long words. Quotes with figures never match.
pub(super) fn find_approximate(source: &Folded<'_>, needle: &str) -> Option<Range<usize>> {
    const MAX_QUOTE_BYTES: usize = 600;
    const MIN_WORDS: usize = 3;
    if needle.len() > MAX_QUOTE_BYTES || needle.contains('…') || needle.contains("..") {
        return None;
    }
    let quote_figures = figures(needle);
    if !quote_figures.is_empty() || !quote_figures.codes.is_empty() {
        return None;
    }
    let needle_words: Vec<Word<'_>> = words(needle).collect();
    if needle_words.len() < MIN_WORDS {
        return None;
    }
    let text = source.as_str();
    anchors(&needle_words).into_iter().find_map(|(index, spelling)| {
        const MAX_PLACES: usize = 32;
        memmem::find_iter(text.as_bytes(), spelling.as_bytes()).take(MAX_PLACES).find_map(|start| {
            let span = align(text, needle, &needle_words, index, start)?;
            Some(source.original(span))
        })
    })
}

fn anchors(words: &[Word<'_>]) -> Vec<(usize, String)> {
    let mut longest: Vec<(usize, &str)> = words.iter().map(|word| word.text).enumerate().collect();
    longest.sort_by_key(|(_, text)| core::cmp::Reverse(text.len()));
    let mut anchors = Vec::new();
    for (index, text) in longest.into_iter().take(3) {
        let lower = text.to_lowercase();
        let mut capital: String = lower.chars().take(1).flat_map(char::to_uppercase).collect();
        capital.extend(lower.chars().skip(1));
        for spelling in [text.to_owned(), lower, capital] {
            if !anchors.contains(&(index, spelling.clone())) {
                anchors.push((index, spelling));
            }
        }
    }
    anchors
}

/// Aligns the quote with the source so that the quote's word at `index` is at the offset `anchor_start`.
fn align(
    source: &str,
    needle: &str,
    needle_words: &[Word<'_>],
    index: usize,
    anchor_start: usize,
) -> Option<Range<usize>> {
    let max_distance = needle.len() * 2 + 64;
    let context_start = source.ceil_char_boundary(anchor_start.saturating_sub(max_distance));
    let context_end = source.floor_char_boundary(anchor_start + max_distance);
    let context_words: Vec<Word<'_>> = words(part(source, context_start..context_end)).collect();
    let anchor =
        context_words.iter().position(|word| context_start + word.span.start == anchor_start)?;
    let first = anchor.checked_sub(index)?;
    let window = context_words.get(first..first + needle_words.len())?;
    let mut edits = 0;
    for (word, expected) in window.iter().zip(needle_words) {
        edits += difference(word, expected)?;
    }
    let letters: usize = needle_words.iter().map(|word| word.text.chars().count()).sum();
    let (start, end) = (window.first()?.span.start, window.last()?.span.end);
    let span = context_start + start..context_start + end;
    let candidate = part(source, span.clone());
    let marker_kinds =
        |text| markers(text).into_iter().map(|marker| marker.kind).collect::<Vec<_>>();
    let source_figures = figures(candidate);
    let matches = edits * 10 <= letters
        && source_figures.is_empty()
        && source_figures.codes.is_empty()
        && marker_kinds(candidate) == marker_kinds(needle)
        && sentence_breaks(candidate) == sentence_breaks(needle);
    matches.then_some(span)
}

/// Counts the sentence breaks in a text, since a quote must not join words from two sentences.
fn sentence_breaks(text: &str) -> usize {
    let inner = text.trim_end_matches(['.', '!', '?', '|', ';']);
    inner.chars().filter(|c| matches!(c, '!' | '?' | '|' | ';' | '{' | '}')).count()
        + inner.matches(". ").count()
}

/// Returns the number of edits between two words (0 or 1), or `None` if they differ by more than one edit.
fn difference(word: &Word<'_>, expected: &Word<'_>) -> Option<usize> {
    if word.text.eq_ignore_ascii_case(expected.text) {
        return Some(0);
    }
    if word.same(expected) {
        return Some(1);
    }
    let is_plain = |word: &Word<'_>| {
        word.shape() == Shape::Plain && word.text.is_ascii() && word.text.len() >= 5
    };
    if !is_plain(word) || !is_plain(expected) {
        return None;
    }
    let (a, b) = (word.text.as_bytes(), expected.text.as_bytes());
    let is_equal = |(x, y): &(&u8, &u8)| x.eq_ignore_ascii_case(y);
    let head = a.iter().zip(b).take_while(is_equal).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(is_equal).count();
    let longest = a.len().max(b.len());
    let shortest = a.len().min(b.len());
    let is_one_edit =
        longest - shortest <= 1 && head + tail >= shortest - usize::from(longest == shortest);
    (head > 0 && is_one_edit).then_some(1)
}
