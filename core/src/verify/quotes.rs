//! Every quote is found in what it is quoted from.
//!
//! Tried in this order: the bytes as they are; both sides folded; for JSON items, the strings as they
//! read once unescaped; and, for quotes of three words or more without any figure, nearly equal words. A
//! match must begin and end where words do: `BackOff` is not quoted from `ImagePullBackOff`, nor
//! `5 errors` from `15 errors`.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::memmem;
use serde_json::Value;

use super::corpus::Sources;
use crate::evidence::Citation;
use crate::text::figures::figures;
use crate::text::fold::{Folded, fold};
use crate::text::polarity::{is_blank_answer, markers};
use crate::text::tokens::{Shape, Word, words};
use crate::text::{char_at, char_before, part};

/// Where a quote was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At these bytes of the original.
    At(Range<usize>),
    /// In a decoded string of a JSON item, which has no bytes of its own.
    Decoded,
}

impl Place {
    pub(super) fn bytes(self) -> Option<Range<usize>> {
        match self {
            Self::At(bytes) => Some(bytes),
            Self::Decoded => None,
        }
    }
}

/// Finds the quote of a citation in its item, or in the cited field's text.
pub(super) fn locate_in_item(
    citation: &Citation,
    position: usize,
    field: Option<&str>,
    sources: &mut Sources<'_>,
) -> Option<Place> {
    let quote = citation.quote.as_str();
    if says_nothing(quote) {
        return None;
    }
    let content = sources.content(position);
    let stated = citation
        .bytes
        .clone()
        .filter(|bytes| content.get(bytes.clone()) == Some(quote) && is_whole(content, bytes));
    if let Some(bytes) = stated.or_else(|| find(content, quote)) {
        return Some(Place::At(bytes));
    }
    let wanted = fold(quote);
    if wanted.is_empty() {
        return None;
    }
    if let Some(bytes) = find_folded(sources.folded(position), &wanted) {
        return Some(Place::At(bytes));
    }
    if let Some(field) = field
        && find(&fold(field), &wanted).is_some()
    {
        return Some(Place::Decoded);
    }
    if !sources.may_search(position) {
        return None;
    }
    if sources.document(position).is_some_and(|document| any_string(document, &wanted)) {
        return Some(Place::Decoded);
    }
    find_nearly(sources.folded(position), &wanted).map(Place::At)
}

/// Finds a quote in a plain text.
pub(super) fn locate_in_text(quote: &str, text: &str) -> Option<Place> {
    if says_nothing(quote) {
        return None;
    }
    if let Some(bytes) = find(text, quote) {
        return Some(Place::At(bytes));
    }
    let wanted = fold(quote);
    if wanted.is_empty() {
        return None;
    }
    let folded = Folded::new(text);
    find_folded(&folded, &wanted).or_else(|| find_nearly(&folded, &wanted)).map(Place::At)
}

/// Whether a quote holds neither a word nor an empty answer such as `[]`.
fn says_nothing(quote: &str) -> bool {
    !quote.chars().any(char::is_alphanumeric) && !is_blank_answer(quote)
}

fn find_folded(source: &Folded<'_>, wanted: &str) -> Option<Range<usize>> {
    find(source.as_str(), wanted).map(|span| source.original(span))
}

/// The first place where a text stands as whole words.
pub(super) fn find(source: &str, wanted: &str) -> Option<Range<usize>> {
    const MOST_PLACES: usize = 4_096;
    memmem::find_iter(source.as_bytes(), wanted.as_bytes())
        .take(MOST_PLACES)
        .map(|start| start..start + wanted.len())
        .find(|span| is_whole(source, span))
}

/// Whether a span begins and ends where words do, and tears no number, name or sign apart.
pub(super) fn is_whole(source: &str, span: &Range<usize>) -> bool {
    let quote = part(source, span.clone());
    let (Some(first), Some(last)) = (quote.chars().next(), quote.chars().next_back()) else {
        return false;
    };
    !torn_at_start(source, span.start, first) && !torn_at_end(source, span.end, last)
}

