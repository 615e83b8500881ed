//! Parses the judge's own score, which is recorded for audit only.

use gsar_core::fixed_point::{Millionths, ONE_MILLION};

use crate::json_tree::Node;

/// Parses a score from 0 to 1, rounded to six places, or a percentage with a percent sign or above 10.
/// Rejects numbers between 1 and 10 as ambiguous.
pub(crate) fn parse(node: &Node<'_>) -> Option<Millionths> {
    match node {
        Node::Number(number) => in_range(*number, false),
        Node::Text(text) => {
            let value = text.value.trim();
            let (literal, has_percent_sign) = match value.strip_suffix('%') {
                Some(literal) => (literal.trim_end(), true),
                None => (value, false),
            };
            let is_decimal = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let number = literal.parse().ok().filter(|_| is_decimal);
            in_range(number?, has_percent_sign)
        }
        _ => None,
    }
}

fn in_range(number: f64, has_percent_sign: bool) -> Option<Millionths> {
    let is_percentage = has_percent_sign || number > 10.0;
    let maximum = if is_percentage { 100.0 } else { 1.0 };
    (0.0..=maximum)
        .contains(&number)
        .then(|| Millionths::new((number * (f64::from(ONE_MILLION) / maximum)).round() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_json(json: &str) -> Option<u32> {
        let bounds = crate::Bounds::default();
        let node = Node::parse_strict(json, &crate::bounds::Meter::new(json, &bounds)).unwrap();
        parse(&node).map(Millionths::get)
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
            assert_eq!(parse_json(json), Some(millionths), "{json}");
        }
    }

    #[test]
    fn rejects_ambiguous_and_invalid_scores() {
        for json in [
            "8", "1.5", "10", "101", "-1", "\"8/10\"", "\"high\"", "\"\"", "\"1e0\"", "\"inf\"",
            "\"101%\"", "[]", "true", "null",
        ] {
            assert_eq!(parse_json(json), None, "{json}");
        }
    }
}
