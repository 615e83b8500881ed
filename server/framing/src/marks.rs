//! This module makes a stretch of text inert with visible marks that can be removed again exactly.
//!
//! | mark | meaning |
//! |---|---|
//! | `⟦U+200B⟧` | in place of a character that cannot be seen, and of `⟦` itself |
//! | `⟦·⟧` | within a tag or delimiter, which is none any more |
//! | `⟦data⟧` … `⟦/data⟧` | around a phrase that instructs |
//!
//! [`original`] takes them away. Since `⟦` of the original is marked as well, nothing else begins a mark.

use std::borrow::Cow;
use std::ops::Range;

/// Begins every mark.
pub(crate) const OPENING: char = '⟦';
const CLOSING: char = '⟧';
const BREAK: &str = "⟦·⟧";
const DATA: &str = "⟦data⟧";
const END_OF_DATA: &str = "⟦/data⟧";
/// The longest mark between its brackets, in bytes.
const MAX_MARK_CHARS: usize = 8;

/// How a stretch is made inert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// Each of its characters is named.
    Name,
    /// It is broken behind its first character.
    Break,
    /// It is marked as data.
    Mark,
}

/// A text with stretches made inert. The stretches ascend by their starts; those of one kind do not overlap. What
/// begins within a stretch that is named is left out.
pub(crate) fn inert(text: &str, stretches: &[(Range<usize>, Treatment)]) -> String {
    if stretches.is_empty() && !text.contains(OPENING) {
        return text.to_owned();
    }
    let mut insertions: Vec<(usize, u8, &str)> = Vec::new();
    let mut named: Vec<Range<usize>> = Vec::new();
    for (range, treatment) in stretches {
        match treatment {
            Treatment::Name => named.push(range.clone()),
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
    let mut named = named.into_iter().peekable();
    let mut inert = String::with_capacity(text.len() + 64);
    for (at, c) in text.char_indices() {
        while let Some((_, _, mark)) = insertions.next_if(|(place, _, _)| *place <= at) {
            inert.push_str(mark);
        }
        while named.next_if(|range| range.end <= at).is_some() {}
        if c == OPENING || named.peek().is_some_and(|range| range.start <= at) {
            inert.push_str(&format!("{OPENING}U+{:04X}{CLOSING}", u32::from(c)));
        } else {
            inert.push(c);
        }
    }
    inert.extend(insertions.map(|(_, _, mark)| mark));
    inert
}

/// A text as it was before stretches were made inert. For quotes, notes and explanations of a judge: marks are taken
/// away wherever they stand; what is no mark stays.
#[must_use]
pub fn original(shown: &str) -> Cow<'_, str> {
    if !shown.contains(OPENING) {
        return Cow::Borrowed(shown);
    }
    let mut original = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some((before, behind)) = rest.split_once(OPENING) {
        original.push_str(before);
        match mark(behind) {
            Some((character, behind_mark)) => {
                original.extend(character);
                rest = behind_mark;
            }
            None => {
                original.push(OPENING);
                rest = behind;
            }
        }
    }
    original.push_str(rest);
    Cow::Owned(original)
}

/// The mark at the start of a text without its opening: the character it stands for, if any, and what follows it.
fn mark(text: &str) -> Option<(Option<char>, &str)> {
    let end = text.char_indices().take(MAX_MARK_CHARS + 1).find(|(_, c)| *c == CLOSING)?.0;
    let rest = text.get(end + CLOSING.len_utf8()..)?;
    match text.get(..end)? {
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
    fn marks_are_seen_and_taken_away() {
        let text = "a\u{200b}b <|x|> do this ⟦data⟧";
        let stretches =
            [(1..4, Treatment::Name), (6..11, Treatment::Break), (12..19, Treatment::Mark)];
        let shown = inert(text, &stretches);
        assert_eq!(shown, "a⟦U+200B⟧b <⟦·⟧|x|> ⟦data⟧do this⟦/data⟧ ⟦U+27E6⟧data⟧");
        assert_eq!(original(&shown), text);
    }

    #[test]
    fn what_is_no_mark_stays() {
        for text in ["⟦", "⟦x⟧", "⟦U+⟧", "⟦U+110000⟧", "⟧", "⟦U+20", "plain"] {
            assert_eq!(original(text), text);
        }
        assert_eq!(
            original("revious⟦/data⟧ x"),
            "revious x",
            "half of a pair, as in part of a quote"
        );
    }
}
