//! Text analysis for claims and evidence: folding, words, sentences, figures, polarity.
//!
//! All functions are pure functions of the text, without models or regular expressions. Spans are byte ranges on
//! character boundaries.

pub mod figures;
pub mod fold;
pub mod language;
pub mod polarity;
pub mod sentences;
mod stop_words;
pub mod tokens;

use core::ops::Range;

use memchr::memchr_iter;

/// Returns a range of a text, or "" if the range is invalid.
pub fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// Returns the offset of two adjacent ASCII bytes. This is cheaper to set up than a general search.
pub fn find_two(text: &str, pair: [u8; 2]) -> Option<usize> {
    let [first, second] = pair;
    memchr_iter(first, text.as_bytes()).find(|offset| byte_at(text, offset + 1) == second)
}

/// Returns the byte at an offset, or 0 past the end.
pub fn byte_at(text: &str, offset: usize) -> u8 {
    text.as_bytes().get(offset).copied().unwrap_or(0)
}

/// Returns the character that starts at an offset.
pub fn char_at(text: &str, offset: usize) -> Option<char> {
    text.get(offset..).and_then(|rest| rest.chars().next())
}

/// Returns the character that ends at an offset.
pub fn char_before(text: &str, offset: usize) -> Option<char> {
    text.get(..offset).and_then(|before| before.chars().next_back())
}
