//! The output formats of evaluated reports.

use clap::ValueEnum;

/// The output format of `gsar evaluate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for a terminal
    Human,
    /// The response message, one JSON document per line
    Json,
    /// One JUnit document, with a suite per report and a test per claim and decision
    Junit,
    /// One Markdown document, for a pull request or a ticket
    Markdown,
}

impl Format {
    /// Returns `true` if the output is one document for all reports.
    pub(crate) fn is_document(self) -> bool {
        matches!(self, Self::Junit | Self::Markdown)
    }
}

/// The output format of `gsar watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stream {
    /// Text for a terminal
    Human,
    /// One line per report: the decision, the file, the score and the advice
    Lines,
    /// One JSON document per report: the file, the report's id, and the response or the error
    Json,
}
