//! Folds text for comparing quotes with their sources.
//!
//! Removes zero-width characters, soft hyphens and terminal colors, applies NFKC, replaces dashes and
//! quotation marks with ASCII (`≥` becomes `>=`), collapses whitespace, and trims the ends. Preserves case,
//! other punctuation, lookalike letters and ellipses, so a quote with Cyrillic letters or an omission does
//! not match. Text that is already folded is borrowed.

use core::ops::Range;
use std::borrow::Cow;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::part;

const ESCAPE: char = '\u{1b}';

/// Folds a text. Folding is idempotent.
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    if is_folded_ascii(text) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    let visible = visible(text).map(|(_, character)| character);
    if text.is_ascii() {
        push_collapsed(visible, &mut folded);
    } else {
        push_collapsed(visible.nfkc().flat_map(to_ascii_form), &mut folded);
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    Cow::Owned(folded)
}

/// A folded text that maps each byte to the original.
#[derive(Clone, Debug)]
pub struct Folded<'a> {
    text: Cow<'a, str>,
    /// The original range of each byte in `text`. Empty if folding changed nothing.
    sources: Vec<(u32, u32)>,
}

impl<'a> Folded<'a> {
    /// Folds a text. In texts longer than 4 GiB, spans after that offset are wrong.
    #[must_use]
    pub fn new(original: &'a str) -> Self {
        if is_folded_ascii(original) {
            return Self { text: Cow::Borrowed(original), sources: Vec::new() };
        }
        let mut folded = Builder {
            text: String::with_capacity(original.len()),
            sources: Vec::with_capacity(original.len()),
        };
        let mut visible = visible(original).peekable();
        let mut segment = String::new();
        while let Some((first, character)) = visible.next() {
            segment.clear();
            segment.push(character);
            let mut end = first.end;
            while let Some((span, joined)) = visible.next_if(|(_, next)| !starts_segment(*next)) {
                segment.push(joined);
                end = span.end;
            }
            let source = (offset(first.start), offset(end));
            if segment.is_ascii() {
                folded.push_all(segment.chars(), source);
            } else {
                folded.push_all(segment.nfkc().flat_map(to_ascii_form), source);
            }
        }
        if folded.text.ends_with(' ') {
            folded.text.pop();
            folded.sources.pop();
        }
        Self { text: Cow::Owned(folded.text), sources: folded.sources }
    }

    /// Returns the folded text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the original range for a range of the folded text.
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

/// Returns `true` if a text can be normalized separately before and after the start of this character.
fn starts_segment(character: char) -> bool {
    if character.is_ascii() {
        return true;
    }
    let is_stable = |c: char| {
        canonical_combining_class(c) == 0 && is_nfkc_quick(core::iter::once(c)) == IsNormalized::Yes
    };
    is_stable(character) || core::iter::once(character).nfkd().next().is_some_and(is_stable)
}

fn visible(text: &str) -> impl Iterator<Item = (Range<usize>, char)> {
    let with_spans = |range: Range<usize>| {
        let characters = part(text, range.clone()).char_indices();
        characters.map(move |(offset, character)| {
            let start = range.start + offset;
            (start..start + character.len_utf8(), character)
        })
    };
    without_color_codes(text)
        .flat_map(with_spans)
        .filter(|(_, character)| *character != ESCAPE && !is_invisible(*character))
}

fn without_color_codes(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut next_start = Some(0);
    core::iter::from_fn(move || {
        let start = next_start?;
        let sequence = escape_sequence(text, start);
        next_start = sequence.as_ref().map(|sequence| sequence.end);
        Some(start..sequence.map_or(text.len(), |sequence| sequence.start))
    })
}

/// Returns the next terminal control sequence (`ESC [`, parameters, a letter).
fn escape_sequence(text: &str, search_start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut starts = memchr::memchr_iter(ESCAPE as u8, bytes.get(search_start..)?)
        .map(|distance| search_start + distance);
    starts.find_map(|start| {
        let parameters = bytes.get(start + 1..)?.strip_prefix(b"[")?;
        let is_parameter = |byte: &&u8| matches!(**byte, b'0'..=b'9' | b';' | b'?');
        let length = parameters.iter().take_while(is_parameter).count();
        let last = parameters.get(length).filter(|byte| byte.is_ascii_alphabetic());
        last.map(|_| start..start + 3 + length)
    })
}

/// Returns the ASCII form of a dash, quotation mark or comparison sign, or the character itself.
fn to_ascii_form(character: char) -> impl Iterator<Item = char> {
    let (first, second) = match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => ('-', None),
        '\u{2018}'..='\u{201b}' => ('\'', None),
        '\u{201c}'..='\u{201f}' => ('"', None),
        '\u{2265}' => ('>', Some('=')),
        '\u{2264}' => ('<', Some('=')),
        other => (other, None),
    };
    core::iter::once(first).chain(second)
}

