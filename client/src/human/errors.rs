//! Formats failures and notes for standard error.

use gsar_client::text::one_line;

use super::page::{BAD, BOLD, styled};
use crate::failure::Failure;

/// Formats a failure, without a trailing newline.
pub(crate) fn shown(failure: &Failure) -> String {
    error(&failure.to_string())
}

/// Formats an error. Each line is sanitized; indentation is preserved.
pub(crate) fn error(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let indent: String = line.chars().take_while(|character| *character == ' ').collect();
            format!("{indent}{}", columns_kept(line))
        })
        .collect();
    format!("{} {}", styled(BAD | BOLD.get_effects(), "error:"), lines.join("\n"))
}

/// Formats a note, without a trailing newline.
pub(crate) fn note(text: &str) -> String {
    format!("{} {}", styled(BOLD, "note:"), one_line(text))
}

/// Sanitizes a line, but preserves the double spaces that separate columns.
fn columns_kept(line: &str) -> String {
    line.trim().split("  ").map(one_line).collect::<Vec<_>>().join("  ")
}
