//! This module undoes the escapes of JSON strings and remembers where each byte came from. It knows nothing of
//! items or citations.

use core::ops::Range;

use crate::text::{byte_at, char_at, part};

/// A text whose bytes know where they stand in an original.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traced {
    pub(crate) text: String,
    /// For each byte of `text` the original bytes it came from.
    sources: Vec<(u32, u32)>,
}

impl Traced {
    /// An empty text with room for a number of bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), sources: Vec::with_capacity(bytes) }
    }

    /// Adds a character that stands for a half-open range of original bytes.
    pub(crate) fn push(&mut self, character: char, source: (u32, u32)) {
        self.text.push(character);
        self.sources.resize(self.text.len(), source);
    }

    /// The original bytes behind a stretch of the text.
    pub(crate) fn original(&self, span: &Range<usize>) -> Range<usize> {
        let source = |at: usize| self.sources.get(at).copied();
        let start = source(span.start).or_else(|| self.sources.last().copied()).unwrap_or_default();
        let end = span.end.checked_sub(1).and_then(source).unwrap_or(start);
        start.0 as usize..(end.1 as usize).max(start.0 as usize)
    }

    /// The stretch of the text that came from these original bytes.
    pub(crate) fn stretch_of(&self, original: &Range<usize>) -> Range<usize> {
        let from = self.sources.partition_point(|source| source.1 as usize <= original.start);
        let to = self.sources.partition_point(|source| (source.0 as usize) < original.end);
        from..to.max(from)
    }
}

/// Offsets beyond 4 GiB all become the last one: no request is that long.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// The character that an escape at `at` stands for, and where the escape ends.
pub(crate) fn escape_at(text: &str, at: usize) -> Option<(char, usize)> {
    if byte_at(text, at) != b'\\' {
        return None;
    }
    let plain = |character| Some((character, at + 2));
    match byte_at(text, at + 1) {
        b'"' => plain('"'),
        b'\\' => plain('\\'),
        b'/' => plain('/'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        b'n' => plain('\n'),
        b'r' => plain('\r'),
        b't' => plain('\t'),
        b'u' => unicode_escape(text, at),
        _ => None,
    }
}

fn unicode_escape(text: &str, at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = Some(part(text, at + 2..at + 6)).filter(|digits| digits.len() == 4)?;
        let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
    };
    let first = unit(at)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, at + 6));
    }
    let second = unit(at + 6).filter(|_| part(text, at + 6..at + 8) == "\\u")?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, at + 12))
}

/// A stretch of a text without its escapes; offsets are those of the whole text.
pub(crate) fn unescaped(text: &str, stretch: Range<usize>) -> Traced {
    let mut traced = Traced::with_capacity(stretch.len());
    let mut at = stretch.start;
    while at < stretch.end {
        let (character, end) = match escape_at(text, at) {
            Some(escape) => escape,
            None => match char_at(text, at) {
                Some(character) => (character, at + character.len_utf8()),
                None => break,
            },
        };
        traced.push(character, (offset(at), offset(end)));
        at = end;
    }
    traced
}

/// How often escapes are undone: a document in a string of a document in a string.
pub(crate) const MAX_PASSES: usize = 4;

/// Whether a text holds an escape of JSON strings.
pub(crate) fn has_escape(text: &str) -> bool {
    memchr::memchr_iter(b'\\', text.as_bytes()).any(|at| escape_at(text, at).is_some())
}

#[cfg(test)]
mod tests {

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_undone_and_traced() {
        let text = r#"a\"b\né \u00e9 \ud83d\ude42 \d \u12"#;
        let traced = unescaped(text, 0..text.len());
        assert_eq!(traced.text, "a\"b\né é 🙂 \\d \\u12");
        let at = traced.text.find('🙂').unwrap();
        let original = traced.original(&(at..at + '🙂'.len_utf8()));
        assert_eq!(text.get(original.clone()), Some(r"\ud83d\ude42"));
        assert_eq!(traced.stretch_of(&original), at..at + '🙂'.len_utf8());
    }

    proptest! {
        #[test]
        fn strings_read_as_the_library_reads_them(text in "(\\PC|\n|\t|\"|\\\\){0,40}") {
            let json = serde_json::Value::from(text.as_str()).to_string();
            prop_assert_eq!(unescaped(&json, 1..json.len() - 1).text, text);
        }

        #[test]
        fn nothing_panics(text in "(\\\\u[0-9a-fd]{0,4}|\\\\|\\PC){0,20}") {
            let traced = unescaped(&text, 0..text.len());
            for (at, character) in traced.text.char_indices() {
                let original = traced.original(&(at..at + character.len_utf8()));
                prop_assert!(text.get(original).is_some_and(|original| !original.to_owned().is_empty()));
            }
        }
    }
}
