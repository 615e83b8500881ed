//! Lays out text with labels on the left.

use std::fmt::Write as _;

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use gsar_client::text::{one_line, width};

pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const BOLD: Style = Style::new().bold();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const NEUTRAL: Style = AnsiColor::Blue.on_default();

/// The column at which the text after a label starts.
pub(super) const TEXT_COLUMN: usize = 14;

pub(super) struct Page {
    text: String,
    columns: usize,
}

impl Page {
    pub(super) fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Adds a line without wrapping it.
    pub(super) fn add_line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Adds a blank line, unless the page is empty or ends with one.
    pub(super) fn add_gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds untrusted text, wrapped and indented to `column`. The first line follows `lead`, which may be wider than `column`.
    pub(super) fn add_wrapped(&mut self, lead: &str, column: usize, style: Style, text: &str) {
        let room = self.columns.saturating_sub(column).max(20);
        let text = one_line(text);
        let overhang = width(&strip_str(lead).to_string()).saturating_sub(column);
        let indent = " ".repeat(overhang);
        // Does not break at hyphens, so that hyphenated names and timestamps stay searchable.
        let options = textwrap::Options::new(room)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .initial_indent(&indent);
        for (index, line) in textwrap::wrap(&text, options).iter().enumerate() {
            if index == 0 {
                self.text.push_str(lead);
            } else {
                let _ = write!(self.text, "{:column$}", "");
            }
            let line = if index == 0 { line.get(overhang..).unwrap_or_default() } else { line };
            let _ = writeln!(self.text, "{style}{line}{style:#}");
        }
    }

    /// Adds a label and untrusted text, wrapped. An empty label continues the previous one.
    pub(super) fn add_labelled(&mut self, label: &str, text: &str) {
        let lead = lead(label);
        self.add_wrapped(&lead, TEXT_COLUMN, Style::new(), text);
    }

    /// Adds a label and a line without wrapping it.
    pub(super) fn add_labelled_line(&mut self, label: &str, line: &str) {
        let lead = lead(label);
        self.add_line(&format!("{lead}{line}"));
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

fn lead(label: &str) -> String {
    let padding = TEXT_COLUMN.saturating_sub(2 + width(label));
    format!("  {}{:padding$}", styled(BOLD, label), "")
}

pub(super) fn styled(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(width(text)))
}

/// Formats a count, such as `1 claim` or `2 claims`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Lists the first `max` items and says how many more there are.
pub(super) fn listed<'a>(items: impl ExactSizeIterator<Item = &'a str>, max: usize) -> String {
    let further = items.len().saturating_sub(max);
    let mut parts: Vec<String> = items.take(max).map(one_line).collect();
    if further > 0 {
        parts.push(format!("{further} more"));
    }
    let Some(last) = parts.pop() else { return String::new() };
    match (parts.is_empty(), further > 0) {
        (true, _) => last,
        (false, true) => format!("{} and {last}", parts.join(", ")),
        (false, false) => format!("{}, {last}", parts.join(", ")),
    }
}
