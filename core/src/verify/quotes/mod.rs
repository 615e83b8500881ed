//! Finds quotes in their sources.
//!
//! A quote is searched for as exact bytes, as folded text, in canonical form, as elided fragments, in the text as it
//! was printed, and by nearly equal words. A match must be at word boundaries: `BackOff` does not match in
//! `ImagePullBackOff`.

mod approximate;
mod boundaries;
mod canonical;
mod printed;
mod records;

use core::ops::Range;

use super::documents::Field;
use super::evidence_set::Sources;
use crate::evidence::Citation;
use crate::text::fold::{Folded, fold};
use crate::text::polarity::is_blank_answer;
use crate::text::tokens::words;

use boundaries::{find, is_whole};
pub(super) use canonical::Canonical;
pub(super) use printed::as_printed;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum QuoteLocation {
    /// The byte range of the quote. If a field is cited, the range overlaps it.
    Found(Range<usize>),
    /// The byte range of the quote, which is outside the cited field.
    OutsideField(Range<usize>),
}

/// Finds a citation's quote in its item. `fields` contains the fields to which the citation's pointer resolves.
pub(super) fn locate_in_item(
    citation: &Citation,
    position: usize,
    fields: &[Field],
    sources: &mut Sources<'_>,
) -> Option<QuoteLocation> {
    let quote = citation.quote.as_str();
    if is_trivial(quote) {
        return None;
    }
    if !fields.is_empty() {
        if let Some(bytes) = locate_in_fields(quote, position, fields, sources) {
            return Some(QuoteLocation::Found(bytes));
        }
        return locate_anywhere(quote, position, sources).map(QuoteLocation::OutsideField);
    }
    let content = sources.content(position);
    let stated_bytes = citation
        .bytes
        .clone()
        .filter(|bytes| content.get(bytes.clone()) == Some(quote) && is_whole(content, bytes));
    stated_bytes.or_else(|| locate_anywhere(quote, position, sources)).map(QuoteLocation::Found)
}

fn locate_in_fields(
    quote: &str,
    position: usize,
    fields: &[Field],
    sources: &mut Sources<'_>,
) -> Option<Range<usize>> {
    let content = sources.content(position);
    let find_in_field = |field: &Field| boundaries::find_overlapping(content, quote, &field.span);
    if let Some(bytes) = fields.iter().find_map(find_in_field) {
        return Some(bytes);
    }
    if !sources.may_search(position) {
        return None;
    }
    let source = sources.canonical(position);
    let needle = canonical::canonical(quote);
    if needle.is_empty() {
        return None;
    }
    let find_canonical_in_field = |field: &Field| {
        let target = source.span_of(&field.span);
        boundaries::find_overlapping(source.as_str(), &needle, &target)
    };
    if let Some(span) = fields.iter().find_map(find_canonical_in_field) {
        return Some(source.original(&span));
    }
    let overlaps = |span: &Range<usize>| {
        fields.iter().any(|field| span.start < field.span.end && field.span.start < span.end)
    };
    records::find_elided(content, source, quote, overlaps)
}

fn locate_anywhere(
    quote: &str,
    position: usize,
    sources: &mut Sources<'_>,
) -> Option<Range<usize>> {
    if let Some(bytes) = locate_verbatim(quote, position, sources) {
        return Some(bytes);
    }
    if !sources.may_search(position) {
        return None;
    }
    approximate::find_approximate(sources.folded(position), &fold(quote))
}

/// Finds a quote in an item without allowing for different words.
pub(super) fn locate_verbatim(
    quote: &str,
    position: usize,
    sources: &mut Sources<'_>,
) -> Option<Range<usize>> {
    let content = sources.content(position);
    if !sources.may_scan(position) {
        return None;
    }
    if let Some(bytes) = find(content, quote) {
        return Some(bytes);
    }
    let needle = fold(quote);
    if needle.is_empty() || !sources.may_scan(position) {
        return None;
    }
    if let Some(bytes) = find_folded(sources.folded(position), &needle) {
        return Some(bytes);
    }
    if !sources.may_search(position) {
        return None;
    }
    let source = sources.canonical(position);
    let needle = canonical::canonical(quote);
    let span = if needle.is_empty() { None } else { find(source.as_str(), &needle) };
    if let Some(span) = span {
        return Some(source.original(&span));
    }
    let elided = records::find_elided(content, source, quote, |_| true);
    elided.or_else(|| {
        let printed = sources.printed(position)?;
        find(printed.as_str(), &needle).map(|span| printed.original(&span))
    })
}

