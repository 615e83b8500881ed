//! Lines of text with a margin: labels to the left, text wrapped under itself to the right.

use std::fmt::Write as _;

use anstream::adapter::strip_str;
use anstyle::{AnsiColor, Style};
use gsar_client::text::{one_line, width};

/// What is said in passing.
pub(super) const DIM: Style = Style::new().dimmed();
/// What stands out.
pub(super) const BOLD: Style = Style::new().bold();
/// What is well.
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// What wants a look.
pub(super) const DOUBTFUL: Style = AnsiColor::Yellow.on_default();
/// What is wrong.
pub(super) const BAD: Style = AnsiColor::Red.on_default();
/// What stands apart.
pub(super) const APART: Style = AnsiColor::Blue.on_default();

/// Where the text beside a label begins.
pub(super) const TEXT_COLUMN: usize = 14;

/// Text of a given width.
pub(super) struct Page {
    text: String,
    columns: usize,
}

impl Page {
    pub(super) fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    /// How many columns the page has.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// A line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// An empty line, unless the page begins or there is one already.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A text from outside, in a style, wrapped under itself from a column on. The first line follows
    /// `lead`, which may reach further.
    pub(super) fn wrapped(&mut self, lead: &str, column: usize, style: Style, text: &str) {
        let room = self.columns.saturating_sub(column).max(20);
        let text = one_line(text);
        let beyond = width(&strip_str(lead).to_string()).saturating_sub(column);
        let indent = " ".repeat(beyond);
        // Names with hyphens and instants stay whole: people search for them.
        let options = textwrap::Options::new(room)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .initial_indent(&indent);
        for (number, line) in textwrap::wrap(&text, options).iter().enumerate() {
            if number == 0 {
                self.text.push_str(lead);
            } else {
                let _ = write!(self.text, "{:column$}", "");
            }
            let line = if number == 0 { line.get(beyond..).unwrap_or_default() } else { line };
            let _ = writeln!(self.text, "{style}{line}{style:#}");
        }
    }

    /// A label and a text from outside, wrapped beside it. The same label is not repeated by giving it
    /// as empty.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        let lead = lead(label);
        self.wrapped(&lead, TEXT_COLUMN, Style::new(), text);
    }

    /// A label and a line as it is.
    pub(super) fn labelled_line(&mut self, label: &str, line: &str) {
        let lead = lead(label);
        self.line(&format!("{lead}{line}"));
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

fn lead(label: &str) -> String {
    let padding = TEXT_COLUMN.saturating_sub(2 + width(label));
    format!("  {}{:padding$}", styled(BOLD, label), "")
}

/// The text in a style.
pub(super) fn styled(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// The text filled up with blanks to a width.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{:1$}", "", columns.saturating_sub(width(text)))
}

/// `1 claim`, `2 claims`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The first few of a list, and how many more there are.
pub(super) fn listed<'a>(items: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let mut shown: Vec<String> = items.take(most).map(one_line).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    let Some(last) = shown.pop() else { return String::new() };
    match (shown.is_empty(), more > 0) {
        (true, _) => last,
        (false, true) => format!("{} and {last}", shown.join(", ")),
        (false, false) => format!("{}, {last}", shown.join(", ")),
    }
}
