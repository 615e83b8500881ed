//! This module lists the ways in which evaluated reports are printed. It prints nothing.

use clap::ValueEnum;

/// How `gsar evaluate` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people at a terminal
    Human,
    /// The answer of the wire, one JSON document per line
    Json,
    /// One JUnit document: a suite per report, a test per claim, and one for the decision
    Junit,
    /// One Markdown document, for a pull request or a ticket
    Markdown,
}

impl Format {
    /// Whether all reports together are one document, printed at the end.
    pub(crate) fn is_document(self) -> bool {
        matches!(self, Self::Junit | Self::Markdown)
    }
}

/// How `gsar watch` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stream {
    /// For people at a terminal; the default there
    Human,
    /// Decision, file, score and advice on one line; the default elsewhere
    Lines,
    /// One JSON document per line: file, report, and the answer of the wire or the error
    Json,
}
