//! Finds payment card numbers by length, leading digits and check digit.

use regex::Regex;

use super::boundary::{after, before, begins_word, chars_before, ends_word};
use super::{Span, compile_expression};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// Names of quantities and identifiers. One such number in ten has a valid check digit by chance.
const NOT_A_CARD: &str = r"(?i)(?:id|offset|bytes|size|count|total|time|seq|version|hash|nanos|micros|[nmu]s|value)\W{1,4}$";

pub(crate) struct Cards {
    digits: Regex,
    not_a_card: Regex,
}

impl Cards {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let digits = r"[3-6][0-9]{3}(?:[0-9]{10,12}|(?: [0-9]{4}){3}|(?:-[0-9]{4}){3}|[ -][0-9]{6}[ -][0-9]{4,5})";
        Ok(Self {
            digits: compile_expression("cards", digits)?,
            not_a_card: compile_expression("no cards", NOT_A_CARD)?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        for number in self.digits.find_iter(text) {
            let is_part = before(text, number.start()).ends_with(['.', '-', '/'])
                || after(text, number.end()).starts_with(['-', '/'])
                || after(text, number.end()).starts_with(".")
                    && is_decimal(after(text, number.end()));
            let is_whole =
                begins_word(text, number.start()) && ends_word(text, number.end()) && !is_part;
            let digits: Vec<u32> = number.as_str().chars().filter_map(|c| c.to_digit(10)).collect();
            let context = chars_before(text, number.start(), 16);
            if is_whole
                && is_issued(&digits)
                && has_valid_check_digit(&digits)
                && !self.not_a_card.is_match(context)
            {
                spans.push(Span { range: number.range(), kind: Kind::Card });
            }
        }
    }
}

/// Returns `true` if a digit follows the decimal point at the start of `text`.
fn is_decimal(text: &str) -> bool {
    text.chars().nth(1).is_some_and(|c| c.is_ascii_digit())
}

/// Returns `true` if a card network issues numbers with this length and these leading digits.
fn is_issued(digits: &[u32]) -> bool {
    let first_four = digits.iter().take(4).fold(0, |value, digit| value * 10 + digit);
    match digits.len() {
        14 => matches!(first_four, 3000..=3059 | 3600..=3699 | 3800..=3899),
        15 => matches!(first_four, 3400..=3499 | 3700..=3799),
        16 => {
            matches!(first_four, 3528..=3589 | 4000..=4999 | 5100..=5599 | 6011 | 6200..=6299 | 6440..=6599)
        }
        _ => false,
    }
}

/// Returns `true` if the Luhn check digit (ISO/IEC 7812) is valid.
fn has_valid_check_digit(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(index, digit)| match (index % 2, digit * 2) {
            (0, _) => *digit,
            (_, doubled) => doubled / 10 + doubled % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cards_among_other_long_numbers() {
        for (text, expected) in [
            ("card 4111 1111 1111 1111 declined", true),
            ("pan=5555555555554444", true),
            ("3782-822463-10005", true),
            ("378282246310005", true),
            ("4111-1111-1111-1111.", true),
            ("4111 1111 1111 1112", false),
            ("trace_id=4111111111111111", false),
            (r#""offset": 4111111111111111"#, false),
            ("0.4111111111111111", false),
            ("4111111111111111.5", false),
            ("1760000000000000000", false),
            ("a4111111111111111", false),
            ("41111111111111111", false),
            ("12-4111111111111111", false),
        ] {
            let mut spans = Vec::new();
            Cards::new().unwrap().find(text, &mut spans);
            assert_eq!(spans.len(), usize::from(expected), "{text}");
        }
    }
}
