//! Splits text into words without splitting identifiers.
//!
//! `checkout-7f9c4d-x2x1z`, `10.0.3.4:5432`, `OOMKilled`, `memory_limit` and `p99` are one word each;
//! `shop/checkout` and `cause=oom` are two.

use core::ops::Range;

pub use super::stop_words::is_stop_word;
use super::{byte_at, char_at, char_before, part};

/// A word and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'a> {
    /// The original word.
    pub text: &'a str,
    /// The byte range in the text.
    pub span: Range<usize>,
}

/// The shape of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Letters only: `memory`.
    Plain,
    /// Lower-case letters with hyphens, a name or an English word: `checkout-db`, `long-running`.
    Compound,
    /// A name with digits, underscores, dots or inner capitals: `p99`, `OOMKilled`, `mem_limit`.
    Identifier,
    /// A digit, followed only by digits and separators: `14:02`, `1.5`, `10.0.3.4`.
    Number,
}

impl Word<'_> {
    /// Returns the shape of the word.
    #[must_use]
    pub fn shape(&self) -> Shape {
        let bytes = self.text.as_bytes();
        if bytes.iter().all(u8::is_ascii_lowercase) {
            return Shape::Plain;
        }
        if bytes.first().is_some_and(u8::is_ascii_digit)
            && !bytes.iter().any(u8::is_ascii_alphabetic)
        {
            return Shape::Number;
        }
        let has_name_byte =
            bytes.iter().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
        if has_name_byte || has_inner_capital(bytes) {
            Shape::Identifier
        } else if bytes.contains(&b'-') {
            Shape::Compound
        } else {
            Shape::Plain
        }
    }

    /// Returns a hash that ignores case and number, to prefilter words for [`Word::same`].
    #[must_use]
    pub fn key(&self) -> u64 {
        if self.text.is_ascii() {
            let (stem, ending) = singular(self.text);
            return hash(&[stem, ending]);
        }
        let lower: String = self.text.chars().flat_map(char::to_lowercase).collect();
        hash(&[&lower])
    }

    /// Returns a hash that is equal for the forms of a verb ("restart", "restarted", "restarting"), or `None`
    /// for non-ASCII words.
    #[must_use]
    pub(crate) fn verb_key(&self) -> Option<u64> {
        const MIN_STEM: usize = 3;
        let stem_length = |ending: &&str| {
            let stem = self.text.len().checked_sub(ending.len())?;
            (stem >= MIN_STEM && ends_ignoring_case(self.text, ending)).then_some(stem)
        };
        let stem = ["ing", "ed", "es", "s", "d", "e"].iter().find_map(stem_length);
        let stem = part(self.text, 0..stem.unwrap_or(self.text.len()));
        self.text.is_ascii().then(|| hash(&[stem]))
    }

    /// Returns a coarser hash that is equal for plain words with the same first letters: "restart",
    /// "restarts", "restarted".
    #[must_use]
    pub fn stem(&self) -> u64 {
        const BEGINNING: usize = 6;
        if self.shape() == Shape::Plain && self.text.is_ascii() {
            let (stem, _) = singular(self.text);
            let beginning = part(stem, 0..stem.len().min(BEGINNING));
            return Word { text: beginning, span: self.span.clone() }.key();
        }
        self.key()
    }

    /// Returns `true` if two words are equal, ignoring case and number.
    #[must_use]
    pub fn same(&self, other: &Word<'_>) -> bool {
        if self.text.is_ascii() && other.text.is_ascii() {
            let ((a, a_ending), (b, b_ending)) = (singular(self.text), singular(other.text));
            let lowered = |stem: &'static str| stem.bytes();
            return a
                .bytes()
                .chain(lowered(a_ending))
                .map(|byte| byte.to_ascii_lowercase())
                .eq(b.bytes().chain(lowered(b_ending)).map(|byte| byte.to_ascii_lowercase()));
        }
        let lower = |text: &'_ str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
        lower(self.text) == lower(other.text)
    }

    /// Returns `true` if the word equals a lower-case word, ignoring case.
    #[must_use]
    pub fn is(&self, lower_case: &str) -> bool {
        self.text.eq_ignore_ascii_case(lower_case)
    }
}

/// Returns the FNV-1a hash of concatenated texts, ignoring ASCII case.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Iterates over the words in a text.
#[must_use]
pub fn words(text: &str) -> Words<'_> {
    Words { text, position: 0 }
}

