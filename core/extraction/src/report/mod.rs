//! Splits a report into assertions and uncovered text. The result does not depend on claims, judges or policies.
//!
//! Each non-whitespace byte is in an [`Assertion`] or is uncovered for a [`Reason`]. Unrecognized text
//! becomes an assertion.

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

/// The cost of a byte of prose in budget units. Prose is scanned for words, figures, markers and kinds.
pub const UNITS_PER_BYTE: usize = 16;

/// The estimated memory per report byte for positions, labels, headings and assertions.
const MEMORY_PER_BYTE: usize = 48;

/// An assertion in a report: a sentence, heading, table row or code line, or a presupposition of a
/// question or proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The text, including a label or column headers.
    pub text: Rendered,
    /// The byte range in the report.
    pub span: Range<usize>,
    /// The kind of claim.
    pub kind: ClaimKind,
    /// `true` for prose, which can contain several statements.
    pub is_prose: bool,
    /// `true` for a presupposition of another assertion.
    pub is_presupposed: bool,
}

/// The reason that a range of a report is in no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Punctuation and Markdown or HTML markup.
    Markup,
    /// A bullet, or the number of a list item, section or footnote.
    Marker,
    /// A common label such as "Timeline".
    Label,
    /// A column header, which is part of the claims for its rows.
    ColumnHeader,
    /// A title whose content words all occur in one claim or evidence record.
    Title,
    /// A whole line or value from the evidence.
    EvidenceLine,
    /// A link target.
    LinkTarget,
    /// Text that no claim covers.
    NotJudged,
}

names!(Reason {
    Markup => "markup",
    Marker => "marker",
    Label => "label",
    ColumnHeader => "column_header",
    Title => "title",
    EvidenceLine => "evidence_line",
    LinkTarget => "link_target",
    NotJudged => "not_judged",
});

/// A range in a report that is in no claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The byte range in the report.
    pub span: Range<usize>,
    /// The reason that the range is in no claim.
    pub reason: Reason,
}

/// The visible content of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The assertions in report order. Spans can overlap, because a presupposition is inside its sentence.
    pub assertions: Vec<Assertion>,
    /// The ranges outside all assertions, sorted and disjoint.
    pub uncovered: Vec<Uncovered>,
}

impl Document {
    /// Parses a report. Whole lines from `evidence`, and titles whose words occur together in an evidence record,
    /// need no claim. The result is incomplete if the budget is exhausted.
    #[must_use]
    pub fn parse(report: &str, evidence: &[&str], budget: &Budget) -> Self {
        match budget.allocate(report.len().saturating_mul(MEMORY_PER_BYTE)) {
            true => parser::parse(report, evidence, budget),
            false => Self::default(),
        }
    }
}
