//! Splits a report into assertions and text that asserts nothing, so that all visible text is judged. Does not depend
//! on claims, judges or policies.
//!
//! Every non-whitespace byte of a report is in an [`Assertion`] or is uncovered for a [`Reason`]. Text that no rule
//! recognizes becomes an assertion.

mod blocks;
mod code;
mod continuations;
mod fragments;
mod html;
mod kind;
mod labels;
mod parser;
mod presupposed;
mod rendered;
mod spans;
mod statements;
mod titles;
mod uncovered;
mod words;

use std::ops::Range;

use crate::budget::Budget;

pub use kind::ClaimKind;
pub use rendered::Rendered;
pub use spans::{merge_ranges, subtract, visible};
pub use statements::{clauses, statements};
pub use words::{has_predicate, is_informative_word, is_negation, is_predicate, is_state};

/// The cost of a byte of prose in units of the budget: it is read for words, figures, markers and kinds.
pub const UNITS_PER_BYTE: usize = 16;

/// The memory per byte of the report: its positions in a block, a label or heading, and an assertion.
const MEMORY_PER_BYTE: usize = 48;

/// An assertion of a report: a sentence, a heading, a table row, a line of code, or a presupposition of a question or
/// proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The text, with its label or column headers.
    pub text: Rendered,
    /// Its bytes in the report.
    pub span: Range<usize>,
    /// The kind of claim.
    pub kind: ClaimKind,
    /// `true` if it is prose that may contain more than one statement.
    pub is_prose: bool,
    /// `true` if it is a presupposition of another assertion.
    pub is_presupposed: bool,
}

/// The reason why a range of a report is in no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Punctuation and markup of Markdown or HTML.
    Markup,
    /// The number or bullet of a list item, section or footnote.
    Marker,
    /// A label of a closed list such as "Timeline".
    Label,
    /// The header of a column; the claims of its rows repeat it.
    ColumnHeader,
    /// A title whose content words occur together in one claim or evidence record.
    Title,
    /// A whole line or value of the evidence.
    EvidenceLine,
    /// The target of a link.
    LinkTarget,
    /// Text that no claim covers.
    NotJudged,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 8] = [
        Self::Markup,
        Self::Marker,
        Self::Label,
        Self::ColumnHeader,
        Self::Title,
        Self::EvidenceLine,
        Self::LinkTarget,
        Self::NotJudged,
    ];

    /// Returns the name used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markup => "markup",
            Self::Marker => "marker",
            Self::Label => "label",
            Self::ColumnHeader => "column_header",
            Self::Title => "title",
            Self::EvidenceLine => "evidence_line",
            Self::LinkTarget => "link_target",
            Self::NotJudged => "not_judged",
        }
    }
}

/// A range of a report that is in no claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// Its bytes in the report.
    pub span: Range<usize>,
    /// The reason.
    pub reason: Reason,
}

/// The content of a report as a reader sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The assertions in the order of the report. Spans may overlap: a presupposition lies in its sentence.
    pub assertions: Vec<Assertion>,
    /// The ranges without assertions, in order, disjoint from the assertions and from each other.
    pub uncovered: Vec<Uncovered>,
}

impl Document {
    /// Parses a report. `evidence` are the texts of the available evidence: its whole lines, and titles whose words
    /// occur together in one of its records, need no claim. Incomplete if the budget stops it.
    #[must_use]
    pub fn parse(report: &str, evidence: &[&str], budget: &Budget) -> Self {
        match budget.allocate(report.len().saturating_mul(MEMORY_PER_BYTE)) {
            true => parser::parse(report, evidence, budget),
            false => Self::default(),
        }
    }
}
