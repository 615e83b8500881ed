//! Formats failures and notes for standard error.

use gsar_client::text::one_line;

use super::page::{BAD, BOLD, styled};
use crate::failure::Failure;

pub(crate) fn failure(failure: &Failure) -> String {
    error(&failure.to_string())
}

/// Formats an error, sanitizing each line but preserving its indentation.
pub(crate) fn error(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let indent: String = line.chars().take_while(|character| *character == ' ').collect();
            format!("{indent}{}", sanitize_columns(line))
        })
        .collect();
    format!("{} {}", styled(BAD | BOLD.get_effects(), "error:"), lines.join("\n"))
}

pub(crate) fn note(text: &str) -> String {
    format!("{} {}", styled(BOLD, "note:"), one_line(text))
}

/// Sanitizes a line, preserving the double spaces between columns.
fn sanitize_columns(line: &str) -> String {
    line.trim().split("  ").map(one_line).collect::<Vec<_>>().join("  ")
}
