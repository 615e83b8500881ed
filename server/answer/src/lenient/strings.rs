//! Parses strings and field names.
//!
//! A quotation mark ends a string if valid syntax follows: a colon after a name; or, after a value, a
//! comma and another field or entry, or the closing brackets. Any other quotation mark is part of the
//! string and sets [`Text::has_guessed_end`].

use std::borrow::Cow;

use super::{Bracket, Fault, Lenient, Unexpected};
use crate::fix::Fix;
use crate::json_tree::Text;

/// The maximum lookahead for a field name in bytes. A longer string is assumed to be a name.
const MAX_NAME_BYTES: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Name,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    SmartDouble,
    SmartSingle,
}

impl Quote {
    fn fix(self) -> Option<Fix> {
        match self {
            Self::Double => None,
            Self::Single => Some(Fix::SingleQuotes),
            Self::SmartDouble | Self::SmartSingle => Some(Fix::SmartQuotes),
        }
    }
}

impl<'a> Lenient<'a, '_> {
    pub(super) fn quote(&self, offset: usize) -> Option<(Quote, usize)> {
        match self.byte(offset)? {
            b'"' => Some((Quote::Double, 1)),
            b'\'' => Some((Quote::Single, 1)),
            0xe2 => match self.slice(offset, offset + 3) {
                "\u{201c}" | "\u{201d}" | "\u{201e}" => Some((Quote::SmartDouble, 3)),
                "\u{2018}" | "\u{2019}" | "\u{201a}" => Some((Quote::SmartSingle, 3)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn name(&mut self) -> Result<Cow<'a, str>, Fault> {
        if self.quote(self.offset).is_some() {
            return self.string(Position::Name).map(|text| text.value);
        }
        let name = self.bare_word();
        if self.byte(self.offset).is_none() {
            Err(Fault::Ended)
        } else if name.is_empty() {
            self.unexpected("the name of a field in quotes")
        } else {
            self.fixes.add(Fix::BareName);
            Ok(Cow::Borrowed(name))
        }
    }

    pub(super) fn string(&mut self, position: Position) -> Result<Text<'a>, Fault> {
        let Some((quote, length)) = self.quote(self.offset) else {
            return self.unexpected("a string");
        };
        let mut segment_start = self.offset + length;
        let mut offset = segment_start;
        let mut decoded: Option<String> = None;
        let mut stray = None;
        loop {
            let Some(byte) = self.byte(offset) else { return Err(self.unclosed(stray)) };
            match byte {
                b'\\' => {
                    let decoded = decoded.get_or_insert_default();
                    decoded.push_str(self.slice(segment_start, offset));
                    offset = self.escape(offset + 1, decoded);
                    segment_start = offset;
                }
                b'{' if self.begins_answer(offset, quote) => {
                    return Err(unterminated(stray.unwrap_or(self.offset)));
                }
                0..0x20 => {
                    self.fixes.add(Fix::ControlCharacter);
                    offset += 1;
                }
                b'"' | b'\'' | 0xe2 => {
                    match self.quote(offset).filter(|(other, _)| *other == quote) {
                        Some((_, length)) if self.closes_string(offset + length, position) => {
                            self.offset = offset + length;
                            break;
                        }
                        Some(_) if position == Position::Name => {
                            return self.unexpected("the name of a field and a colon");
                        }
                        Some((_, length)) if self.is_name_in_list(offset + length) => {
                            return self.unexpected("`]` before the name of a field");
                        }
                        Some((_, length)) => {
                            stray.get_or_insert(offset);
                            offset += length;
                        }
                        None => offset += 1,
                    }
                }
                _ => offset += 1,
            }
        }
        for fix in [quote.fix(), stray.map(|_| Fix::UnescapedQuote)].into_iter().flatten() {
            self.fixes.add(fix);
        }
        let last_segment = self.slice(segment_start, offset);
        let value = match decoded {
            Some(decoded) => Cow::Owned(decoded + last_segment),
            None => Cow::Borrowed(last_segment),
        };
        Ok(Text { value, has_guessed_end: stray.is_some() })
    }

    /// Returns the fault for an unterminated string. If the text looks complete, blames the first
    /// quotation mark that was treated as part of the string.
    fn unclosed(&self, stray: Option<usize>) -> Fault {
        let looks_complete = self.text.trim_end().ends_with(['}', ']', '`']);
        stray.filter(|_| looks_complete).map_or(Fault::Ended, unterminated)
    }

    pub(crate) fn unescaped(mut self) -> String {
        let mut decoded = String::with_capacity(self.text.len());
        let mut segment_start = 0;
        while let Some(distance) = self.text.get(segment_start..).and_then(|rest| rest.find('\\')) {
            decoded.push_str(self.slice(segment_start, segment_start + distance));
            segment_start = self.escape(segment_start + distance + 1, &mut decoded);
        }
        decoded.push_str(self.slice(segment_start, self.text.len()));
        decoded
    }

    /// Decodes the escape after the backslash before `offset`. Returns the next position.
    fn escape(&mut self, offset: usize, decoded: &mut String) -> usize {
        let plain = match self.byte(offset) {
            None => return offset,
            Some(b'u') => return self.unicode_escape(offset, decoded),
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'\'') => {
                self.fixes.add(Fix::Escape);
                '\''
            }
            Some(_) => {
                self.fixes.add(Fix::Escape);
                decoded.push('\\');
                return offset;
            }
        };
        decoded.push(plain);
        offset + 1
    }

    /// Decodes `u` and its digits. An unpaired surrogate becomes the replacement character.
    fn unicode_escape(&mut self, offset: usize, decoded: &mut String) -> usize {
        let Some(unit) = self.code_unit(offset) else {
            self.fixes.add(Fix::Escape);
            decoded.push('\\');
            return offset;
        };
        if let Some(character) = char::from_u32(u32::from(unit)) {
            decoded.push(character);
            return offset + 5;
        }
        let low =
            (self.byte(offset + 5) == Some(b'\\')).then(|| self.code_unit(offset + 6)).flatten();
        match low.and_then(|low| char::decode_utf16([unit, low]).next()?.ok()) {
            Some(character) => {
                decoded.push(character);
                offset + 11
            }
            None => {
                self.fixes.add(Fix::Escape);
                decoded.push(char::REPLACEMENT_CHARACTER);
                offset + 5
            }
        }
    }

    fn code_unit(&self, offset: usize) -> Option<u16> {
        let digits = self.slice(offset, offset + 5).strip_prefix('u')?;
        let all_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    }

    /// Returns `true` if a quotation mark before `offset` ends a string, because valid syntax or the end of
    /// the text follows.
    fn closes_string(&self, offset: usize, position: Position) -> bool {
        let mut offset = self.after_blank(offset);
        if position == Position::Name {
            return matches!(self.byte(offset), None | Some(b':'));
        }
        let mut brackets = self.open.iter().rev();
        let mut innermost = brackets.next();
        let mut has_closed = false;
        while let Some(bracket) = innermost {
            match (self.byte(offset), bracket) {
                (None, _) => return true,
                (Some(b','), _) => {
                    let next = self.after_blank(offset + 1);
                    let can_omit = has_closed || *bracket == Bracket::Object;
                    return self.is_valid_next(next, *bracket)
                        || (can_omit && self.is_omission(next));
                }
                (Some(b'}'), Bracket::Object) | (Some(b']'), Bracket::List) => {
                    innermost = brackets.next();
                    has_closed = true;
                    offset = self.after_blank(offset + 1);
                }
                (Some(b'{'), Bracket::List) => return self.is_valid_next(offset, Bracket::List),
                (Some(_), Bracket::Object) => {
                    let starts_line =
                        self.slice(0, offset).trim_end_matches([' ', '\t']).ends_with('\n');
                    return starts_line && self.is_name(offset);
                }
                (Some(_), Bracket::List) => return false,
            }
        }
        true
    }

    /// Returns `true` if another field or entry, or the end after a trailing comma, is at `offset`.
    fn is_valid_next(&self, offset: usize, bracket: Bracket) -> bool {
        let Some(byte) = self.byte(offset) else { return true };
        match bracket {
            Bracket::Object => byte == b'}' || self.is_name(offset),
            Bracket::List => {
                matches!(byte, b']' | b'{' | b'[' | b'-' | b'0'..=b'9')
                    || self.quote(offset).is_some()
                    || ["null", "true", "fals", "None"].contains(&self.slice(offset, offset + 4))
            }
        }
    }

    fn is_omission(&self, offset: usize) -> bool {
        self.byte(offset) == Some(b',')
            || ["...", "\u{2026}"].contains(&self.slice(offset, offset + 3))
    }

    fn is_name_in_list(&self, offset: usize) -> bool {
        self.open.last() == Some(&Bracket::List)
            && self.byte(self.after_blank(offset)) == Some(b':')
    }

    /// Returns `true` if a field name and a colon are at `offset`, looking ahead up to [`MAX_NAME_BYTES`].
    fn is_name(&self, offset: usize) -> bool {
        let quote = self.quote(offset);
        let start = offset + quote.map_or(0, |(_, length)| length);
        let mut end = start;
        while end < start + MAX_NAME_BYTES {
            let Some(byte) = self.byte(end) else { return true };
            if let Some((quote, _)) = quote {
                match self.quote(end) {
                    Some((other, length)) if other == quote => {
                        return matches!(
                            self.byte(self.after_blank(end + length)),
                            None | Some(b':')
                        );
                    }
                    _ if byte < 0x20 => return false,
                    _ => end += if byte == b'\\' { 2 } else { 1 },
                }
            } else if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') {
                end += 1;
            } else {
                return end > start && self.byte(self.after_blank(end)) == Some(b':');
            }
        }
        quote.is_some()
    }
}

/// Returns the fault for a string without a valid end. `offset` is the opening quotation mark, or the first
/// one that was treated as part of the string.
fn unterminated(offset: usize) -> Fault {
    Fault::Unexpected(Unexpected {
        offset,
        expected: "a string that ends, with `\\\"` for a quotation mark within it",
    })
}
