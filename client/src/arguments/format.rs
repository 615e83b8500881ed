//! The output formats of evaluated reports.

use clap::ValueEnum;

/// The output format of `gsar evaluate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for a terminal
    Human,
    /// The response message, one JSON document per line
    Json,
    /// One JUnit document: a suite per report, with a test per claim and one for the decision
    Junit,
    /// One Markdown document, for a pull request or a ticket
    Markdown,
}

impl Format {
    /// Returns `true` if all reports form one document, printed at the end.
    pub(crate) fn is_document(self) -> bool {
        matches!(self, Self::Junit | Self::Markdown)
    }
}

/// The output format of `gsar watch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stream {
    /// Text for a terminal
    Human,
    /// Decision, file, score and advice on one line
    Lines,
    /// One JSON document per line, with the file, the report, and the response or the error
    Json,
}
