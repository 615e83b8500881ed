//! Splits a claim into words without the punctuation around them.

use std::ops::Range;

/// A word of a claim.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    /// The word, without quotation marks, brackets, commas and full stops around it.
    pub(super) text: &'a str,
    /// The word in lower case.
    pub(super) lower: String,
    /// Its bytes in the claim.
    pub(super) span: Range<usize>,
}

/// The words of a claim.
pub(super) fn tokens(claim: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut read_to = 0;
    for part in claim.split_whitespace() {
        let found = claim.get(read_to..).and_then(|rest| rest.find(part));
        let begin = read_to + found.unwrap_or(0);
        read_to = begin + part.len();
        let opened = part.trim_start_matches(['"', '\'', '`', '(', '[', '{', '<', '“', '‘']);
        let text = opened.trim_end_matches([
            '"', '\'', '`', ')', ']', '}', '>', '”', '’', ',', ';', ':', '.', '!', '?',
        ]);
        if !text.is_empty() {
            let start = begin + part.len() - opened.len();
            tokens.push(Token {
                text,
                lower: text.to_lowercase(),
                span: start..start + text.len(),
            });
        }
    }
    tokens
}

/// The word `offset` words after a place; before it if negative.
pub(super) fn at<'a, 'c>(
    tokens: &'a [Token<'c>],
    place: usize,
    offset: isize,
) -> Option<&'a Token<'c>> {
    tokens.get(place.checked_add_signed(offset)?)
}

/// The same word in lower case; empty beyond the ends.
pub(super) fn lower<'a>(tokens: &'a [Token<'_>], place: usize, offset: isize) -> &'a str {
    at(tokens, place, offset).map_or("", |token| &token.lower)
}

/// Replaces a span of the claim.
pub(super) fn replaced(claim: &str, span: Range<usize>, by: &str) -> String {
    let before = claim.get(..span.start).unwrap_or_default();
    let after = claim.get(span.end..).unwrap_or_default();
    format!("{before}{by}{after}")
}

/// `word`, with a capital where `like` has one.
pub(super) fn cased(word: &str, like: &str) -> String {
    let mut characters = word.chars();
    match characters.next() {
        Some(first) if like.chars().next().is_some_and(char::is_uppercase) => {
            first.to_uppercase().chain(characters).collect()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_words_are_left_out() {
        let claim = "The log says \"PORT is unset, (maybe)\" 14:02:17.";
        let texts: Vec<&str> = tokens(claim).iter().map(|token| token.text).collect();
        assert_eq!(texts, ["The", "log", "says", "PORT", "is", "unset", "maybe", "14:02:17"]);
        for token in tokens(claim) {
            assert_eq!(claim.get(token.span.clone()), Some(token.text));
        }
        let third = tokens(claim)[3].span.clone();
        assert!(replaced(claim, third, "HOST").contains("says \"HOST is"));
    }
}
