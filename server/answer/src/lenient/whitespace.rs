//! Skips whitespace and comments between values.

use super::Lenient;
use crate::fix::Fix;

/// Non-ASCII blanks: no-break space, zero-width characters, line and paragraph separators, byte order mark.
const WIDE_BLANKS: [&str; 8] =
    ["\u{a0}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2028}", "\u{2029}", "\u{2060}", "\u{feff}"];

enum Blank {
    Plain(usize),
    /// Nonstandard whitespace or a comment.
    Fixed(usize, Fix),
    None,
}

impl Lenient<'_, '_> {
    /// Skips blanks and comments. Returns `true` if they contain a line break.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let start = self.offset;
        loop {
            match self.blank_at(self.offset) {
                Blank::None => break,
                Blank::Plain(bytes) => self.offset += bytes,
                Blank::Fixed(bytes, fix) => {
                    self.offset += bytes;
                    self.fixes.add(fix);
                }
            }
        }
        self.slice(start, self.offset).contains('\n')
    }

    pub(super) fn after_blank(&self, mut offset: usize) -> usize {
        while let Blank::Plain(bytes) | Blank::Fixed(bytes, _) = self.blank_at(offset) {
            offset += bytes;
        }
        offset
    }

    pub(crate) fn after_whitespace(&self, mut offset: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte(offset) {
            offset += 1;
        }
        offset
    }

    fn blank_at(&self, offset: usize) -> Blank {
        match self.byte(offset) {
            Some(b' ' | b'\n' | b'\t' | b'\r') => Blank::Plain(1),
            Some(0..0x20 | 0x7f) => Blank::Fixed(1, Fix::Blank),
            Some(b'#') => Blank::Fixed(self.line_from(offset), Fix::Comment),
            Some(b'/') => match self.byte(offset + 1) {
                // A single slash at the end of the text is a truncated comment.
                Some(b'/') | None => Blank::Fixed(self.line_from(offset), Fix::Comment),
                Some(b'*') => Blank::Fixed(self.comment_from(offset), Fix::Comment),
                _ => Blank::None,
            },
            Some(0xc2 | 0xe2 | 0xef) => {
                let rest = self.text.get(offset..).unwrap_or_default();
                match WIDE_BLANKS.iter().find(|blank| rest.starts_with(**blank)) {
                    Some(blank) => Blank::Fixed(blank.len(), Fix::Blank),
                    None => Blank::None,
                }
            }
            _ => Blank::None,
        }
    }

    fn line_from(&self, offset: usize) -> usize {
        let mut end = offset;
        while self.byte(end).is_some_and(|byte| byte != b'\n') {
            end += 1;
        }
        end - offset
    }

    fn comment_from(&self, offset: usize) -> usize {
        let mut end = offset + 2;
        while let Some(byte) = self.byte(end) {
            end += 1;
            if byte == b'*' && self.byte(end) == Some(b'/') {
                return end + 1 - offset;
            }
        }
        end - offset
    }
}
