//! This module finds quotes whose words are nearly those of the source: case, plurals and single letters apart.
//! Never for quotes with figures or names.

use core::ops::Range;

use memchr::memmem;

use crate::text::figures::figures;
use crate::text::fold::Folded;
use crate::text::part;
use crate::text::polarity::markers;
use crate::text::tokens::{Shape, Word, words};

/// The first place with nearly the same words: as many, each equal without case and plural or, for plain words of
/// five letters or more, off by one letter behind the first; at least 0.9 of all characters; the same
/// negations and hedges. Quotes with figures, names in question, or dots for left-out words do not qualify.
pub(super) fn find_nearly(source: &Folded<'_>, wanted: &str) -> Option<Range<usize>> {
    const MAX_QUOTE_BYTES: usize = 600;
    const MIN_WORDS: usize = 3;
    if wanted.len() > MAX_QUOTE_BYTES || wanted.contains('…') || wanted.contains("..") {
        return None;
    }
    let read = figures(wanted);
    if !read.is_empty() || !read.codes.is_empty() {
        return None;
    }
    let wanted_words: Vec<Word<'_>> = words(wanted).collect();
    if wanted_words.len() < MIN_WORDS {
        return None;
    }
    let text = source.as_str();
    anchors(&wanted_words).into_iter().find_map(|(index, spelling)| {
        const MAX_PLACES: usize = 32;
        memmem::find_iter(text.as_bytes(), spelling.as_bytes()).take(MAX_PLACES).find_map(|at| {
            let span = aligned(text, wanted, &wanted_words, index, at)?;
            Some(source.original(span))
        })
    })
}

/// The longest words of a quote in the spellings by which they are looked up.
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

/// The span of the source whose words match the wanted ones when the `index`th stands at `at`.
fn aligned(
    source: &str,
    wanted: &str,
    wanted_words: &[Word<'_>],
    index: usize,
    at: usize,
) -> Option<Range<usize>> {
    let reach = wanted.len() * 2 + 64;
    let mut from = at.saturating_sub(reach);
    while !source.is_char_boundary(from) {
        from += 1;
    }
    let mut to = (at + reach).min(source.len());
    while !source.is_char_boundary(to) {
        to -= 1;
    }
    let nearby: Vec<Word<'_>> = words(part(source, from..to)).collect();
    let anchor = nearby.iter().position(|word| from + word.span.start == at)?;
    let first = anchor.checked_sub(index)?;
    let window = nearby.get(first..first + wanted_words.len())?;
    let mut edits = 0;
    for (found, wanted) in window.iter().zip(wanted_words) {
        edits += difference(found, wanted)?;
    }
    let letters: usize = wanted_words.iter().map(|word| word.text.chars().count()).sum();
    let (start, end) = (window.first()?.span.start, window.last()?.span.end);
    let span = from + start..from + end;
    let found = part(source, span.clone());
    let kinds = |text| markers(text).into_iter().map(|marker| marker.kind).collect::<Vec<_>>();
    let read = figures(found);
    let same = edits * 10 <= letters
        && read.is_empty()
        && read.codes.is_empty()
        && kinds(found) == kinds(wanted)
        && sentence_breaks(found) == sentence_breaks(wanted);
    same.then_some(span)
}

/// Full stops, line bars and the like inside a stretch: words of two sentences are no quote of one.
fn sentence_breaks(text: &str) -> usize {
    let inner = text.trim_end_matches(['.', '!', '?', '|', ';']);
    inner.chars().filter(|c| matches!(c, '!' | '?' | '|' | ';' | '{' | '}')).count()
        + inner.matches(". ").count()
}

/// How many letters two words differ by, if they may count as one: 0 or 1.
fn difference(found: &Word<'_>, wanted: &Word<'_>) -> Option<usize> {
    if found.text.eq_ignore_ascii_case(wanted.text) {
        return Some(0);
    }
    if found.same(wanted) {
        return Some(1);
    }
    let plain = |word: &Word<'_>| {
        word.shape() == Shape::Plain && word.text.is_ascii() && word.text.len() >= 5
    };
    if !plain(found) || !plain(wanted) {
        return None;
    }
    let (a, b) = (found.text.as_bytes(), wanted.text.as_bytes());
    let same = |(x, y): &(&u8, &u8)| x.eq_ignore_ascii_case(y);
    let head = a.iter().zip(b).take_while(same).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(same).count();
    let longest = a.len().max(b.len());
    let shortest = a.len().min(b.len());
    let one_edit =
        longest - shortest <= 1 && head + tail >= shortest - usize::from(longest == shortest);
    (head > 0 && one_edit).then_some(1)
}
