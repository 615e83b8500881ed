//! Finds quotes with ellipses. The fragments of such a quote must be in the same innermost JSON object or on the same
//! line.

use core::ops::Range;

use super::super::documents::json::object_around;
use super::boundaries::{find, find_all};
use super::canonical::{Canonical, canonical};
use crate::text::part;
use crate::text::tokens::words;

const MAX_FRAGMENTS: usize = 8;
const MIN_WORDS: usize = 2;
const MAX_STARTS: usize = 64;
const MAX_RECORD: usize = 64 << 10;

pub(super) fn find_elided(
    original: &str,
    source: &Canonical,
    quote: &str,
    accept: impl Fn(&Range<usize>) -> bool,
) -> Option<Range<usize>> {
    let fragments: Vec<_> = fragments(quote).iter().map(|fragment| canonical(fragment)).collect();
    let (first, rest) = fragments.split_first()?;
    if rest.is_empty()
        || fragments.len() > MAX_FRAGMENTS
        || !fragments.iter().all(|fragment| is_long_enough(fragment))
    {
        return None;
    }
    let text = source.as_str();
    find_all(text, first).take(MAX_STARTS).find_map(|begin| {
        let limit = text.floor_char_boundary(begin.end + MAX_RECORD);
        let mut end = begin.end;
        for fragment in rest {
            end += find(text.get(end..limit)?, fragment)?.end;
        }
        let span = source.original(&(begin.start..end));
        (is_one_record(original, &span) && accept(&span)).then_some(span)
    })
}

/// Returns `true` if a fragment has two or more words. A path, a time or a name counts as one word.
fn is_long_enough(fragment: &str) -> bool {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '=' | '"');
    let has_word = |piece: &&str| words(piece).next().is_some();
    fragment.split(is_separator).filter(has_word).nth(MIN_WORDS - 1).is_some()
}

fn fragments(quote: &str) -> Vec<&str> {
    let is_trimmed = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '.' | '…');
    quote
        .split('…')
        .flat_map(|fragment| fragment.split("..."))
        .map(|fragment| fragment.trim_matches(is_trimmed))
        .filter(|fragment| !fragment.is_empty())
        .collect()
}

/// Returns `true` if both ends of a span are in the same innermost object, or on the same line outside objects.
fn is_one_record(original: &str, span: &Range<usize>) -> bool {
    let line_start =
        memchr::memrchr(b'\n', part(original, 0..span.start).as_bytes()).map_or(0, |line| line + 1);
    let is_one_line = !part(original, span.clone()).contains('\n');
    let last = span.end.saturating_sub(1);
    let objects = |scope: &Range<usize>| {
        [span.start, last].map(|offset| object_around(original, scope, offset))
    };
    let line = line_start..original.len();
    let whole = 0..original.len();
    match objects(if is_one_line { &line } else { &whole }) {
        [None, None] => is_one_line,
        [first, last] => first == last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate(source: &str, quote: &str) -> Option<Range<usize>> {
        find_elided(source, &Canonical::new(source), quote, |_| true)
    }

    #[test]
    fn fragments_must_be_in_order_and_within_a_line() {
        let log = "ERROR connection pool exhausted after 15 errors, waited 5000 ms\nINFO pool recovered now";
        assert_eq!(
            locate(log, "connection pool … waited 5000 ms"),
            Some(6..log.find('\n').unwrap())
        );
        assert!(locate(log, "connection pool [...] 15 errors... 5000 ms").is_some());
        for forged in [
            "15 errors … connection pool",
            "connection pool … pool recovered",
            "pool … ms",
            "connection pool … 500 ms",
            "connection pool … 5 errors",
            "connection pool …",
            "… …",
        ] {
            assert_eq!(locate(log, forged), None, "{forged}");
        }
    }

    #[test]
    fn fragments_must_be_within_one_object() {
        let pods =
            r#"[{"name": "a", "age": 3, "ready": true}, {"name": "b", "age": 4, "ready": false}]"#;
        let pretty = pods.replace(", ", ",\n  ");
        let map = r#"{"a": {"ready": true, "age": 3}, "b": {"ready": false, "age": 4}}"#;
        for source in [pods, &pretty] {
            assert!(locate(source, r#""name": "a" … "ready": true"#).is_some(), "{source}");
            assert_eq!(locate(source, r#""name": "a" … "ready": false"#), None, "{source}");
            assert_eq!(locate(source, r#""ready": true … "ready": false"#), None, "{source}");
        }
        assert_eq!(locate(map, r#"{"a": … "ready": false"#), None);
        assert_eq!(
            locate(
                "INFO pods=[{\"p\": \"a\", \"n\": 1}, {\"p\": \"b\", \"n\": 2}]",
                r#""p": "a" … "n": 2"#
            ),
            None
        );
    }
}
