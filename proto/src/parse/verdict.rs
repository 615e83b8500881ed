//! Parses requests to classify tool results.

use gsar_core::safety::{Expectation, ToolResult};

use super::evidence::json;
use super::field::{optional, short_text, text};
use super::limits::Limits;
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// The maximum absolute value of a threshold. Up to this value, an `f64` is exact to six decimal places.
const MAX_NUMBER: f64 = 1e9;

/// A parsed tool result, with the signal to look for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedToolResult {
    /// The output of the tool. If it was sent as JSON, it is valid JSON.
    pub content: String,
    /// The signal to look for, which may be empty.
    pub signal: String,
    /// The threshold between healthy and unhealthy, as a plain decimal.
    pub threshold: Option<String>,
}

impl ParsedToolResult {
    /// Returns the input of the classifier.
    #[must_use]
    pub fn tool_result(&self) -> ToolResult<'_> {
        let has_expectation = !self.signal.is_empty() || self.threshold.is_some();
        let expectation = has_expectation.then_some(Expectation {
            signal: &self.signal,
            polarity: None,
            threshold: self.threshold.as_deref(),
        });
        ToolResult { content: &self.content, expectation }
    }
}

/// Parses a request to classify a tool result.
pub fn classify_verdict(
    message: v1::ClassifyVerdictRequest,
    limits: &Limits,
    violations: &mut Violations,
) -> Option<ParsedToolResult> {
    use v1::classify_verdict_request::Content;
    let content = match message.content {
        Some(Content::Text(content)) => {
            text(Path::root("text"), content, limits.max_text_bytes, violations)
        }
        Some(Content::Json(content)) => json(Path::root("json"), content, limits, violations),
        None => {
            violations.add("content", "is missing; give text or json");
            None
        }
    };
    let signal = short_text(Path::root("signal"), message.signal, violations);
    let threshold = optional(message.threshold, |value| {
        plain_decimal(Path::root("threshold"), value, violations)
    });
    Some(ParsedToolResult { content: content?, signal: signal?, threshold: threshold? })
}

/// Formats a number as a plain decimal, if it has at most six places.
fn plain_decimal(path: Path<'_>, value: f64, violations: &mut Violations) -> Option<String> {
    let is_negative_zero = value == 0.0 && value.is_sign_negative();
    if !(-MAX_NUMBER..=MAX_NUMBER).contains(&value) || is_negative_zero {
        violations.add(
            path,
            format_args!(
                "{value:?} is not a valid threshold; give a number from -1000000000 to 1000000000"
            ),
        );
        return None;
    }
    let decimal = value.to_string();
    let places = decimal.split_once('.').map_or(0, |(_, places)| places.len());
    if places > 6 {
        violations.add(path, format_args!("{value:?} has more than six decimal places; round it"));
        return None;
    }
    Some(decimal)
}
