//! Parses the judge's own score, which is recorded for audit only.

use gsar_core::fixed_point::{Millionths, ONE_MILLION};

use crate::claim_entry::quote;
use crate::json_tree::Node;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Score {
    /// The score from 0 to 1, rounded to six places; `None` if null.
    pub(crate) value: Option<Millionths>,
    pub(crate) is_percentage: bool,
}

/// Parses a score from 0 to 1, or a percentage with a percent sign or above 10. Rejects numbers between 1
/// and 10 as ambiguous.
///
/// # Errors
/// The invalid value in quotes.
pub(crate) fn parse(node: &Node<'_>) -> Result<Score, String> {
    match node {
        Node::Null => Ok(Score { value: None, is_percentage: false }),
        Node::Number(number) => in_range(*number, false).ok_or_else(|| number.to_string()),
        Node::Text(text) => {
            let value = text.value.trim();
            let (literal, has_percent_sign) = match value.strip_suffix('%') {
                Some(literal) => (literal.trim_end(), true),
                None => (value, false),
            };
            let is_decimal = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let number = literal.parse().ok().filter(|_| is_decimal);
            number.and_then(|number| in_range(number, has_percent_sign)).ok_or_else(|| quote(value))
        }
        other => Err(other.describe().to_owned()),
    }
}

fn in_range(number: f64, has_percent_sign: bool) -> Option<Score> {
    let is_percentage = has_percent_sign || number > 10.0;
    let maximum = if is_percentage { 100.0 } else { 1.0 };
    (0.0..=maximum).contains(&number).then(|| {
        let millionths = (number * (f64::from(ONE_MILLION) / maximum)).round() as u32;
        Score { value: Some(Millionths::new(millionths)), is_percentage }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_json(json: &str) -> Result<Option<u32>, String> {
        let bounds = crate::Bounds::default();
        let node = Node::parse_strict(json, &crate::bounds::Meter::new(json, &bounds)).unwrap();
        parse(&node).map(|score| score.value.map(Millionths::get))
    }

    #[test]
    fn parses_fractions_and_percentages() {
        for (json, millionths) in [
            ("0", 0),
            ("-0.0", 0),
            ("0.9", 900_000),
            ("\"0.9\"", 900_000),
            ("1", 1_000_000),
            ("90", 900_000),
            ("83.7", 837_000),
            ("\"90%\"", 900_000),
            ("\" 90 % \"", 900_000),
            ("\"5%\"", 50_000),
            ("100", 1_000_000),
            ("0.12345678", 123_457),
        ] {
            assert_eq!(parse_json(json), Ok(Some(millionths)), "{json}");
        }
        assert_eq!(parse_json("null"), Ok(None));
    }

    #[test]
    fn rejects_ambiguous_and_invalid_scores() {
        for json in [
            "8", "1.5", "10", "101", "-1", "\"8/10\"", "\"high\"", "\"\"", "\"1e0\"", "\"inf\"",
            "\"101%\"", "[]", "true",
        ] {
            assert!(parse_json(json).is_err(), "{json}");
        }
    }
}