/// Returns `true` if folding replaces a dash, quotation mark or comparison sign with ASCII.
#[must_use]
pub fn has_ascii_form(character: char) -> bool {
    to_ascii_form(character).next() != Some(character)
}

fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

fn is_folded_ascii(text: &str) -> bool {
    let mut after_space = true;
    for byte in text.bytes() {
        let is_space = byte == b' ';
        if !byte.is_ascii() || matches!(byte, b'\t'..=b'\r' | 0x1b) || (is_space && after_space) {
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
}

/// Returns `true` for zero-width characters that must not distinguish two texts: soft hyphens, zero-width
/// spaces and joiners, directional marks, variation selectors, byte order marks.
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
    fn folded_ascii_is_borrowed() {
        assert!(matches!(fold("pod checkout restarted 3 times"), Cow::Borrowed(_)));
        assert!(matches!(fold(""), Cow::Borrowed(_)));
    }

    #[test]
    fn folds_compatibility_forms_and_whitespace() {
        assert_eq!(fold("  ﬁx\u{200b}ed\u{a0}\u{ad} at\r\n\t１４:02 "), "fixed at 14:02");
        assert_eq!(fold("e\u{200b}\u{301}"), "é");
    }

    #[test]
    fn folds_typographic_variants() {
        assert_eq!(
            fold("pool\u{2011}size \u{2265} 10 \u{2014} \u{201c}full\u{201d}"),
            "pool-size >= 10 - \"full\""
        );
        assert_eq!(fold("it\u{2019}s 1\u{202f}234\u{2009}ms"), "it's 1 234 ms");
        assert_eq!(fold("\u{1b}[31mERROR\u{1b}[0m pool\u{1b}[1;33m full"), "ERROR pool full");
        assert_eq!(fold("\u{1b}lone"), "lone");
    }

    #[test]
    fn folds_nested_sequences() {
        assert_eq!(fold("\u{1b}\u{200b}[A"), "[A");
        assert_eq!(fold("e\u{1b}[0m\u{301}"), "é");
        assert_eq!(fold("=\u{338}\u{338}"), "≠\u{338}");
    }

    #[test]
    fn colors_map_back_to_original_bytes() {
        let original = "\u{1b}[2m09:14\u{1b}[0m depth \u{2265} 400";
        let folded = Folded::new(original);
        let start = folded.as_str().find("14 depth >= 400").unwrap();
        let span = folded.original(start..start + "14 depth >= 400".len());
        assert_eq!(part(original, span), "14\u{1b}[0m depth \u{2265} 400");
    }

    #[test]
    fn lookalikes_and_ellipses_stay_different() {
        assert_ne!(fold("OОMKilled"), fold("OOMKilled"));
        assert_ne!(fold("pool … exhausted"), fold("pool was exhausted"));
    }

    #[test]
    fn matches_map_back_to_original_bytes() {
        let original = "noise  Ｏut\u{200b} of\n memory: e\u{301}nd";
        let folded = Folded::new(original);
        let start = folded.as_str().find("Out of memory").unwrap();
        let span = folded.original(start..start + "Out of memory".len());
        assert_eq!(part(original, span), "Ｏut\u{200b} of\n memory");
        let start = folded.as_str().find('é').unwrap();
        assert_eq!(part(original, folded.original(start..start + 'é'.len_utf8())), "e\u{301}");
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,60}|[\\x00-\\x7f\u{2010}-\u{2015}\u{2264}\u{a0}\u{300}-\u{36f}\u{1100}-\u{11ff}\u{200b}]{0,40}|[\u{1b}\\[0-1m=<e \u{200b}\u{301}\u{338}\u{2264}]{0,12}") {
            let once = fold(&text).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once);
        }

        #[test]
        fn fold_and_folded_agree(text in "\\PC{0,60}|[ -~\u{a0}-\u{3ff}\u{ff61}-\u{ff9f}\\s]{0,40}|[\u{1b}\\[0-1m=<e \u{200b}\u{301}\u{338}\u{2264}]{0,12}") {
            let folded = Folded::new(&text);
            prop_assert_eq!(folded.as_str(), fold(&text));
            let length = folded.as_str().len();
            for (start, character) in folded.as_str().char_indices() {
                let span = folded.original(start..start + character.len_utf8());
                prop_assert!(text.get(span.clone()).is_some(), "{span:?}");
            }
            prop_assert!(folded.original(0..length).end <= text.len());
        }
    }
}
