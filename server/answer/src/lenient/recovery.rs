//! Where to go on after an entry of a list of claims that cannot be read.
//!
//! The entry ends where its brackets do, with strings left out of account; where its own strings are what is broken,
//! before the next entry that begins with an id, or where the list ends and the answer goes on as asked for.

use gsar_core::ClaimId;

use super::strings::Quote;
use super::{Bracket, Fault, Lenient, Unexpected};

/// What stands after the list of claims in the shape that was asked for.
const AFTER_CLAIMS: [&str; 5] = ["score", "explanation", "gaps", "contradictions", "abstain"];

impl Lenient<'_, '_> {
    /// Goes to the end of the entry that begins at `start`.
    pub(super) fn pass_over(&mut self, start: usize, unexpected: Unexpected) -> Result<(), Fault> {
        let by_brackets = match self.byte(start) {
            Some(b'{') => self.balanced(start, unexpected).filter(|end| self.goes_on(*end)),
            _ => self.past_words(start),
        };
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
    pub(crate) fn balanced(&self, start: usize, unexpected: Unexpected) -> Option<usize> {
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
        let at = self.after_blank(at);
        match self.byte(at) {
            Some(b',') => matches!(self.byte(self.after_blank(at + 1)), Some(b'{' | b']')),
            Some(b'{' | b']') => true,
            _ => false,
        }
    }

    /// The end of words without quotes, such as an ellipsis between two claims.
    fn past_words(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match self.byte(at)? {
                b',' | b']' | b'{' if at > start => return self.goes_on(at).then_some(at),
                b'"' | b'\'' | b'}' | b'[' | b'{' => return None,
                _ => at += 1,
            }
        }
    }

    /// Where the next entry that begins with an id begins, or the list ends.
    fn next_claim(&self, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            match self.byte(at)? {
                b'{' if self.id_after(at).is_some() => return Some(at),
                b'}' if self.is_before_end(at + 1) => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    fn is_before_end(&self, at: usize) -> bool {
        let bracket = self.after_blank(at);
        let comma = self.after_blank(bracket + 1);
        self.byte(bracket) == Some(b']')
            && self.byte(comma) == Some(b',')
            && AFTER_CLAIMS
                .iter()
                .any(|name| self.after_name(self.after_blank(comma + 1), name).is_some())
    }

    /// Whether an answer, or a claim within a list, whose first name has such quotes begins at `brace`. No JSON string holds
    /// that: its quotation marks have backslashes.
    pub(super) fn begins_answer(&self, brace: usize, quote: Quote) -> bool {
        let name = self.after_blank(brace + 1);
        let is_field = |field| self.after_name(name, field).is_some();
        self.quote(name).is_some_and(|(of_name, _)| of_name == quote)
            && (is_field("claims") || (self.open.contains(&Bracket::List) && is_field("id")))
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
