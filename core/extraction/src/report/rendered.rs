//! Visible text that maps each character to its source range in the report. This module does not parse Markdown.
//!
//! Normalization keeps spelling tricks from hiding a statement: zero-width characters are removed,
//! right-to-left overrides are undone, tag characters and full-width or mathematical letters become ASCII,
//! and lookalike letters in a Latin word become Latin.

use std::ops::Range;

use crate::text::fold::is_invisible;

/// A text with the source range of each character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    text: String,
    glyphs: Vec<Glyph>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Glyph {
    offset: usize,
    source: Range<usize>,
}

impl Rendered {
    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns `true` if there are no letters or digits.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }

    /// Returns the source range for a range of the text, or `None` if none of the range is in the report.
    #[must_use]
    pub fn source(&self, range: Range<usize>) -> Option<Range<usize>> {
        let first = self.glyphs.partition_point(|glyph| glyph.offset < range.start);
        let end = self.glyphs.partition_point(|glyph| glyph.offset < range.end);
        let glyphs = self.glyphs.get(first..end)?;
        let sources = glyphs.iter().map(|glyph| &glyph.source).filter(|source| !source.is_empty());
        sources.fold(None, |bounds: Option<Range<usize>>, source| match bounds {
            None => Some(source.clone()),
            Some(bounds) => Some(bounds.start.min(source.start)..bounds.end.max(source.end)),
        })
    }

    /// Returns the offset of the first character with a source at or after `source`.
    #[must_use]
    pub fn offset(&self, source: usize) -> usize {
        let is_at_or_after =
            |glyph: &&Glyph| !glyph.source.is_empty() && glyph.source.start >= source;
        self.glyphs.iter().find(is_at_or_after).map_or(self.text.len(), |glyph| glyph.offset)
    }

    /// Returns the source range of the whole text.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.source(0..self.text.len())
    }

    /// Returns part of the text.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        let first = self.glyphs.partition_point(|glyph| glyph.offset < range.start);
        let end = self.glyphs.partition_point(|glyph| glyph.offset < range.end);
        let shifted = |glyph: &Glyph| Glyph {
            offset: glyph.offset - range.start,
            source: glyph.source.clone(),
        };
        let glyphs = self.glyphs.get(first..end).unwrap_or_default().iter().map(shifted).collect();
        Self { text, glyphs }
    }

    /// Trims whitespace from both ends.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.slice(start..start + self.text.trim().len())
    }

    /// Appends a character with its source range, which is empty if the character is not in the report.
    pub fn push(&mut self, character: char, source: Range<usize>) {
        self.glyphs.push(Glyph { offset: self.text.len(), source });
        self.text.push(character);
    }

    /// Appends a text that is not in the report.
    pub fn add(&mut self, text: &str) {
        text.chars().for_each(|character| self.push(character, 0..0));
    }

    /// Appends another rendered text.
    pub fn append(&mut self, other: &Self) {
        let start = self.text.len();
        self.text.push_str(&other.text);
        self.glyphs.extend(
            other
                .glyphs
                .iter()
                .map(|glyph| Glyph { offset: glyph.offset + start, source: glyph.source.clone() }),
        );
    }

    /// Appends a range of the report unchanged.
    pub fn push_verbatim(&mut self, report: &str, range: Range<usize>) {
        let text = report.get(range.clone()).unwrap_or_default();
        for (offset, character) in text.char_indices() {
            let start = range.start + offset;
            self.push(character, start..start + character.len_utf8());
        }
    }

    /// Appends a replacement for a range of the report, such as a decoded entity.
    pub fn push_replaced(&mut self, text: &str, range: &Range<usize>) {
        text.chars().for_each(|character| self.push(character, range.clone()));
    }

    /// Returns the normalized text, as described in the module documentation.
    #[must_use]
    pub fn normalized(&self) -> Self {
        if self.text.is_ascii() && !self.text.contains('\r') {
            return self.clone();
        }
        let characters: Vec<(char, Range<usize>)> = self
            .text
            .chars()
            .zip(&self.glyphs)
            .map(|(character, glyph)| (character, glyph.source.clone()))
            .collect();
        let mut normalized = Self::default();
        for (character, source) in without_lookalikes(undo_bidi_override(characters)) {
            if let Some(character) = plain(character) {
                normalized.push(character, source);
            }
        }
        normalized
    }
}

fn undo_bidi_override(characters: Vec<(char, Range<usize>)>) -> Vec<(char, Range<usize>)> {
    const OVERRIDE: char = '\u{202e}';
    const END: char = '\u{202c}';
    if !characters.iter().any(|(character, _)| *character == OVERRIDE) {
        return characters;
    }
    let mut ordered = Vec::with_capacity(characters.len());
    let mut overridden: Option<Vec<(char, Range<usize>)>> = None;
    for (character, source) in characters {
        match (&mut overridden, character) {
            (_, OVERRIDE) => {
                ordered.extend(overridden.replace(Vec::new()).into_iter().flatten().rev());
            }
            (Some(_), END | '\n') => {
                ordered.extend(overridden.take().into_iter().flatten().rev());
                ordered.push((character, source));
            }
            (Some(reversed), _) => reversed.push((character, source)),
            (None, _) => ordered.push((character, source)),
        }
    }
    ordered.extend(overridden.into_iter().flatten().rev());
    ordered
}

