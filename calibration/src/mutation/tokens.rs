//! Splits a claim into words without punctuation.

use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    /// The word without surrounding quotes, brackets and punctuation.
    pub(super) text: &'a str,
    pub(super) lower: String,
    pub(super) span: Range<usize>,
}

pub(super) fn tokens(claim: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut end = 0;
    for part in claim.split_whitespace() {
        let found = claim.get(end..).and_then(|rest| rest.find(part));
        let begin = end + found.unwrap_or(0);
        end = begin + part.len();
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

/// Returns the word at `offset` from `index`. The offset may be negative.
pub(super) fn at<'a, 'c>(
    tokens: &'a [Token<'c>],
    index: usize,
    offset: isize,
) -> Option<&'a Token<'c>> {
    tokens.get(index.checked_add_signed(offset)?)
}

/// Like [`at`], but returns the word in lowercase, or an empty string if there is none.
pub(super) fn lower<'a>(tokens: &'a [Token<'_>], index: usize, offset: isize) -> &'a str {
    at(tokens, index, offset).map_or("", |token| &token.lower)
}

pub(super) fn replace_span(claim: &str, span: Range<usize>, by: &str) -> String {
    let before = claim.get(..span.start).unwrap_or_default();
    let after = claim.get(span.end..).unwrap_or_default();
    format!("{before}{by}{after}")
}

/// Capitalizes `word` if `like` is capitalized.
pub(super) fn match_case(word: &str, like: &str) -> String {
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
    fn strips_punctuation() {
        let claim = "The log says \"PORT is unset, (maybe)\" 14:02:17.";
        let texts: Vec<&str> = tokens(claim).iter().map(|token| token.text).collect();
        assert_eq!(texts, ["The", "log", "says", "PORT", "is", "unset", "maybe", "14:02:17"]);
        for token in tokens(claim) {
            assert_eq!(claim.get(token.span.clone()), Some(token.text));
        }
        let third = tokens(claim)[3].span.clone();
        assert!(replace_span(claim, third, "HOST").contains("says \"HOST is"));
    }
}