/// An iterator over words, returned by [`words`].
#[derive(Clone, Debug)]
pub struct Words<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let start = self.skip_to_word()?;
        let end = word_end(self.text, start);
        self.position = end;
        Some(Word { text: part(self.text, start..end), span: start..end })
    }
}

impl Words<'_> {
    fn skip_to_word(&mut self) -> Option<usize> {
        loop {
            let rest = self.text.as_bytes().get(self.position..)?;
            self.position += rest.iter().position(|byte| byte_class(*byte) != ByteClass::Other)?;
            if byte_class(byte_at(self.text, self.position)) == ByteClass::Alphanumeric {
                return Some(self.position);
            }
            let character = char_at(self.text, self.position)?;
            if character.is_alphanumeric() {
                return Some(self.position);
            }
            self.position += character.len_utf8();
        }
    }
}

fn word_end(text: &str, start: usize) -> usize {
    if byte_class(byte_at(text, start)) == ByteClass::Wide
        && let Some(first) = char_at(text, start).filter(|first| is_ideographic(*first))
    {
        // In scripts without spaces, each character is a word.
        return start + first.len_utf8();
    }
    let mut end = start;
    loop {
        let rest = text.as_bytes().get(end..).unwrap_or_default();
        let run = rest.iter().position(|byte| byte_class(*byte) != ByteClass::Alphanumeric);
        end += run.unwrap_or(rest.len());
        let (byte, next) = (byte_at(text, end), byte_at(text, end + 1));
        match byte {
            b'-' | b'.' | b'_' if byte_class(next) == ByteClass::Alphanumeric => end += 1,
            b'-' | b'.' if byte_class(next) == ByteClass::Other => return end,
            b'-' | b'.' | b'_' | b':' | b'\'' | 0x80.. => match separator_end(text, start, end) {
                Some(separator_end) => end = separator_end,
                None => return end,
            },
            _ => return end,
        }
    }
}

/// Returns the end of the character at `offset` if it belongs to the word at `start`.
fn separator_end(text: &str, start: usize, offset: usize) -> Option<usize> {
    let character = char_at(text, offset)?;
    let belongs = !is_ideographic(character)
        && (character.is_alphanumeric() || joins(text, start, offset, character));
    belongs.then_some(offset + character.len_utf8())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Alphanumeric,
    Other,
    Wide,
}

fn byte_class(byte: u8) -> ByteClass {
    BYTE_CLASSES.get(usize::from(byte)).copied().unwrap_or(ByteClass::Wide)
}

static BYTE_CLASSES: [ByteClass; 256] = byte_classes();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated at compile time, when an invalid index fails the build"
)]
const fn byte_classes() -> [ByteClass; 256] {
    let mut byte_classes = [ByteClass::Wide; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        let is_alphanumeric = byte.is_ascii_alphanumeric();
        byte_classes[byte as usize] =
            if is_alphanumeric { ByteClass::Alphanumeric } else { ByteClass::Other };
        byte += 1;
    }
    byte_classes
}

/// Returns `true` if a separator belongs to the surrounding word.
fn joins(text: &str, start: usize, offset: usize, character: char) -> bool {
    let next = char_at(text, offset + character.len_utf8());
    let is_before_letter = next.is_some_and(|c| c.is_alphanumeric() && !is_ideographic(c));
    match character {
        '-' | '.' => is_before_letter,
        '_' => {
            is_before_letter
                || next == Some('_')
                    && part(text, offset..text.len())
                        .trim_start_matches('_')
                        .chars()
                        .next()
                        .is_some_and(char::is_alphanumeric)
        }
        ':' => {
            byte_at(text, offset + 1).is_ascii_digit()
                && char_before(text, offset).is_some_and(|c| c.is_ascii_digit())
                && part(text, start..offset)
                    .bytes()
                    .next()
                    .is_some_and(|byte| byte.is_ascii_digit())
        }
        '\'' | '\u{2019}' => {
            let separator_end = offset + character.len_utf8();
            next.is_some_and(|c| c.eq_ignore_ascii_case(&'t'))
                && !char_at(text, separator_end + 1).is_some_and(char::is_alphanumeric)
        }
        _ => false,
    }
}

