//! Failures as text: what is wrong, where, and the fix.

use gsar_client::text::one_line;

use super::page::{BAD, BOLD, styled};
use crate::failure::Failure;

/// A failure as text, without a line end.
pub(crate) fn shown(failure: &Failure) -> String {
    error(&failure.to_string())
}

/// A text after the word error; each of its lines made safe, their indents kept.
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

/// A remark for standard error, without a line end.
pub(crate) fn note(text: &str) -> String {
    format!("{} {}", styled(BOLD, "note:"), one_line(text))
}

/// The line made safe, with the blanks that make its columns.
fn columns_kept(line: &str) -> String {
    line.trim().split("  ").map(one_line).collect::<Vec<_>>().join("  ")
}
