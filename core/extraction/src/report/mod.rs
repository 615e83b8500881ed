//! This module reads a report into what it asserts and what it merely shows, so that nothing that a reader sees
//! goes unjudged. It knows nothing of claims that a caller gives, of judges and of policies.
//!
//! Every byte of a report that is no white space lies in an [`Assertion`] or is uncovered for a [`Reason`]. What no
//! rule excuses becomes an assertion.

mod blocks;
mod code;
mod continuations;
mod fragments;
mod html;
mod kind;
mod labels;
mod presupposed;
mod reader;
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
pub use spans::{merged, subtract, visible};
pub use statements::{clauses, statements};
pub use words::{has_predicate, is_negation, is_predicate, is_state, says_something};

/// How many units of a budget a byte of prose takes: it is read for words, figures, marks and kinds.
pub const UNITS_PER_BYTE: usize = 16;

/// The memory of a byte that is read: its places in a block, in a label or a heading, and in an assertion.
const MEMORY_PER_BYTE: usize = 48;

/// Something that a report says: a sentence, a heading, a table row, a line of code, or what a question or a
/// proposal takes for granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// What it says, with the label or the column headers that it stands under.
    pub text: Rendered,
    /// Its bytes in the report.
    pub span: Range<usize>,
    /// What it does.
    pub kind: ClaimKind,
    /// Whether it is prose that may hold more than one statement.
    pub is_prose: bool,
    /// Whether it is no text of its own but what another assertion takes for granted.
    pub is_presupposed: bool,
}

/// Why a stretch of a report is in no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Punctuation and marks of Markdown or HTML.
    Markup,
    /// The number or bullet of a list item, section or footnote.
    Marker,
    /// A label of a closed list, such as "Timeline".
    Label,
    /// The header of a column, which the claims of its rows repeat.
    ColumnHeader,
    /// A title whose content words stand together in one claim or one evidence record.
    Title,
    /// A whole line or value of the evidence.
    EvidenceLine,
    /// Where a link leads.
    LinkTarget,
    /// Something that no claim says.
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

    /// The word used in output.
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

/// A stretch of a report that is in no claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// Its bytes in the report.
    pub span: Range<usize>,
    /// Why.
    pub reason: Reason,
}

/// A report as a reader sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// What it says, in the order of the report. Spans may overlap: what a sentence takes for granted lies in it.
    pub assertions: Vec<Assertion>,
    /// What says nothing, in order; disjoint from the assertions and from each other.
    pub uncovered: Vec<Uncovered>,
}

impl Document {
    /// Reads a report. `evidence` are the texts of the evidence at hand: whole lines of it, and titles whose words
    /// stand together in one of its records, need no claim. Not whole where the budget stops it.
    #[must_use]
    pub fn read(report: &str, evidence: &[&str], budget: &Budget) -> Self {
        match budget.allocate(report.len().saturating_mul(MEMORY_PER_BYTE)) {
            true => reader::read(report, evidence, budget),
            false => Self::default(),
        }
    }
}
