//! This module folds text: it makes the form in which a quote and its source are compared.
//!
//! Zero-width characters and soft hyphens go, NFKC follows, runs of white space become one space, and
//! the ends are trimmed. Case, punctuation, look-alike letters and ellipses stay what they are, so a
//! quote spelled with Cyrillic letters or shortened with dots does not match. A text that is folded
//! already is borrowed, not copied.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::part;

/// The folded form of a text. Folding twice changes nothing.
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    if is_folded_ascii(text) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    if text.is_ascii() {
        push_collapsed(text.chars(), &mut folded);
    } else {
        push_collapsed(text.chars().filter(|c| !is_invisible(*c)).nfkc(), &mut folded);
    }
    Cow::Owned(folded)
}

/// A folded text that remembers where each of its bytes came from.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    text: Cow<'a, str>,
    /// For each byte of `text`, the original span it came from; empty when folding changed nothing.
    sources: Vec<(u32, u32)>,
}

impl<'a> Folded<'a> {
    /// Folds a text of at most 4 GiB; beyond that, spans map to the whole text.
    #[must_use]
    pub fn new(original: &'a str) -> Self {
        if is_folded_ascii(original) {
            return Self { text: Cow::Borrowed(original), sources: Vec::new() };
        }
        let mut folded = Builder {
            text: String::with_capacity(original.len()),
            sources: Vec::with_capacity(original.len()),
        };
        let mut start = 0;
        while start < original.len() {
            let end = end_of_segment(original, start);
            let segment = part(original, start..end);
            let source = (offset(start), offset(end));
            if segment.is_ascii() {
                folded.push_all(segment.chars(), source);
            } else {
                folded.push_all(segment.chars().filter(|c| !is_invisible(*c)).nfkc(), source);
            }
            start = end;
        }
        if folded.text.ends_with(' ') {
            folded.text.pop();
            folded.sources.pop();
        }
        Self { text: Cow::Owned(folded.text), sources: folded.sources }
    }

    /// The folded text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The original bytes behind a span of bytes of the folded text.
    #[must_use]
    pub fn original(&self, span: Range<usize>) -> Range<usize> {
        if self.sources.is_empty() || span.is_empty() {
            return span;
        }
        let start = self.sources.get(span.start).map_or(0, |source| source.0);
        let end = self.sources.get(span.end - 1).map_or(start, |source| source.1);
        start as usize..end as usize
    }
}

struct Builder {
    text: String,
    sources: Vec<(u32, u32)>,
}

impl Builder {
    fn push_all(&mut self, characters: impl Iterator<Item = char>, source: (u32, u32)) {
        for character in characters {
            if character.is_whitespace() {
                if self.text.is_empty() || self.text.ends_with(' ') {
                    continue;
                }
                self.text.push(' ');
            } else {
                self.text.push(character);
            }
            self.sources.resize(self.text.len(), source);
        }
    }
}

/// Where the smallest stretch ends that normalises by itself: one character and whatever may combine with it.
fn end_of_segment(text: &str, start: usize) -> usize {
    let mut characters = part(text, start..text.len()).char_indices();
    characters.next();
    characters
        .find(|(_, character)| starts_segment(*character))
        .map_or(text.len(), |(at, _)| start + at)
}

/// Whether nothing of this character can combine with what stands before it.
fn starts_segment(character: char) -> bool {
    if character.is_ascii() {
        return true;
    }
    if is_invisible(character) {
        return false;
    }
    let stands_alone = |c: char| {
        canonical_combining_class(c) == 0 && is_nfkc_quick(core::iter::once(c)) == IsNormalized::Yes
    };
    stands_alone(character) || core::iter::once(character).nfkd().next().is_some_and(stands_alone)
}

fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn is_folded_ascii(text: &str) -> bool {
    let mut after_space = true;
    for byte in text.bytes() {
        let is_space = byte == b' ';
        if !byte.is_ascii() || matches!(byte, b'\t'..=b'\r') || (is_space && after_space) {
            return false;
        }
        after_space = is_space;
    }
    !after_space || text.is_empty()
}

fn push_collapsed(characters: impl Iterator<Item = char>, folded: &mut String) {
    for character in characters {
        if !character.is_whitespace() {
            folded.push(character);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
}

/// Characters without width that must not tell two texts apart: soft hyphen, zero-width spaces and
/// joiners, directional marks, variation selectors, the byte order mark.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_ascii_is_borrowed() {
        assert!(matches!(fold("pod checkout restarted 3 times"), Cow::Borrowed(_)));
        assert!(matches!(fold(""), Cow::Borrowed(_)));
    }

    #[test]
    fn compatibility_forms_zero_width_and_white_space_fold() {
        assert_eq!(fold("  ﬁx\u{200b}ed\u{a0}\u{ad} at\r\n\t１４:02 "), "fixed at 14:02");
        assert_eq!(fold("e\u{200b}\u{301}"), "é");
    }

    #[test]
    fn h09_look_alike_letters_and_ellipses_stay_different() {
        assert_ne!(fold("OОMKilled"), fold("OOMKilled"));
        assert_ne!(fold("pool … exhausted"), fold("pool was exhausted"));
    }

    #[test]
    fn a_match_maps_back_to_original_bytes() {
        let original = "noise  Ｏut\u{200b} of\n memory: e\u{301}nd";
        let folded = Folded::new(original);
        let at = folded.as_str().find("Out of memory").unwrap();
        let span = folded.original(at..at + "Out of memory".len());
        assert_eq!(part(original, span), "Ｏut\u{200b} of\n memory");
        let at = folded.as_str().find('é').unwrap();
        assert_eq!(part(original, folded.original(at..at + 'é'.len_utf8())), "e\u{301}");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,60}|[\\x00-\\x7f\u{a0}\u{300}-\u{36f}\u{1100}-\u{11ff}\u{200b}]{0,40}") {
            let once = fold(&text).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once);
        }

        #[test]
        fn both_ways_of_folding_agree(text in "\\PC{0,60}|[ -~\u{a0}-\u{3ff}\u{ff61}-\u{ff9f}\\s]{0,40}") {
            let folded = Folded::new(&text);
            prop_assert_eq!(folded.as_str(), fold(&text));
            let length = folded.as_str().len();
            for (at, character) in folded.as_str().char_indices() {
                let span = folded.original(at..at + character.len_utf8());
                prop_assert!(text.get(span.clone()).is_some(), "{span:?}");
            }
            prop_assert!(folded.original(0..length).end <= text.len());
        }
    }
}
