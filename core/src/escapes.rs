//! Unescapes JSON strings and maps each byte back to its source.

use core::ops::Range;

use crate::text::{byte_at, char_at, part};

/// A text with a mapping from its bytes to the original text.
#[derive(Clone, Debug, Default)]
pub(crate) struct TracedText {
    pub(crate) text: String,
    /// The original byte range for each byte of `text`.
    sources: Vec<(u32, u32)>,
}

impl TracedText {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), sources: Vec::with_capacity(bytes) }
    }

    /// Appends a character that represents the original bytes `source`.
    pub(crate) fn push(&mut self, character: char, source: (u32, u32)) {
        self.text.push(character);
        self.sources.resize(self.text.len(), source);
    }

    /// Maps a span of the text to the original bytes.
    pub(crate) fn original(&self, span: &Range<usize>) -> Range<usize> {
        let source = |position: usize| self.sources.get(position).copied();
        let start = source(span.start).or_else(|| self.sources.last().copied()).unwrap_or_default();
        let end = span.end.checked_sub(1).and_then(source).unwrap_or(start);
        start.0 as usize..(end.1 as usize).max(start.0 as usize)
    }

    /// Maps a range of original bytes to a span of the text.
    pub(crate) fn span_of(&self, original: &Range<usize>) -> Range<usize> {
        let from = self.sources.partition_point(|source| source.1 as usize <= original.start);
        let to = self.sources.partition_point(|source| (source.0 as usize) < original.end);
        from..to.max(from)
    }
}

/// Converts an offset, saturating at 4 GiB, which is larger than any request.
pub(crate) fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Decodes the escape at `position`. Returns the character and the end of the escape.
pub(crate) fn escape_at(text: &str, position: usize) -> Option<(char, usize)> {
    if byte_at(text, position) != b'\\' {
        return None;
    }
    let simple_escape = |character| Some((character, position + 2));
    match byte_at(text, position + 1) {
        b'"' => simple_escape('"'),
        b'\\' => simple_escape('\\'),
        b'/' => simple_escape('/'),
        b'b' => simple_escape('\u{8}'),
        b'f' => simple_escape('\u{c}'),
        b'n' => simple_escape('\n'),
        b'r' => simple_escape('\r'),
        b't' => simple_escape('\t'),
        b'u' => unicode_escape(text, position),
        _ => None,
    }
}

fn unicode_escape(text: &str, position: usize) -> Option<(char, usize)> {
    let unit = |position: usize| {
        let digits =
            Some(part(text, position + 2..position + 6)).filter(|digits| digits.len() == 4)?;
        let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)
    };
    let first = unit(position)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, position + 6));
    }
    let second = unit(position + 6).filter(|_| part(text, position + 6..position + 8) == "\\u")?;
    let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let character = char::decode_utf16(units).next()?.ok()?;
    Some((character, position + 12))
}

/// Unescapes a span of a text. The offsets in the mapping are relative to the whole text.
pub(crate) fn unescape(text: &str, span: Range<usize>) -> TracedText {
    let mut traced = TracedText::with_capacity(span.len());
    let mut position = span.start;
    while position < span.end {
        let (character, end) = match escape_at(text, position) {
            Some(escape) => escape,
            None => match char_at(text, position) {
                Some(character) => (character, position + character.len_utf8()),
                None => break,
            },
        };
        traced.push(character, (offset(position), offset(end)));
        position = end;
    }
    traced
}

/// Skips JSON white space from `position` up to `end`.
pub(crate) fn skip_space(text: &str, mut position: usize, end: usize) -> usize {
    while position < end && matches!(byte_at(text, position), b' ' | b'\n' | b'\r' | b'\t') {
        position += 1;
    }
    position
}

/// The maximum number of unescaping passes for nested JSON strings.
pub(crate) const MAX_PASSES: usize = 4;

pub(crate) fn has_escape(text: &str) -> bool {
    memchr::memchr_iter(b'\\', text.as_bytes()).any(|position| escape_at(text, position).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decodes_escapes_and_maps_them_to_the_original_text() {
        let text = r#"a\"b\né \u00e9 \ud83d\ude42 \d \u12"#;
        let traced = unescape(text, 0..text.len());
        assert_eq!(traced.text, "a\"b\né é 🙂 \\d \\u12");
        let position = traced.text.find('🙂').unwrap();
        let original = traced.original(&(position..position + '🙂'.len_utf8()));
        assert_eq!(text.get(original.clone()), Some(r"\ud83d\ude42"));
        assert_eq!(traced.span_of(&original), position..position + '🙂'.len_utf8());
    }

    proptest! {
        #[test]
        fn decodes_strings_like_serde_json(text in "(\\PC|\n|\t|\"|\\\\){0,40}") {
            let json = serde_json::Value::from(text.as_str()).to_string();
            prop_assert_eq!(unescape(&json, 1..json.len() - 1).text, text);
        }

        #[test]
        fn never_panics_and_maps_every_character(text in "(\\\\u[0-9a-fd]{0,4}|\\\\|\\PC){0,20}") {
            let traced = unescape(&text, 0..text.len());
            for (position, character) in traced.text.char_indices() {
                let original = traced.original(&(position..position + character.len_utf8()));
                prop_assert!(text.get(original).is_some_and(|original| !original.to_owned().is_empty()));
            }
        }
    }
}