fn torn_at_start(source: &str, start: usize, first: char) -> bool {
    let Some(before) = char_before(source, start) else { return false };
    if !is_word(first) {
        return false;
    }
    let earlier = char_before(source, start - before.len_utf8());
    if is_word(before) {
        // The time of `2024-05-01T14:02` may be quoted alone.
        return !(before == 'T'
            && first.is_ascii_digit()
            && earlier.is_some_and(|c| c.is_ascii_digit()));
    }
    match before {
        '-' | '\u{2212}' if first.is_ascii_digit() => earlier.is_none_or(|c| !c.is_ascii_digit()),
        '-' => earlier.is_some_and(is_word),
        '.' | ',' if first.is_ascii_digit() => earlier.is_none_or(|c| c.is_ascii_digit()),
        _ => false,
    }
}

fn torn_at_end(source: &str, end: usize, last: char) -> bool {
    let Some(after) = char_at(source, end) else { return false };
    if !is_word(last) {
        return false;
    }
    if is_word(after) {
        return true;
    }
    let later = char_at(source, end + after.len_utf8());
    match after {
        '-' => later.is_some_and(is_word),
        // The seconds of `14:02:31.250` may be quoted without their fraction.
        '.' if ends_in_seconds(part(source, 0..end)) => false,
        '.' | ',' if last.is_ascii_digit() => later.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}

fn ends_in_seconds(text: &str) -> bool {
    let bytes = text.as_bytes();
    matches!(bytes, [.., h, b':', m, n, b':', s, t] if [h, m, n, s, t].iter().all(|byte| byte.is_ascii_digit()))
}

/// Letters and digits of scripts that put spaces between words, and the underscore.
fn is_word(character: char) -> bool {
    let spaceless = matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    character == '_' || character.is_alphanumeric() && !spaceless
}

/// Whether any string of a document, keys aside, holds the folded quote.
fn any_string(document: &Value, wanted: &str) -> bool {
    let mut open = Vec::from([document]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if find(&fold(text), wanted).is_some() => return true,
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    false
}

/// The first place with nearly the same words: as many, each equal without case and plural or, for plain words of
/// five letters or more, off by one letter behind the first; at least 0.9 of all characters; the same
/// negations and hedges. Quotes with figures, names in question, or dots for left-out words do not qualify.
fn find_nearly(source: &Folded<'_>, wanted: &str) -> Option<Range<usize>> {
    const LONGEST: usize = 600;
    const LEAST_WORDS: usize = 3;
    if wanted.len() > LONGEST || wanted.contains('…') || wanted.contains("..") {
        return None;
    }
    let read = figures(wanted);
    if !read.is_empty() || !read.codes.is_empty() {
        return None;
    }
    let wanted_words: Vec<Word<'_>> = words(wanted).collect();
    if wanted_words.len() < LEAST_WORDS {
        return None;
    }
    let text = source.as_str();
    anchors(&wanted_words).into_iter().find_map(|(index, spelling)| {
        const MOST_PLACES: usize = 32;
        memmem::find_iter(text.as_bytes(), spelling.as_bytes()).take(MOST_PLACES).find_map(|at| {
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

#[cfg(test)]
mod tests {
    use super::super::corpus::Corpus;
    use super::super::testing::{json, tool};
    use super::*;
    use crate::evidence::{EvidenceItem, Target};
    use proptest::prelude::*;

    fn found(item: &EvidenceItem, quote: &str) -> Option<Option<Range<usize>>> {
        let items = [item.clone()];
        let corpus = Corpus::new(&items);
        let citation = Citation {
            target: Target::Evidence { id: item.id.clone(), field_path: String::new() },
            quote: quote.to_owned(),
            bytes: None,
        };
        locate_in_item(&citation, 0, None, &mut Sources::new(&corpus)).map(Place::bytes)
    }

    const LOG: &str = "Warning  BackOff  Back-off restarting failed container checkout-db in pod checkout-7f9c4d-x2x1z\nERROR connection pool exhausted after 15 errors, waited 5000 ms";

    #[test]
    fn exact_and_folded_quotes_are_placed_in_the_original() {
        let log = tool("e1", LOG);
        let place = |quote: &str| {
            let start = LOG.find(quote).unwrap();
            Some(Some(start..start + quote.len()))
        };
        assert_eq!(found(&log, "connection pool exhausted"), place("connection pool exhausted"));
        assert_eq!(found(&log, "Warning BackOff  Back-off"), place("Warning  BackOff  Back-off"));
        assert_eq!(found(&log, " pool\u{200b} exhausted\n"), place("pool exhausted"));
    }

    #[test]
    fn h09_forged_quotes_are_not_found() {
        let log = tool("e1", LOG);
        for forged in [
            "database connection refused",
            "connection pооl exhausted", // Cyrillic o, twice
            "connection pool … 5000 ms",
            "connection pool ... 5000 ms",
            "Back-off restarting waited 5000 ms",
            "5 errors",
            "waited 500",
            "failed container checkout",
            "db in pod",
            "OOMKilled",
            "\u{200b}",
            " ",
            ",",
        ] {
            assert_eq!(found(&log, forged), None, "{forged}");
        }
    }

    #[test]
    fn h09_a_word_inside_a_word_is_no_quote() {
        assert_eq!(found(&tool("e1", "ImagePullBackOff"), "BackOff"), None);
        assert_eq!(found(&tool("e1", "unhealthy"), "healthy"), None);
        assert_eq!(found(&tool("e1", "delta -5 ms"), "5 ms"), None);
        assert!(found(&tool("e1", "2024-05-01T14:02:31Z ERROR"), "14:02:31Z ERROR").is_some());
        assert!(found(&tool("e1", "at 14:02:31.250"), "14:02:31").is_some());
        assert!(found(&tool("e1", "unhealthy, then healthy"), "healthy").is_some());
    }

    #[test]
    fn near_quotes_count_without_figures_only() {
        let log = tool(
            "e1",
            "The connection pools of the orders service were exhausted. No pods restarted since 3 hours.",
        );
        assert!(found(&log, "the connection pool of the orders service were exhausted").is_some());
        for other in [
            "connection pools of orders service were exhausted",
            "The connection pools of the orders service were not exhausted",
            "pods restarted since 4 hours",
            "Some pods restarted since 3 hours",
            "orders services were exhausted No pods",
        ] {
            assert_eq!(found(&log, other), None, "{other}");
        }
    }

    #[test]
    fn near_quotes_never_swap_meanings() {
        let log = tool(
            "e1",
            "the cache latency increased while the queue stayed asynchronous in every single region we serve",
        );
        assert_eq!(
            found(
                &log,
                "the cache latency decreased while the queue stayed asynchronous in every single region we serve"
            ),
            None
        );
        assert_eq!(
            found(
                &log,
                "the cache latency increased while the queue stayed synchronous in every single region we serve"
            ),
            None
        );
    }

    #[test]
    fn escaped_strings_of_json_can_be_quoted_as_they_read() {
        let item =
            json("e1", r#"{"events": [{"message": "probe failed: \"connection\nrefused\""}]}"#);
        assert_eq!(found(&item, "probe failed: \"connection refused\""), Some(None));
        assert_eq!(found(&item, "probe succeeded"), None);
    }

    proptest! {
        #[test]
        fn a_stretch_of_whole_words_is_always_found(words in prop::collection::vec("[a-zé]{1,8}|[0-9]{1,4}", 1..12), from in 0_usize..12, count in 1_usize..6) {
            let text = words.join(" ");
            let quote: Vec<&str> = words.iter().skip(from).take(count).map(String::as_str).collect();
            prop_assume!(!quote.is_empty());
            let quote = quote.join(" ");
            let bytes = found(&tool("e1", &text), &quote).flatten();
            prop_assert_eq!(bytes.and_then(|bytes| text.get(bytes).map(ToOwned::to_owned)), Some(quote));
        }

        #[test]
        fn searching_never_panics(text in "(\\PC|[a-z]{3,7} |\u{200b}| ){0,40}", quote in "(\\PC|[a-z]{3,7} |\u{200b}| ){0,12}") {
            if let Some(Some(bytes)) = found(&tool("e1", &text), &quote) {
                prop_assert!(text.get(bytes).is_some());
            }
        }
    }
}
