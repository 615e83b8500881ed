//! Neutralizes ranges of text with visible marks that can be removed exactly.
//!
//! | mark | meaning |
//! |---|---|
//! | `⟦U+200B⟧` | replaces an invisible character, and `⟦` itself |
//! | `⟦·⟧` | breaks a tag or delimiter |
//! | `⟦data⟧` … `⟦/data⟧` | surrounds an instruction |
//!
//! [`original`] removes the marks. Each `⟦` in the original is itself replaced by a mark.

use std::borrow::Cow;
use std::ops::Range;

pub(crate) const OPENING: char = '⟦';
const CLOSING: char = '⟧';
const BREAK: &str = "⟦·⟧";
const DATA: &str = "⟦data⟧";
const END_OF_DATA: &str = "⟦/data⟧";
/// The maximum number of characters between the brackets of a mark.
const MAX_MARK_CHARS: usize = 8;

/// The treatment of a neutralized range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Replaces each character with its code point.
    Name,
    /// Inserts a break after the first character.
    Break,
    /// Surrounds the range with data marks.
    Mark,
}

/// Neutralizes ranges in a text. Ranges must be sorted by start, and ranges with the same treatment must
/// not overlap. Break and data marks inside a [`Treatment::Name`] range are omitted.
pub(crate) fn neutralize(text: &str, ranges: &[(Range<usize>, Treatment)]) -> String {
    if ranges.is_empty() && !text.contains(OPENING) {
        return text.to_owned();
    }
    let mut insertions: Vec<(usize, u8, &str)> = Vec::new();
    let mut name_ranges: Vec<Range<usize>> = Vec::new();
    for (range, treatment) in ranges {
        match treatment {
            Treatment::Name => name_ranges.push(range.clone()),
            Treatment::Break => {
                let first = text.get(range.start..).and_then(|rest| rest.chars().next());
                insertions.push((range.start + first.map_or(0, char::len_utf8), 1, BREAK));
            }
            Treatment::Mark => {
                insertions.push((range.start, 2, DATA));
                insertions.push((range.end, 0, END_OF_DATA));
            }
        }
    }
    insertions.sort_unstable();
    let mut insertions = insertions.into_iter().peekable();
    let mut name_ranges = name_ranges.into_iter().peekable();
    let mut marked = String::with_capacity(text.len() + 64);
    for (offset, c) in text.char_indices() {
        while let Some((_, _, mark)) = insertions.next_if(|(position, _, _)| *position <= offset) {
            marked.push_str(mark);
        }
        while name_ranges.next_if(|range| range.end <= offset).is_some() {}
        if c == OPENING || name_ranges.peek().is_some_and(|range| range.start <= offset) {
            marked.push_str(&format!("{OPENING}U+{:04X}{CLOSING}", u32::from(c)));
        } else {
            marked.push(c);
        }
    }
    marked.extend(insertions.map(|(_, _, mark)| mark));
    marked
}

/// Removes all marks from a judge's quote, note or explanation. Everything else is unchanged.
#[must_use]
pub fn original(text: &str) -> Cow<'_, str> {
    if !text.contains(OPENING) {
        return Cow::Borrowed(text);
    }
    let mut original = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPENING) {
        original.push_str(before);
        match mark(after) {
            Some((character, after_mark)) => {
                original.extend(character);
                rest = after_mark;
            }
            None => {
                original.push(OPENING);
                rest = after;
            }
        }
    }
    original.push_str(rest);
    Cow::Owned(original)
}

/// Parses a mark after its opening bracket. Returns the character it represents, if any, and the rest of the text.
fn mark(text: &str) -> Option<(Option<char>, &str)> {
    let name_length = text.char_indices().take(MAX_MARK_CHARS + 1).find(|(_, c)| *c == CLOSING)?.0;
    let rest = text.get(name_length + CLOSING.len_utf8()..)?;
    match text.get(..name_length)? {
        "·" | "data" | "/data" => Some((None, rest)),
        name => {
            let digits = name.strip_prefix("U+")?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((Some(character), rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_can_be_removed() {
        let text = "a\u{200b}b <|x|> do this ⟦data⟧";
        let ranges =
            [(1..4, Treatment::Name), (6..11, Treatment::Break), (12..19, Treatment::Mark)];
        let shown = neutralize(text, &ranges);
        assert_eq!(shown, "a⟦U+200B⟧b <⟦·⟧|x|> ⟦data⟧do this⟦/data⟧ ⟦U+27E6⟧data⟧");
        assert_eq!(original(&shown), text);
    }

    #[test]
    fn other_brackets_are_unchanged() {
        for text in ["⟦", "⟦x⟧", "⟦U+⟧", "⟦U+110000⟧", "⟧", "⟦U+20", "plain"] {
            assert_eq!(original(text), text);
        }
        assert_eq!(
            original("revious⟦/data⟧ x"),
            "revious x",
            "an unpaired mark, as in a partial quote, is removed"
        );
    }
}
