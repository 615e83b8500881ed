//! Finds telephone numbers: international ones with a plus sign or zeros, and North American ones
//! with separators.

use regex::Regex;

use super::boundary::{after, before, begins_word, ends_word};
use super::{Span, compile_expression};
use crate::kind::Kind;
use crate::pattern::PatternError;

/// The number of digits in an international number; E.164 allows at most 15.
const DIGITS: std::ops::RangeInclusive<usize> = 9..=15;

pub(crate) struct Phones {
    numbers: Regex,
    units_after: Regex,
}

impl Phones {
    pub(crate) fn new() -> Result<Self, PatternError> {
        let numbers = [
            r"\+[1-9][0-9]{0,2}(?:[ .-]?\(0?[0-9]{1,4}\))?(?:[ .-]?[0-9]{2,4}){2,5}|\+[1-9][0-9]{8,14}",
            r"00[1-9][0-9]{0,2}[ -]\(?[0-9]{2,5}\)?(?:[ -][0-9]{2,8}){1,4}",
            r"(?:1[ -])?\([2-9][0-9]{2}\) ?[2-9][0-9]{2}-[0-9]{4}",
            r"(?:1-)?[2-9][0-9]{2}-[2-9][0-9]{2}-[0-9]{4}",
        ];
        let units_after = r"^ ?(?:%|[kmgt]i?b\b|bytes|bits|[nmu]?s\b|sec|min|hours?|days?|requests|rows|lines|rps|qps|errors|pods|\$|€)";
        Ok(Self {
            numbers: compile_expression("telephones", &numbers.join("|"))?,
            units_after: compile_expression("figures", &format!("(?i){units_after}"))?,
        })
    }

    pub(crate) fn find(&self, text: &str, spans: &mut Vec<Span>) {
        for number in self.numbers.find_iter(text) {
            let (text_before, text_after) =
                (before(text, number.start()), after(text, number.end()));
            let is_part = text_before.ends_with(['.', '-', '+', '/', ')', ']', '@'])
                || text_after.starts_with(['-', '/', '%', '+', ':'])
                || text_after
                    .strip_prefix('.')
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let is_whole =
                begins_word(text, number.start()) && ends_word(text, number.end()) && !is_part;
            let digit_count = number.as_str().bytes().filter(u8::is_ascii_digit).count();
            if is_whole && DIGITS.contains(&digit_count) && !self.units_after.is_match(text_after) {
                spans.push(Span { range: number.range(), kind: Kind::Phone });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_telephone_numbers_among_other_numbers() {
        for (text, expected) in [
            ("call +49 151 1234 5678 now", true),
            ("+4915112345678", true),
            ("tel:+1-415-555-2671", true),
            ("+44 (0)20 7946 0958", true),
            ("0049 151 12345678", true),
            ("(415) 555-2671", true),
            ("415-555-2671,", true),
            ("1-800-555-0199", true),
            ("2026-03-12T14:02:17+02:00", false),
            ("14:02:17+0200", false),
            ("+150000000 bytes", false),
            ("+12.5%", false),
            ("2026-03-12 14:02:17", false),
            ("123e4567-e89b-12d3-a456-426614174000", false),
            ("1760000000", false),
            ("a+491511234567", false),
            ("415-555-2671-9", false),
            ("web-415-555-2671", false),
            ("00:14:02", false),
            ("+1 ms", false),
        ] {
            let mut spans = Vec::new();
            Phones::new().unwrap().find(text, &mut spans);
            assert_eq!(spans.len(), usize::from(expected), "{text}");
        }
    }
}
