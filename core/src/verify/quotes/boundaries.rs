//! Finds text at word boundaries, but not inside a word, a number, a name or a signed value.

use core::ops::Range;

use memchr::memmem;

use crate::text::{byte_at, char_at, char_before, part};

const MAX_PLACES: usize = 4_096;

pub(super) fn find(source: &str, needle: &str) -> Option<Range<usize>> {
    find_all(source, needle).next()
}

pub(super) fn find_all<'t>(
    source: &'t str,
    needle: &'t str,
) -> impl Iterator<Item = Range<usize>> + 't {
    occurrences(source.as_bytes(), needle.as_bytes())
        .take(MAX_PLACES)
        .map(move |start| start..start + needle.len())
        .filter(move |span| is_whole(source, span))
}

/// Finds the first occurrence that consists of whole words and overlaps a span of the source.
pub(super) fn find_overlapping(
    source: &str,
    needle: &str,
    target: &Range<usize>,
) -> Option<Range<usize>> {
    let start = target.start.saturating_sub(needle.len());
    let end = target.end.saturating_add(needle.len()).min(source.len());
    let window = source.as_bytes().get(start..end)?;
    occurrences(window, needle.as_bytes())
        .take(MAX_PLACES)
        .map(|offset| start + offset..start + offset + needle.len())
        .find(|span| span.start < target.end && target.start < span.end && is_whole(source, span))
}

/// Finds all occurrences, including overlapping ones. In `03 3 3`, only the second `3 3` consists of whole words.
fn occurrences<'t>(source: &'t [u8], needle: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let finder = memmem::Finder::new(needle);
    let mut search_start = 0;
    core::iter::from_fn(move || {
        let start = search_start + finder.find(source.get(search_start..)?)?;
        search_start = start + 1;
        Some(start)
    })
}

/// Returns `true` if a span starts and ends at word boundaries.
pub(super) fn is_whole(source: &str, span: &Range<usize>) -> bool {
    let quote = part(source, span.clone());
    let (Some(first), Some(last)) = (quote.chars().next(), quote.chars().next_back()) else {
        return false;
    };
    !splits_at_start(source, span.start, first) && !splits_at_end(source, span.end, last)
}

fn splits_at_start(source: &str, start: usize, first: char) -> bool {
    let Some(previous) = char_before(source, start) else { return false };
    if !is_word(first) {
        return false;
    }
    let previous_start = start - previous.len_utf8();
    let second_previous = char_before(source, previous_start);
    if is_word(previous) {
        // The time in `2024-05-01T14:02` can be quoted separately.
        return !(previous == 'T'
            && first.is_ascii_digit()
            && second_previous.is_some_and(|c| c.is_ascii_digit()));
    }
    match previous {
        '-' | '\u{2212}' if first.is_ascii_digit() => {
            second_previous.is_none_or(|c| !c.is_ascii_digit())
        }
        '-' => second_previous.is_some_and(is_word),
        ',' if first.is_ascii_digit() => groups_digits(source, previous_start),
        '.' if first.is_ascii_digit() => second_previous.is_none_or(|c| c.is_ascii_digit()),
        _ => false,
    }
}

fn splits_at_end(source: &str, end: usize, last: char) -> bool {
    let Some(next) = char_at(source, end) else { return false };
    if !is_word(last) {
        return false;
    }
    if is_word(next) {
        return true;
    }
    let second_next = char_at(source, end + next.len_utf8());
    match next {
        '-' => second_next.is_some_and(is_word),
        // `14:02:31.250` can be quoted without the fraction.
        '.' if ends_in_seconds(part(source, 0..end)) => false,
        ',' if last.is_ascii_digit() => groups_digits(source, end),
        '.' if last.is_ascii_digit() => second_next.is_some_and(|c| c.is_ascii_digit()),
        _ => false,
    }
}

/// Returns `true` if the comma groups digits (`1,234`) and does not separate values.
fn groups_digits(source: &str, comma: usize) -> bool {
    may_group_digits(source, comma) && !is_in_row(source, comma)
}

/// Returns `true` if one to three digits precede the comma and exactly three follow it.
fn may_group_digits(source: &str, comma: usize) -> bool {
    let is_digit =
        |index: Option<usize>| index.is_some_and(|index| byte_at(source, index).is_ascii_digit());
    let digits_after =
        (1..=4).take_while(|distance| is_digit(comma.checked_add(*distance))).count();
    let digits_before =
        (1..=4).take_while(|distance| is_digit(comma.checked_sub(*distance))).count();
    digits_after == 3 && (1..=3).contains(&digits_before)
}

/// Returns `true` if the comma is in a row of values, that is, if another comma in the row does not group digits.
fn is_in_row(source: &str, comma: usize) -> bool {
    const REACH: usize = 200;
    let ends_row = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'"';
    let bytes = source.as_bytes();
    let text_before = bytes.get(comma.saturating_sub(REACH)..comma).unwrap_or_default();
    let text_after = bytes.get(comma..(comma + REACH).min(bytes.len())).unwrap_or_default();
    let start = comma - text_before.iter().rev().position(ends_row).unwrap_or(text_before.len());
    let end = comma + text_after.iter().position(ends_row).unwrap_or(text_after.len());
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

/// Returns `true` for underscores, digits and letters, except for letters of scripts without spaces between words.
fn is_word(character: char) -> bool {
    let is_spaceless = matches!(character, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    character == '_' || character.is_alphanumeric() && !is_spaceless
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h09_a_number_is_not_split() {
        for (source, needle) in [
            ("served 1,234 errors", "234 errors"),
            ("served 1,234,567 requests", "served 1,234"),
            ("served 12,234 errors, then none", "234 errors"),
            ("GET,checkout,\"1,234\",5", "234"),
            ("GET, checkout, 1,234", "234"),
            ("delta -5 ms", "5 ms"),
            ("took 1.5 s", "5 s"),
        ] {
            assert_eq!(find(source, needle), None, "{needle} in {source}");
        }
    }

    #[test]
    fn values_in_a_row_can_be_quoted() {
        for (source, needle) in [
            ("2024-05-23T10:10:00Z,420,1188,214", "2024-05-23T10:10:00Z,420"),
            ("2024-05-23T10:10:00Z,420,1188,214", "1188,214"),
            ("12:55,3010,3004,120,410,42", "12:55,3010,3004"),
            ("09:00,checkout,5,120", "checkout,5"),
            ("[120,240,360,1200]", "120,240"),
            (r#""a,421,479,3,260\nb,1,211""#, "a,421,479,3"),
        ] {
            assert!(find(source, needle).is_some(), "{needle} in {source}");
        }
    }

    #[test]
    fn finds_only_occurrences_that_overlap_the_span() {
        let source = "a: Running, b: Running, c: Running";
        assert_eq!(find_overlapping(source, "Running", &(12..22)), Some(15..22));
        assert_eq!(find_overlapping(source, "Running", &(11..13)), None);
        assert_eq!(find_overlapping(source, "a: Running", &(3..10)), Some(0..10));
    }
}
