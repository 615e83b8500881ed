//! This module reads claims and evidence as text: folding, words, sentences, figures, polarity.
//!
//! Everything here is a plain function of a text: no model, no regular expressions, no clock. Spans are
//! half-open byte ranges of the text that was given and always fall on character boundaries. This module
//! knows nothing of policies, classes or evidence items.

pub mod figures;
pub mod fold;
pub mod language;
pub mod polarity;
pub mod sentences;
mod stop_words;
pub mod tokens;

use core::ops::Range;

use memchr::memchr_iter;

/// The part of a text, or nothing where the range does not fall on characters.
pub fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The offset at which two ASCII bytes first stand together; cheaper to set up than a search for a longer text.
pub fn find_two(text: &str, two: [u8; 2]) -> Option<usize> {
    let [first, second] = two;
    memchr_iter(first, text.as_bytes()).find(|at| byte_at(text, at + 1) == second)
}

/// The byte at an offset, or 0 past the end.
pub fn byte_at(text: &str, offset: usize) -> u8 {
    text.as_bytes().get(offset).copied().unwrap_or(0)
}

/// The character that starts at an offset.
pub fn char_at(text: &str, offset: usize) -> Option<char> {
    text.get(offset..).and_then(|rest| rest.chars().next())
}

/// The character that ends just before an offset.
pub fn char_before(text: &str, offset: usize) -> Option<char> {
    text.get(..offset).and_then(|before| before.chars().next_back())
}