pub(super) fn locate_in_text(quote: &str, text: &str) -> Option<Range<usize>> {
    if is_trivial(quote) {
        return None;
    }
    if let Some(bytes) = find(text, quote) {
        return Some(bytes);
    }
    let needle = fold(quote);
    if needle.is_empty() {
        return None;
    }
    let folded = Folded::new(text);
    find_folded(&folded, &needle).or_else(|| approximate::find_approximate(&folded, &needle))
}

/// Returns `true` if a quote is a single short or frequent word, which could be any value.
pub(super) fn is_ambiguous(quote: &str, content: &str) -> bool {
    const MAX_SHORT: usize = 3;
    const MIN_FREQUENT: usize = 5;
    const FEW_WORDS: usize = 4;
    let mut quoted_words = words(quote);
    let (Some(word), None) = (quoted_words.next(), quoted_words.next()) else { return false };
    let is_key = quote.get(word.span.end..).is_some_and(|rest| rest.contains([':', '=']));
    let is_short = word.text.chars().count() <= MAX_SHORT;
    let is_frequent = || boundaries::find_all(content, quote).nth(MIN_FREQUENT - 1).is_some();
    !is_key && words(content).nth(FEW_WORDS).is_some() && (is_short || is_frequent())
}

/// Returns `true` if a quote contains neither a word nor an empty answer such as `[]`.
pub(super) fn is_trivial(quote: &str) -> bool {
    !quote.chars().any(char::is_alphanumeric) && !is_blank_answer(quote)
}

fn find_folded(source: &Folded<'_>, needle: &str) -> Option<Range<usize>> {
    find(source.as_str(), needle).map(|span| source.original(span))
}

#[cfg(test)]
mod tests {
    use super::super::evidence_set::EvidenceSet;
    use super::super::testing::{json, tool};
    use super::*;
    use crate::evidence::EvidenceItem;
    use proptest::prelude::*;

    fn locate(item: &EvidenceItem, quote: &str) -> Option<Range<usize>> {
        let items = [item.clone()];
        let evidence_set = EvidenceSet::new(&items);
        let citation = Citation::new(item.id.clone(), quote);
        match locate_in_item(&citation, 0, &[], &mut Sources::new(&evidence_set))? {
            QuoteLocation::Found(bytes) => Some(bytes),
            QuoteLocation::OutsideField(_) => None,
        }
    }

    const LOG: &str = "Warning  BackOff  Back-off restarting failed container checkout-db in pod checkout-7f9c4d-x2x1z\nERROR connection pool exhausted after 15 errors, waited 5000 ms";

    #[test]
    fn locates_exact_and_folded_quotes_in_the_original() {
        let log = tool("e1", LOG);
        let span = |quote: &str| {
            let start = LOG.find(quote).unwrap();
            Some(start..start + quote.len())
        };
        assert_eq!(locate(&log, "connection pool exhausted"), span("connection pool exhausted"));
        assert_eq!(locate(&log, "Warning BackOff  Back-off"), span("Warning  BackOff  Back-off"));
        assert_eq!(locate(&log, " pool\u{200b} exhausted\n"), span("pool exhausted"));
    }

    #[test]
    fn finds_other_spellings_of_a_quote() {
        let split_log = "2026-03-04T08:15:02Z stdout P dial ledger-db:5432: connection refu\n2026-03-04T08:15:02Z stderr F warn: 3 of 5 used\n2026-03-04T08:15:02Z stdout F sed, attempt 3\n";
        let bytes = r#"{"MESSAGE": [27, 91, 50, 109, 100, 101, 112, 116, 104, 32, 52, 49, 50, 27, 91, 48, 109]}"#;
        for (content, quote) in [
            (split_log, "ledger-db:5432: connection refused, attempt 3"),
            (bytes, "depth 412"),
            ("pool\u{2011}size \u{2265} 10, \u{201c}full\u{201d}", "pool-size >= 10, \"full\""),
            ("\u{1b}[31mERROR\u{1b}[0m disk full", "ERROR disk full"),
            ("used 1\u{202f}234 MiB", "used 1 234 MiB"),
        ] {
            assert!(locate(&tool("e1", content), quote).is_some(), "{quote}");
        }
        assert_eq!(locate(&tool("e1", split_log), "connection refused by ledger"), None);
    }

