//! Finds quotes whose words nearly equal those of the source.

use core::ops::Range;

use memchr::memmem;

use crate::text::figures::figures;
use crate::text::fold::Folded;
use crate::text::part;
use crate::text::polarity::markers;
use crate::text::tokens::{Shape, Word, words};

/// Finds the first match with equal words, except for case, plurals and single edits in long words. Quotes
/// with figures do not match.
pub(super) fn find_approximate(source: &Folded<'_>, needle: &str) -> Option<Range<usize>> {
    const MAX_QUOTE_BYTES: usize = 600;
    const MIN_WORDS: usize = 3;
    if needle.len() > MAX_QUOTE_BYTES || needle.contains('…') || needle.contains("..") {
        return None;
    }
    let figures_in_quote = figures(needle);
    if !figures_in_quote.is_empty() || !figures_in_quote.codes.is_empty() {
        return None;
    }
    let needle_words: Vec<Word<'_>> = words(needle).collect();
    if needle_words.len() < MIN_WORDS {
        return None;
    }
    let text = source.as_str();
    anchors(&needle_words).into_iter().find_map(|(index, spelling)| {
        const MAX_PLACES: usize = 32;
        memmem::find_iter(text.as_bytes(), spelling.as_bytes()).take(MAX_PLACES).find_map(|at| {
            let span = align(text, needle, &needle_words, index, at)?;
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

/// Aligns the quote with the source where its word `index` is at offset `at`.
fn align(
    source: &str,
    needle: &str,
    needle_words: &[Word<'_>],
    index: usize,
    at: usize,
) -> Option<Range<usize>> {
    let reach = needle.len() * 2 + 64;
    let from = source.ceil_char_boundary(at.saturating_sub(reach));
    let to = source.floor_char_boundary(at + reach);
    let nearby: Vec<Word<'_>> = words(part(source, from..to)).collect();
    let anchor = nearby.iter().position(|word| from + word.span.start == at)?;
    let first = anchor.checked_sub(index)?;
    let window = nearby.get(first..first + needle_words.len())?;
    let mut edits = 0;
    for (found, expected) in window.iter().zip(needle_words) {
        edits += difference(found, expected)?;
    }
    let letters: usize = needle_words.iter().map(|word| word.text.chars().count()).sum();
    let (start, end) = (window.first()?.span.start, window.last()?.span.end);
    let span = from + start..from + end;
    let found = part(source, span.clone());
    let kinds = |text| markers(text).into_iter().map(|marker| marker.kind).collect::<Vec<_>>();
    let found_figures = figures(found);
    let matches = edits * 10 <= letters
        && found_figures.is_empty()
        && found_figures.codes.is_empty()
        && kinds(found) == kinds(needle)
        && sentence_breaks(found) == sentence_breaks(needle);
    matches.then_some(span)
}

/// Counts the sentence breaks inside a text, since a quote must not join words from two sentences.
fn sentence_breaks(text: &str) -> usize {
    let inner = text.trim_end_matches(['.', '!', '?', '|', ';']);
    inner.chars().filter(|c| matches!(c, '!' | '?' | '|' | ';' | '{' | '}')).count()
        + inner.matches(". ").count()
}

/// The number of edits between two words (0 or 1), or `None` if they differ.
fn difference(found: &Word<'_>, expected: &Word<'_>) -> Option<usize> {
    if found.text.eq_ignore_ascii_case(expected.text) {
        return Some(0);
    }
    if found.same(expected) {
        return Some(1);
    }
    let is_plain = |word: &Word<'_>| {
        word.shape() == Shape::Plain && word.text.is_ascii() && word.text.len() >= 5
    };
    if !is_plain(found) || !is_plain(expected) {
        return None;
    }
    let (a, b) = (found.text.as_bytes(), expected.text.as_bytes());
    let same = |(x, y): &(&u8, &u8)| x.eq_ignore_ascii_case(y);
    let head = a.iter().zip(b).take_while(same).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    let longest = a.len().max(b.len());
    let shortest = a.len().min(b.len());
    let is_one_edit =
        longest - shortest <= 1 && head + tail >= shortest - usize::from(longest == shortest);
    (head > 0 && is_one_edit).then_some(1)
}
