//! This module finds where to go on after an entry of a list of claims that cannot be read.
//!
//! The entry ends where its brackets do, with strings left out of account, or else before the next entry. Neither may be
//! in a string: what goes on must have a name in double quotes, which stand in a string with backslashes only, or be the end
//! of the text.

use gsar_core::ClaimId;

use super::strings::Quote;
use super::{Bracket, Fault, Lenient, Unexpected};

/// What an entry begins with.
const OF_CLAIM: [&str; 5] = ["id", "class", "type", "citations", "note"];
/// What stands after the list of claims.
const AFTER_CLAIMS: [&str; 5] = ["score", "explanation", "gaps", "contradictions", "abstain"];

impl Lenient<'_, '_> {
    /// Goes to the end of the entry that begins at `start`.
    pub(super) fn pass_over(&mut self, start: usize, unexpected: Unexpected) -> Result<(), Fault> {
        let by_brackets = match self.byte(start) {
            Some(b'{') => self.balanced(start, unexpected),
            _ => Some(start),
        };
        let by_brackets = by_brackets.and_then(|end| self.past_words(end));
        match by_brackets.or_else(|| self.next_claim(unexpected.at)) {
            Some(end) => {
                self.at = end;
                Ok(())
            }
            None => Err(Fault::Unexpected(unexpected)),
        }
    }

    /// The byte after the object at `start`, with what stands in double quotes left out of account; nothing where that
    /// end lies before what was unexpected.
    fn balanced(&self, start: usize, unexpected: Unexpected) -> Option<usize> {
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

    /// Whether the next entry or the end of the list stands after an entry.
    fn goes_on(&self, at: usize) -> bool {
        let mut at = self.after_blank(at);
        if self.byte(at) == Some(b',') {
            at = self.after_blank(at + 1);
        }
        self.is_field(at, b'{', &OF_CLAIM) || self.is_end(at)
    }

    /// Whether a list of claims ends at `at`: another field of the answer follows, or nothing but brackets.
    fn is_end(&self, at: usize) -> bool {
        if self.byte(at) != Some(b']') {
            return false;
        }
        let after = self.after_blank(at + 1);
        self.is_field(after, b',', &AFTER_CLAIMS) || self.are_last_brackets(after)
    }

    fn are_last_brackets(&self, mut at: usize) -> bool {
        while let Some(b'}' | b']' | b'`' | b' ' | b'\n' | b'\r' | b'\t') = self.byte(at) {
            at += 1;
        }
        at >= self.text.len()
    }

    /// Whether this mark and a field of one of these names, in double quotes, stand at `at`.
    fn is_field(&self, at: usize, mark: u8, names: &[&str]) -> bool {
        let name = self.after_white_space(at + 1);
        self.byte(at) == Some(mark)
            && self.byte(name) == Some(b'"')
            && names.iter().any(|field| self.after_name(name, field).is_some())
    }

    /// The end of words without quotes, such as an ellipsis between two entries, where the list goes on after them.
    fn past_words(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.byte(at)? {
                b',' | b']' | b'{' => return self.goes_on(at).then_some(at),
                b'"' | b'\'' | b'}' | b'[' => return None,
                _ => at += 1,
            }
        }
    }

    /// Where the next entry begins, or the list ends.
    fn next_claim(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match self.byte(at)? {
                b'{' if at > from && self.is_field(at, b'{', &OF_CLAIM) => return Some(at),
                b'}' if self.is_end(self.after_blank(at + 1)) => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    /// Whether an answer, or a claim within a list, whose first name has such quotes begins at `brace`. No JSON string holds
    /// that: its quotation marks have backslashes.
    pub(super) fn begins_answer(&self, brace: usize, quote: Quote) -> bool {
        let name = self.after_white_space(brace + 1);
        let is_field = |field| self.after_name(name, field).is_some();
        self.quote(name).is_some_and(|(of_name, _)| of_name == quote)
            && (is_field("claims")
                || (self.open.contains(&Bracket::List) && OF_CLAIM.into_iter().any(is_field)))
    }

    /// The id at the begin of the entry at `start`, which itself may be broken. Good for telling what is lost, not for more.
    pub(super) fn id_of_broken(&self, start: usize) -> Option<String> {
        let value = self.id_after(start)?;
        let (quote, length) = self.quote(value)?;
        let begin = value + length;
        let end = (begin..begin + ClaimId::MAX_BYTES)
            .find(|at| self.quote(*at).is_some_and(|(other, _)| other == quote))?;
        Some(self.slice(begin, end).to_owned())
    }

    /// The place of the value, where an object begins with an id.
    fn id_after(&self, brace: usize) -> Option<usize> {
        self.after_name(self.after_blank(brace + 1), "id")
    }

    /// The place of the value, where a field of that name stands at `at`.
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
