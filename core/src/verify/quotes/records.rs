//! This module finds quotes that leave words out: stretches joined by an ellipsis.
//!
//! They hold only in their order and within one record, which is the innermost JSON object around them, or the
//! line where there is none. A stretch has two words or more, so that no subject is joined to a value of another.

use core::ops::Range;

use super::super::documents::json::object_around;
use super::boundaries::{find, places};
use super::canonical::{Canonical, canonical};
use crate::text::part;
use crate::text::tokens::words;

/// The most stretches of one quote.
const MAX_STRETCHES: usize = 8;
/// The fewest words of a stretch.
const MIN_WORDS: usize = 2;
/// At how many places the first stretch is tried.
const MAX_BEGINNINGS: usize = 64;
/// How many bytes a record may have.
const MAX_RECORD: usize = 64 << 10;

/// The place of a quote with left-out words, in the bytes of the original.
pub(super) fn find_elided(
    original: &str,
    source: &Canonical,
    quote: &str,
    accept: impl Fn(&Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let stretches: Vec<_> = stretches(quote).iter().map(|stretch| canonical(stretch)).collect();
    let (first, rest) = stretches.split_first()?;
    if rest.is_empty()
        || stretches.len() > MAX_STRETCHES
        || !stretches.iter().all(|stretch| is_long_enough(stretch))
    {
        return None;
    }
    places(source.as_str(), first).take(MAX_BEGINNINGS).find_map(|begin| {
        let limit = (begin.end + MAX_RECORD).min(source.as_str().len());
        let mut end = begin.end;
        for stretch in rest {
            let ahead = source.as_str().get(end..floor(source.as_str(), limit))?;
            end += find(ahead, stretch)?.end;
        }
        let span = source.original(&(begin.start..end));
        (is_one_record(original, &span) && accept(&span)).then_some(span)
    })
}

/// Whether a stretch has two words or more, apart from the parts of one path, time or name.
fn is_long_enough(stretch: &str) -> bool {
    let apart = |c: char| c.is_whitespace() || matches!(c, '=' | '"');
    let says = |piece: &&str| words(piece).next().is_some();
    stretch.split(apart).filter(says).nth(MIN_WORDS - 1).is_some()
}

/// The words between ellipses: `…`, `...`, `[...]`.
fn stretches(quote: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '.' | '…');
    quote
        .split('…')
        .flat_map(|stretch| stretch.split("..."))
        .map(|stretch| stretch.trim_matches(ends))
        .filter(|stretch| !stretch.is_empty())
        .collect()
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Whether both ends of a span stand in one innermost object, or outside of all on one line.
fn is_one_record(original: &str, span: &Range<usize>) -> bool {
    let line_start =
        memchr::memrchr(b'\n', part(original, 0..span.start).as_bytes()).map_or(0, |line| line + 1);
    let is_one_line = !part(original, span.clone()).contains('\n');
    let last = span.end.saturating_sub(1);
    let around = |scope: &Range<usize>| {
        [span.start, last].map(|offset| object_around(original, scope, offset))
    };
    let line = line_start..original.len();
    let whole = 0..original.len();
    match around(if is_one_line { &line } else { &whole }) {
        [None, None] => is_one_line,
        [first, last] => first == last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, quote: &str) -> Option<Range<usize>> {
        find_elided(source, &Canonical::of(source), quote, |_| true)
    }

    #[test]
    fn stretches_hold_in_order_and_within_a_line() {
        let log = "ERROR connection pool exhausted after 15 errors, waited 5000 ms\nINFO pool recovered now";
        assert_eq!(
            found(log, "connection pool … waited 5000 ms"),
            Some(6..log.find('\n').unwrap())
        );
        assert!(found(log, "connection pool [...] 15 errors... 5000 ms").is_some());
        for forged in [
            "15 errors … connection pool",
            "connection pool … pool recovered",
            "pool … ms",
            "connection pool … 500 ms",
            "connection pool … 5 errors",
            "connection pool …",
            "… …",
        ] {
            assert_eq!(found(log, forged), None, "{forged}");
        }
    }

    #[test]
    fn stretches_hold_within_one_object_only() {
        let pods =
            r#"[{"name": "a", "age": 3, "ready": true}, {"name": "b", "age": 4, "ready": false}]"#;
        let pretty = pods.replace(", ", ",\n  ");
        let map = r#"{"a": {"ready": true, "age": 3}, "b": {"ready": false, "age": 4}}"#;
        for source in [pods, &pretty] {
            assert!(found(source, r#""name": "a" … "ready": true"#).is_some(), "{source}");
            assert_eq!(found(source, r#""name": "a" … "ready": false"#), None, "{source}");
            assert_eq!(found(source, r#""ready": true … "ready": false"#), None, "{source}");
        }
        assert_eq!(found(map, r#"{"a": … "ready": false"#), None);
        assert_eq!(
            found(
                "INFO pods=[{\"p\": \"a\", \"n\": 1}, {\"p\": \"b\", \"n\": 2}]",
                r#""p": "a" … "n": 2"#
            ),
            None
        );
    }
}
