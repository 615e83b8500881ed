//! A line of text as tokens: words with what they mean, numbers, ratios and marks.

use alloc::vec::Vec;

use super::decimal::{Quantity, Unit};
use super::lexicon::{Sense, sense};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A word or identifier, with what it means in a sentence.
    Word(Option<Sense>),
    /// A number with its unit.
    Number(Quantity<'a>),
    /// So many of so many: `3/5`.
    Ratio(Quantity<'a>, Quantity<'a>),
    /// A separator.
    Mark(char),
    /// A time, an address or the like: looks numeric and measures nothing.
    Other,
}

/// A token and where it stands in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Its text.
    pub(super) text: &'a str,
    /// The byte at which it starts in its line.
    pub(super) start: usize,
    /// What it is.
    pub(super) kind: Kind<'a>,
    /// Whether an earlier reading has used it up.
    pub(super) masked: bool,
}

impl Token<'_> {
    /// The byte after its last.
    pub(super) const fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// What it means, unless it is used up or no word.
    pub(super) const fn sense(&self) -> Option<Sense> {
        match self.kind {
            Kind::Word(sense) if !self.masked => sense,
            _ => None,
        }
    }

    pub(super) fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.kind, Kind::Mark(mark) if marks.contains(&mark))
    }
}

/// Splits a line into tokens, in place of what the buffer held.
pub(super) fn tokenize<'a>(line: &'a str, tokens: &mut Vec<Token<'a>>) {
    tokens.clear();
    let mut chars = line.char_indices().peekable();
    let mut start: Option<usize> = None;
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |(_, next)| *next);
        if belongs(before, c, after) {
            start.get_or_insert(at);
        } else {
            close(line, start.take(), at, tokens);
            if !c.is_whitespace() {
                let text = line.get(at..at + c.len_utf8()).unwrap_or_default();
                tokens.push(Token { text, start: at, kind: Kind::Mark(c), masked: false });
            }
        }
        before = c;
    }
    close(line, start, line.len(), tokens);
}

/// Whether a character continues a token, given its neighbours.
fn belongs(before: char, c: char, after: char) -> bool {
    let digits = before.is_ascii_digit() && after.is_ascii_digit();
    let inner = before.is_alphanumeric() && after.is_alphanumeric();
    match c {
        '_' | '/' | '%' | '@' => true,
        '-' => inner || after.is_ascii_digit() || before == '-' || after == '-',
        '+' => after.is_ascii_digit(),
        '.' => inner || (after.is_ascii_digit() && !before.is_alphanumeric()),
        ',' => digits,
        ':' => digits || (after == '/' && before.is_alphanumeric()),
        '\'' | '\u{2019}' => before.is_alphabetic() && after.is_alphabetic(),
        _ => c.is_alphanumeric(),
    }
}

fn close<'a>(line: &'a str, start: Option<usize>, end: usize, tokens: &mut Vec<Token<'a>>) {
    let Some((start, text)) = start.and_then(|start| Some((start, line.get(start..end)?))) else {
        return;
    };
    let kind = kind_of(text);
    // `2.3 s` and `93 %` are one quantity.
    if let Some(unit) = Unit::named(text)
        && !matches!(text, "m" | "B" | "d" | "h" | "min")
        && let Some(last) = tokens.last_mut()
        && let Kind::Number(number) = &mut last.kind
        && number.unit.is_none()
    {
        number.unit = Some(unit);
        last.text = line.get(last.start..end).unwrap_or(last.text);
        number.literal = last.text;
        return;
    }
    tokens.push(Token { text, start, kind, masked: false });
}

fn kind_of(text: &str) -> Kind<'_> {
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if !numeric {
        return Kind::Word(sense(text));
    }
    if let Some(quantity) = Quantity::parse(text) {
        return Kind::Number(quantity);
    }
    if let Some((part, whole)) = text.split_once('/')
        && let (Some(part), Some(whole)) = (Quantity::parse(part), Quantity::parse(whole))
        && part.unit.is_none()
        && whole.unit.is_none()
    {
        return Kind::Ratio(part, whole);
    }
    match sense(text) {
        Some(sense) => Kind::Word(Some(sense)),
        None => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(line: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        tokenize(line, &mut tokens);
        tokens.iter().map(|token| token.text).collect()
    }

    #[test]
    fn lines_fall_into_tokens() {
        for (line, expected) in [
            ("error_rate: 0.00", &["error_rate", ":", "0.00"][..]),
            ("errors stopped at 14:05.", &["errors", "stopped", "at", "14:05", "."]),
            ("ready 0/5 (2.3 s)", &["ready", "0/5", "(", "2.3 s", ")"]),
            ("didn't fail, 1,200 ok", &["didn't", "fail", ",", "1,200", "ok"]),
            ("checkout-7f9c4d-x2x1z", &["checkout-7f9c4d-x2x1z"]),
            ("a=b;c=-3", &["a", "=", "b", ";", "c", "=", "-3"]),
            ("http://x:80/y", &["http://x", ":", "80/y"]),
            ("", &[]),
        ] {
            assert_eq!(texts(line), expected, "{line}");
        }
    }

    #[test]
    fn what_looks_numeric_and_measures_nothing_is_set_apart() {
        let mut tokens = Vec::new();
        for text in ["14:05", "10.0.0.1", "2024-05-01T10:00:00Z", "7f9c4d", "1.2.3"] {
            tokenize(text, &mut tokens);
            assert_eq!(tokens.first().map(|token| token.kind), Some(Kind::Other), "{text}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_slices_of_their_line_in_order(line in ".{0,80}") {
            let mut tokens = Vec::new();
            tokenize(&line, &mut tokens);
            let mut end = 0;
            for token in tokens {
                prop_assert!(token.start >= end);
                prop_assert_eq!(line.get(token.start..token.end()), Some(token.text));
                end = token.end();
            }
        }
    }
}
