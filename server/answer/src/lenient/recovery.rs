//! Finds the position to resume at after a malformed entry in a list of claims.
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
        match balanced.or_else(|| self.next_claim(unexpected.at)) {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => Err(Fault::Unexpected(unexpected)),
        }
    }

    /// Returns the end of the object at `start`, ignoring brackets in double quotes. Returns `None` if
    /// that is before the error.
    fn balanced_end(&self, start: usize, unexpected: Unexpected) -> Option<usize> {
        let mut at = start;
        let mut depth = 0_usize;
        let mut quoted = false;
        loop {
            let byte = self.byte(at)?;
            at += 1;
            match byte {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => depth += 1,
                b'}' | b']' if !quoted => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return (at > unexpected.at).then_some(at);
                    }
                }
                _ => {}
            }
        }
    }

    fn list_continues(&self, at: usize) -> bool {
        let mut at = self.after_blank(at);
        if self.byte(at) == Some(b',') {
            at = self.after_blank(at + 1);
        }
        self.is_field(at, b'{', &ENTRY_FIELDS) || self.is_list_end(at)
    }

    /// Returns `true` if a list of claims ends at `at`, and another answer field or only closing brackets follow.
    fn is_list_end(&self, at: usize) -> bool {
        if self.byte(at) != Some(b']') {
            return false;
        }
        let after = self.after_blank(at + 1);
        self.is_field(after, b',', &AFTER_CLAIMS) || self.only_brackets_follow(after)
    }

    fn only_brackets_follow(&self, mut at: usize) -> bool {
        while let Some(b'}' | b']' | b'`' | b' ' | b'\n' | b'\r' | b'\t') = self.byte(at) {
            at += 1;
        }
        at >= self.text.len()
    }

    /// Returns `true` if `mark` is at `at`, followed by one of these field names in double quotes.
    fn is_field(&self, at: usize, mark: u8, names: &[&str]) -> bool {
        let name = self.after_whitespace(at + 1);
        self.byte(at) == Some(mark)
            && self.byte(name) == Some(b'"')
            && names.iter().any(|field| self.after_name(name, field).is_some())
    }

    /// Skips unquoted text such as an ellipsis between entries. Returns `None` if the list does not
    /// continue after it.
    fn skip_words(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.byte(at)? {
                b',' | b']' | b'{' => return self.list_continues(at).then_some(at),
                b'"' | b'\'' | b'}' | b'[' => return None,
                _ => at += 1,
            }
        }
    }

    /// Returns the start of the next entry, or the end of the last one.
    fn next_claim(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match self.byte(at)? {
                b'{' if at > from && self.is_field(at, b'{', &ENTRY_FIELDS) => return Some(at),
                b'}' if self.is_list_end(self.after_blank(at + 1)) => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Returns `true` if an answer or entry starts at `brace` with a name in these quotes. Inside a JSON
    /// string, the quotes would be escaped.
    pub(super) fn begins_answer(&self, brace: usize, quote: Quote) -> bool {
        let name = self.after_whitespace(brace + 1);
        let is_field = |field| self.after_name(name, field).is_some();
        self.quote(name).is_some_and(|(name_quote, _)| name_quote == quote)
            && (is_field("claims")
                || (self.open.contains(&Bracket::List) && ENTRY_FIELDS.into_iter().any(is_field)))
    }

    /// Returns the id at the start of a malformed entry, to report the lost claim.
    pub(super) fn broken_entry_id(&self, start: usize) -> Option<String> {
        let value = self.id_after(start)?;
        let (quote, length) = self.quote(value)?;
        let begin = value + length;
        let end = (begin..begin + ClaimId::MAX_BYTES)
            .find(|at| self.quote(*at).is_some_and(|(other, _)| other == quote))?;
        Some(self.slice(begin, end).to_owned())
    }

    fn id_after(&self, brace: usize) -> Option<usize> {
        self.after_name(self.after_blank(brace + 1), "id")
    }

    fn after_name(&self, at: usize, name: &str) -> Option<usize> {
        let (quote, length) = self.quote(at)?;
        let begin = at + length;
        let end = begin + name.len();
        let (other, length) =
            if self.slice(begin, end) == name { self.quote(end)? } else { return None };
        let colon = self.after_blank(end + length);
        (other == quote && self.byte(colon) == Some(b':')).then(|| self.after_blank(colon + 1))
    }
}