fn is_ideographic(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

fn has_inner_capital(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| match pair {
        [a, b] => a.is_ascii_lowercase() && b.is_ascii_uppercase(),
        _ => false,
    }) || bytes.windows(3).any(|three| match three {
        [a, b, c] => {
            a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase() && *c != b's'
        }
        _ => false,
    })
}

/// Returns the singular of a plain English word, as a stem and an ending to append.
fn singular(word: &str) -> (&str, &'static str) {
    let bytes = word.as_bytes();
    let is_plural = bytes.len() > 3
        && bytes.last().is_some_and(|last| last.eq_ignore_ascii_case(&b's'))
        && bytes.iter().all(u8::is_ascii_alphabetic);
    if !is_plural {
        return (word, "");
    }
    let without_last = |count: usize| part(word, 0..word.len() - count);
    let ends = |ending: &str| ends_ignoring_case(word, ending);
    if ends("ies") && bytes.len() > 4 {
        (without_last(3), "y")
    } else if ends("sses") || ends("shes") || ends("ches") || ends("xes") {
        (without_last(2), "")
    } else if ends("ss") || ends("us") || ends("is") {
        (word, "")
    } else {
        (without_last(1), "")
    }
}

pub(crate) fn ends_ignoring_case(text: &str, ending: &str) -> bool {
    text.len() >= ending.len()
        && text
            .as_bytes()
            .iter()
            .rev()
            .zip(ending.bytes().rev())
            .all(|(a, b)| a.eq_ignore_ascii_case(&b))
}

/// Iterates over the content words, that is, all words except stop words and bare numbers.
pub fn content_words(text: &str) -> impl Iterator<Item = Word<'_>> {
    words(text).filter(|word| word.shape() != Shape::Number && !is_stop_word(word.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<&str> {
        words(text).map(|word| word.text).collect()
    }

    #[test]
    fn does_not_split_identifiers() {
        let text = "pod checkout-7f9c4d-x2x1z (10.0.3.4:5432) was OOMKilled: memory_limit, p99=1.8s at 14:02:31; it didn't recover.";
        let expected = [
            "pod",
            "checkout-7f9c4d-x2x1z",
            "10.0.3.4:5432",
            "was",
            "OOMKilled",
            "memory_limit",
            "p99",
            "1.8s",
            "at",
            "14:02:31",
            "it",
            "didn't",
            "recover",
        ];
        assert_eq!(texts(text), expected);
    }

    #[test]
    fn splits_markdown_and_key_value_pairs() {
        assert_eq!(
            texts("**shop/checkout** _slow_ `a__b` key:value `x`."),
            ["shop", "checkout", "slow", "a__b", "key", "value", "x"]
        );
    }

    #[test]
    fn classifies_shapes() {
        let shape = |text| words(text).next().unwrap().shape();
        for (text, expected) in [
            ("memory", Shape::Plain),
            ("SLO", Shape::Plain),
            ("SLOs", Shape::Plain),
            ("checkout-db", Shape::Compound),
            ("OOMKilled", Shape::Identifier),
            ("CrashLoopBackOff", Shape::Identifier),
            ("p99", Shape::Identifier),
            ("10.0.3.4:5432", Shape::Number),
            ("250m", Shape::Identifier),
        ] {
            assert_eq!(shape(text), expected, "{text}");
        }
    }

    #[test]
    fn ignores_plural_and_case() {
        let is_same = |a, b| {
            let (a, b) = (words(a).next().unwrap(), words(b).next().unwrap());
            assert_eq!(a.same(&b), a.key() == b.key());
            a.same(&b)
        };
        assert!(
            is_same("Pods", "pod") && is_same("crashes", "crash") && is_same("retries", "retry")
        );
        assert!(
            !is_same("redis", "redi")
                && !is_same("status", "statu")
                && !is_same("checkout", "checkouts-db")
        );
        assert!(is_same("ÄNDERUNG", "änderung"));
    }

    proptest! {
        #[test]
        fn word_spans_are_valid(text in "\\PC{0,80}") {
            let mut last = 0;
            for word in words(&text) {
                prop_assert!(word.span.start >= last && word.span.end > word.span.start);
                prop_assert_eq!(text.get(word.span.clone()), Some(word.text));
                last = word.span.end;
                let _ = (word.key(), word.shape());
            }
        }
    }
}