    #[test]
    fn h09_forged_quotes_are_not_found() {
        let log = tool("e1", LOG);
        for quote in [
            "database connection refused",
            "connection pооl exhausted", // Cyrillic o, twice
            "waited 5000 ms … connection pool",
            "failed container … pool exhausted",
            "pool ... ms",
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
            assert_eq!(locate(&log, quote), None, "{quote}");
        }
    }

    #[test]
    fn h09_a_part_of_a_word_is_not_a_quote() {
        assert_eq!(locate(&tool("e1", "ImagePullBackOff"), "BackOff"), None);
        assert_eq!(locate(&tool("e1", "unhealthy"), "healthy"), None);
        assert_eq!(locate(&tool("e1", "delta -5 ms"), "5 ms"), None);
        assert!(locate(&tool("e1", "2024-05-01T14:02:31Z ERROR"), "14:02:31Z ERROR").is_some());
        assert!(locate(&tool("e1", "at 14:02:31.250"), "14:02:31").is_some());
        assert!(locate(&tool("e1", "unhealthy, then healthy"), "healthy").is_some());
    }

    #[test]
    fn approximate_quotes_are_found_only_without_figures() {
        let log = tool(
            "e1",
            "The connection pools of the orders service were exhausted. No pods restarted since 3 hours.",
        );
        assert!(locate(&log, "the connection pool of the orders service were exhausted").is_some());
        for quote in [
            "connection pools of orders service were exhausted",
            "The connection pools of the orders service were not exhausted",
            "pods restarted since 4 hours",
            "Some pods restarted since 3 hours",
            "orders services were exhausted No pods",
        ] {
            assert_eq!(locate(&log, quote), None, "{quote}");
        }
    }

    #[test]
    fn a_quote_with_a_different_meaning_is_not_found() {
        let log = tool(
            "e1",
            "the cache latency increased while the queue stayed asynchronous in every single region we serve",
        );
        assert_eq!(
            locate(
                &log,
                "the cache latency decreased while the queue stayed asynchronous in every single region we serve"
            ),
            None
        );
        assert_eq!(
            locate(
                &log,
                "the cache latency increased while the queue stayed synchronous in every single region we serve"
            ),
            None
        );
    }

    #[test]
    fn json_strings_can_be_quoted_unescaped() {
        let item =
            json("e1", r#"{"events": [{"message": "probe failed: \"connection\nrefused\""}]}"#);
        let text = item.content.as_str();
        let quoted_text = |quote: &str| locate(&item, quote).and_then(|bytes| text.get(bytes));
        assert_eq!(
            quoted_text("probe failed: \"connection refused\""),
            Some(r#"probe failed: \"connection\nrefused\""#)
        );
        assert_eq!(quoted_text("refused\""), Some(r#"refused\""#));
        assert_eq!(locate(&item, "probe succeeded"), None);
    }

    #[test]
    fn finds_a_quote_after_an_overlapping_occurrence() {
        assert_eq!(locate(&tool("e1", "rows 03 3 3"), "3 3"), Some(8..11));
    }

    proptest! {
        #[test]
        fn any_sequence_of_whole_words_is_found(words in prop::collection::vec("[a-zé]{1,8}|[0-9]{1,4}", 1..12), from in 0_usize..12, count in 1_usize..6) {
            let text = words.join(" ");
            let quote: Vec<&str> = words.iter().skip(from).take(count).map(String::as_str).collect();
            prop_assume!(!quote.is_empty());
            let quote = quote.join(" ");
            let bytes = locate(&tool("e1", &text), &quote);
            prop_assert_eq!(bytes.and_then(|bytes| text.get(bytes).map(ToOwned::to_owned)), Some(quote));
        }

        #[test]
        fn searching_never_panics(text in "(\\PC|[a-z]{3,7} |\u{200b}| ){0,40}", quote in "(\\PC|[a-z]{3,7} |\u{200b}| ){0,12}") {
            if let Some(bytes) = locate(&tool("e1", &text), &quote) {
                prop_assert!(text.get(bytes).is_some());
            }
        }
    }
}
