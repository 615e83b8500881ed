//! This module reads the judge's own estimate. It is kept for audit and never decides, so it is rounded to six
//! places.

use gsar_core::fixed::{Millionths, ONE_MILLION};

use crate::entry::shown;
use crate::node::Node;

/// An estimate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Score {
    /// From 0 to 1; nothing where the judge gives none.
    pub(crate) value: Option<Millionths>,
    pub(crate) is_percentage: bool,
}

/// Reads an estimate from 0 to 1, or as a percentage: with its sign, or above 10. What lies between 1 and 10 may be of
/// any scale, and is no estimate.
///
/// # Errors
/// What it says, where that is no estimate.
pub(crate) fn of(node: &Node<'_>) -> Result<Score, String> {
    match node {
        Node::Null => Ok(Score { value: None, is_percentage: false }),
        Node::Number(number) => estimate(*number, false).ok_or_else(|| number.to_string()),
        Node::Text(text) => {
            let words = text.words.trim();
            let (literal, has_sign) = match words.strip_suffix('%') {
                Some(literal) => (literal.trim_end(), true),
                None => (words, false),
            };
            let is_plain = literal.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            let number = literal.parse().ok().filter(|_| is_plain);
            number.and_then(|number| estimate(number, has_sign)).ok_or_else(|| shown(words))
        }
        other => Err(other.describe().to_owned()),
    }
}

fn estimate(number: f64, has_sign: bool) -> Option<Score> {
    let is_percentage = has_sign || number > 10.0;
    let whole = if is_percentage { 100.0 } else { 1.0 };
    (0.0..=whole).contains(&number).then(|| {
        let millionths = (number * (f64::from(ONE_MILLION) / whole)).round() as u32;
        Score { value: Some(Millionths::new(millionths)), is_percentage }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Option<u32>, String> {
        let bounds = crate::Bounds::default();
        let node = Node::structured(json, &crate::bounds::Meter::new(json, &bounds)).unwrap();
        of(&node).map(|score| score.value.map(Millionths::get))
    }

    #[test]
    fn estimates_are_read_from_shares_and_percentages() {
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
            assert_eq!(read(json), Ok(Some(millionths)), "{json}");
        }
        assert_eq!(read("null"), Ok(None));
    }

    #[test]
    fn what_may_be_of_any_scale_is_no_estimate() {
        for json in [
            "8", "1.5", "10", "101", "-1", "\"8/10\"", "\"high\"", "\"\"", "\"1e0\"", "\"inf\"",
            "\"101%\"", "[]", "true",
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }
}
