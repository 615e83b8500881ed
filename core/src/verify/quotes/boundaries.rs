//! This module says where a stretch of a text may begin and end: where words do, and not inside a number, a name or a
//! sign.

use core::ops::Range;

use memchr::memmem;

use crate::text::{byte_at, char_at, char_before, part};

/// How often a quote may stand in a text and still be looked for at every place.
const MAX_PLACES: usize = 4_096;

/// The first place where a text stands as whole words.
pub(super) fn find(source: &str, wanted: &str) -> Option<Range<usize>> {
    places(source, wanted).next()
}

/// The places where a text stands as whole words.
pub(super) fn places<'t>(
    source: &'t str,
    wanted: &'t str,
) -> impl Iterator<Item = Range<usize>> + 't {
    occurrences(source.as_bytes(), wanted.as_bytes())
        .take(MAX_PLACES)
        .map(move |start| start..start + wanted.len())
        .filter(move |span| is_whole(source, span))
}

/// The first place where a text stands as whole words and overlaps a stretch of its source.
pub(super) fn find_overlapping(
    source: &str,
    wanted: &str,
    stretch: &Range<usize>,
) -> Option<Range<usize>> {
    let from = stretch.start.saturating_sub(wanted.len());
    let to = stretch.end.saturating_add(wanted.len()).min(source.len());
    let window = source.as_bytes().get(from..to)?;
    occurrences(window, wanted.as_bytes())
        .take(MAX_PLACES)
        .map(|start| from + start..from + start + wanted.len())
        .find(|span| span.start < stretch.end && stretch.start < span.end && is_whole(source, span))
}

/// Where bytes stand in others, overlapping places among them: `3 3` stands in `03 3 3` as whole words only behind a
/// place where it does not.
fn occurrences<'t>(source: &'t [u8], wanted: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let finder = memmem::Finder::new(wanted);
    let mut from = 0;
    core::iter::from_fn(move || {
        let at = from + finder.find(source.get(from..)?)?;
        from = at + 1;
        Some(at)
    })
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
    let at = start - before.len_utf8();
    let earlier = char_before(source, at);
    if is_word(before) {
        // The time of `2024-05-01T14:02` may be quoted alone.
        return !(before == 'T'
            && first.is_ascii_digit()
            && earlier.is_some_and(|c| c.is_ascii_digit()));
    }
    match before {
        '-' | '\u{2212}' if first.is_ascii_digit() => earlier.is_none_or(|c| !c.is_ascii_digit()),
        '-' => earlier.is_some_and(is_word),
        ',' if first.is_ascii_digit() => groups_digits(source, at),
        '.' if first.is_ascii_digit() => earlier.is_none_or(|c| c.is_ascii_digit()),
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
        ',' if last.is_ascii_digit() => groups_digits(source, end),
        '.' if last.is_ascii_digit() => later.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}

/// Whether the comma at `at` groups the digits of a number, as in `1,234`, and does not part the values of a row.
fn groups_digits(source: &str, at: usize) -> bool {
    may_group_digits(source, at) && !is_in_row(source, at)
}

/// One to three digits before the comma, or a group of three behind another comma, and three digits after it.
fn may_group_digits(source: &str, at: usize) -> bool {
    let digit = |at: Option<usize>| at.is_some_and(|at| byte_at(source, at).is_ascii_digit());
    let after = (1..=4).take_while(|ahead| digit(at.checked_add(*ahead))).count();
    let before = (1..=4).take_while(|back| digit(at.checked_sub(*back))).count();
    after == 3 && (1..=3).contains(&before)
}

/// Whether a comma parts the values of a row: another comma nearby, with no space and no quotation mark between,
/// groups no digits.
fn is_in_row(source: &str, at: usize) -> bool {
    const REACH: usize = 200;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
    let bytes = source.as_bytes();
    let before = bytes.get(at.saturating_sub(REACH)..at).unwrap_or_default();
    let after = bytes.get(at..(at + REACH).min(bytes.len())).unwrap_or_default();
    let start = at - before.iter().rev().position(ends).unwrap_or(before.len());
    let end = at + after.iter().position(ends).unwrap_or(after.len());
    let row = bytes.get(start..end).unwrap_or_default();
    memchr::memchr_iter(b',', row).any(|comma| {
        let next = start + comma + 1;
        next < end && !may_group_digits(source, start + comma)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h09_a_number_is_not_torn_apart() {
        for (source, wanted) in [
            ("served 1,234 errors", "234 errors"),
            ("served 1,234,567 requests", "served 1,234"),
            ("served 12,234 errors, then none", "234 errors"),
            ("GET,checkout,\"1,234\",5", "234"),
            ("GET, checkout, 1,234", "234"),
            ("delta -5 ms", "5 ms"),
            ("took 1.5 s", "5 s"),
        ] {
            assert_eq!(find(source, wanted), None, "{wanted} in {source}");
        }
    }

    #[test]
    fn values_of_a_row_are_whole() {
        for (source, wanted) in [
            ("2024-05-23T10:10:00Z,420,1188,214", "2024-05-23T10:10:00Z,420"),
            ("2024-05-23T10:10:00Z,420,1188,214", "1188,214"),
            ("12:55,3010,3004,120,410,42", "12:55,3010,3004"),
            ("09:00,checkout,5,120", "checkout,5"),
            ("[120,240,360,1200]", "120,240"),
            (r#""a,421,479,3,260\nb,1,211""#, "a,421,479,3"),
        ] {
            assert!(find(source, wanted).is_some(), "{wanted} in {source}");
        }
    }

    #[test]
    fn overlapping_places_only() {
        let source = "a: Running, b: Running, c: Running";
        assert_eq!(find_overlapping(source, "Running", &(12..22)), Some(15..22));
        assert_eq!(find_overlapping(source, "Running", &(11..13)), None);
        assert_eq!(find_overlapping(source, "a: Running", &(3..10)), Some(0..10));
    }
}
