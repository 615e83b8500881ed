//! Finds the position at which to resume after a malformed entry in a list of claims.
//!
//! An entry ends where its brackets balance outside strings, or before the next entry. To verify that the
//! position is not inside a string, a double-quoted field name or the end of the text must follow.

use gsar_core::ClaimId;

use super::strings::Quote;
use super::{Bracket, Fault, Lenient, Unexpected};

const ENTRY_FIELDS: [&str; 5] = ["id", "class", "type", "citations", "note"];
/// The fields that can follow the list of claims.
const AFTER_CLAIMS: [&str; 5] = ["score", "explanation", "gaps", "contradictions", "abstain"];

impl Lenient<'_, '_> {
    /// Moves to the end of the entry at `start`.
    pub(super) fn skip_entry(&mut self, start: usize, unexpected: Unexpected) -> Result<(), Fault> {
        let balanced = match self.byte(start) {
            Some(b'{') => self.balanced_end(start, unexpected),
            _ => Some(start),
        };
        let balanced = balanced.and_then(|end| self.skip_words(end));
        match balanced.or_else(|| self.next_claim(unexpected.offset)) {
            Some(end) => {
                self.offset = end;
                Ok(())
            }
            None => Err(Fault::Unexpected(unexpected)),
        }
    }

    /// Returns the end of the object at `start`, ignoring brackets in double quotes. Returns `None` if the
    /// end is before the error.
    fn balanced_end(&self, start: usize, unexpected: Unexpected) -> Option<usize> {
        let mut offset = start;
        let mut depth = 0_usize;
        let mut in_quotes = false;
        loop {
            let byte = self.byte(offset)?;
            offset += 1;
            match byte {
                b'\\' if in_quotes => offset += 1,
                b'"' => in_quotes = !in_quotes,
                b'{' | b'[' if !in_quotes => depth += 1,
                b'}' | b']' if !in_quotes => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return (offset > unexpected.offset).then_some(offset);
                    }
                }
                _ => {}
            }
        }
    }

    fn list_continues(&self, offset: usize) -> bool {
        let mut offset = self.after_blank(offset);
        if self.byte(offset) == Some(b',') {
            offset = self.after_blank(offset + 1);
        }
        self.is_field(offset, b'{', &ENTRY_FIELDS) || self.is_list_end(offset)
    }

    /// Returns `true` if a list of claims ends at `offset`, and another answer field or only closing brackets follow.
    fn is_list_end(&self, offset: usize) -> bool {
        if self.byte(offset) != Some(b']') {
            return false;
        }
        let next = self.after_blank(offset + 1);
        self.is_field(next, b',', &AFTER_CLAIMS) || self.only_brackets_follow(next)
    }

    fn only_brackets_follow(&self, mut offset: usize) -> bool {
        while let Some(b'}' | b']' | b'`' | b' ' | b'\n' | b'\r' | b'\t') = self.byte(offset) {
            offset += 1;
        }
        offset >= self.text.len()
    }

    /// Returns `true` if `punctuation` is at `offset`, followed by one of these field names in double quotes.
    fn is_field(&self, offset: usize, punctuation: u8, names: &[&str]) -> bool {
        let name_start = self.after_whitespace(offset + 1);
        self.byte(offset) == Some(punctuation)
            && self.byte(name_start) == Some(b'"')
            && names.iter().any(|field| self.after_name(name_start, field).is_some())
    }

    /// Skips unquoted text such as an ellipsis between entries. Returns `None` if the list does not
    /// continue after it.
    fn skip_words(&self, start: usize) -> Option<usize> {
        let mut offset = start;
        loop {
            match self.byte(offset)? {
                b',' | b']' | b'{' => return self.list_continues(offset).then_some(offset),
                b'"' | b'\'' | b'}' | b'[' => return None,
                _ => offset += 1,
            }
        }
    }

    /// Returns the start of the next entry, or the end of the last one.
    fn next_claim(&self, start: usize) -> Option<usize> {
        let mut offset = start;
        loop {
            match self.byte(offset)? {
                b'{' if offset > start && self.is_field(offset, b'{', &ENTRY_FIELDS) => {
                    return Some(offset);
                }
                b'}' if self.is_list_end(self.after_blank(offset + 1)) => return Some(offset + 1),
                _ => offset += 1,
            }
        }
    }

    /// Returns `true` if an answer or entry starts at `brace` with a name in these quotes. Inside a JSON
    /// string, the quotes would be escaped.
    pub(super) fn begins_answer(&self, brace: usize, quote: Quote) -> bool {
        let name_start = self.after_whitespace(brace + 1);
        let is_field = |field| self.after_name(name_start, field).is_some();
        self.quote(name_start).is_some_and(|(name_quote, _)| name_quote == quote)
            && (is_field("claims")
                || (self.open.contains(&Bracket::List) && ENTRY_FIELDS.into_iter().any(is_field)))
    }

    /// Returns the id at the start of a malformed entry, to report the lost claim.
    pub(super) fn broken_entry_id(&self, start: usize) -> Option<String> {
        let value_start = self.id_after(start)?;
        let (quote, length) = self.quote(value_start)?;
        let id_start = value_start + length;
        let end = (id_start..id_start + ClaimId::MAX_BYTES)
            .find(|offset| self.quote(*offset).is_some_and(|(other, _)| other == quote))?;
        Some(self.slice(id_start, end).to_owned())
    }

    fn id_after(&self, brace: usize) -> Option<usize> {
        self.after_name(self.after_blank(brace + 1), "id")
    }

    fn after_name(&self, offset: usize, name: &str) -> Option<usize> {
        let (quote, length) = self.quote(offset)?;
        let name_start = offset + length;
        let end = name_start + name.len();
        let (other, length) =
            if self.slice(name_start, end) == name { self.quote(end)? } else { return None };
        let colon = self.after_blank(end + length);
        (other == quote && self.byte(colon) == Some(b':')).then(|| self.after_blank(colon + 1))
    }
}