/// Returns the plain form of a character, or `None` if it has no width.
fn plain(character: char) -> Option<char> {
    let code = u32::from(character);
    let ascii = |code: u32| char::from_u32(code).filter(char::is_ascii);
    match code {
        0xff01..=0xff5e => ascii(code - 0xff01 + 0x21),
        0xe0020..=0xe007e => ascii(code - 0xe0000),
        0x1d400..=0x1d6a3 => {
            let letter = (code - 0x1d400) % 52;
            ascii(if letter < 26 { 0x41 + letter } else { 0x61 + letter - 26 })
        }
        0x1d7ce..=0x1d7ff => ascii(0x30 + (code - 0x1d7ce) % 10),
        0x0d
        | 0x200e
        | 0x200f
        | 0x202a..=0x202e
        | 0x2066..=0x2069
        | 0xfe00..=0xfe0f
        | 0xe0000..=0xe01ef => None,
        _ if is_invisible(character) => None,
        _ => Some(character),
    }
}

#[rustfmt::skip]
const LOOKALIKES: [(char, char); 45] = [
    ('а', 'a'), ('е', 'e'), ('о', 'o'), ('р', 'p'), ('с', 'c'), ('у', 'y'), ('х', 'x'), ('і', 'i'),
    ('ј', 'j'), ('ѕ', 's'), ('һ', 'h'), ('ԁ', 'd'), ('ԛ', 'q'), ('ԝ', 'w'), ('к', 'k'), ('м', 'm'),
    ('т', 't'), ('в', 'b'), ('н', 'h'), ('А', 'A'), ('В', 'B'), ('Е', 'E'), ('К', 'K'), ('М', 'M'),
    ('Н', 'H'), ('О', 'O'), ('Р', 'P'), ('С', 'C'), ('Т', 'T'), ('Х', 'X'), ('І', 'I'), ('Ј', 'J'),
    ('Ѕ', 'S'), ('α', 'a'), ('ο', 'o'), ('ν', 'v'), ('ι', 'i'), ('κ', 'k'), ('ρ', 'p'), ('τ', 't'),
    ('υ', 'u'), ('Α', 'A'), ('Ο', 'O'), ('ɡ', 'g'), ('ı', 'i'),
];

fn without_lookalikes(mut characters: Vec<(char, Range<usize>)>) -> Vec<(char, Range<usize>)> {
    let is_in_word = |character: char| character.is_alphanumeric() || is_invisible(character);
    let mut start = 0;
    while start < characters.len() {
        let length = characters
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(|(character, _)| is_in_word(*character))
            .count();
        if let Some(word) = characters.get_mut(start..start + length)
            && word.iter().any(|(character, _)| character.is_ascii_alphanumeric())
        {
            for (character, _) in word {
                let latin = LOOKALIKES.iter().find(|(lookalike, _)| lookalike == character);
                *character = latin.map_or(*character, |(_, latin)| *latin);
            }
        }
        start += length + 1;
    }
    characters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalize(text: &str) -> String {
        let mut rendered = Rendered::default();
        rendered.push_verbatim(text, 0..text.len());
        rendered.normalized().text().to_owned()
    }

    #[test]
    fn normalizes_spelling_tricks() {
        for (original, expected) in [
            ("lo\u{200b}st 4\u{2060} TB", "lost 4 TB"),
            ("ｌｏｓｔ ４ ＴＢ", "lost 4 TB"),
            ("\u{202e}BT 4 tsol\u{202c} today", "lost 4 TB today"),
            ("pаymеnts-db", "payments-db"),
            ("𝐥𝐨𝐬𝐭 𝟒", "lost 4"),
            ("ok\u{e006c}\u{e006f}\u{e0073}\u{e0074}", "oklost"),
            ("Привет мир", "Привет мир"),
            ("p99 was 10² µs 🙂", "p99 was 10² µs 🙂"),
        ] {
            assert_eq!(normalize(original), expected, "{original:?}");
        }
    }

    #[test]
    fn maps_text_to_source_ranges() {
        let text = "a lo\u{200b}st b";
        let mut rendered = Rendered::default();
        rendered.push_verbatim(text, 0..text.len());
        let rendered = rendered.normalized();
        let start = rendered.text().find("lost").unwrap();
        let source = rendered.source(start..start + 4).unwrap();
        assert_eq!(text.get(source).unwrap(), "lo\u{200b}st");
        let mut added = Rendered::default();
        added.add("label: ");
        assert_eq!(added.span(), None);
        added.append(&rendered);
        assert_eq!(added.span(), Some(0..text.len()));
    }
}
