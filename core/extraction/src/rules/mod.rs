//! This module checks statements against facts where that takes no judgement: a line repeated word for word, and one
//! value of one thing. It knows nothing of classes, policies or judges.
//!
//! A rule supports a statement, refutes it, or is silent. It is silent wherever a word of the statement is left over,
//! more than one thing could be meant, or two records disagree.

mod index;
mod names;
mod statement;
mod value;
mod verbatim;

use core::ops::Range;

pub use index::Index;

use crate::facts::RecordId;
use statement::Statement;

/// A rule, as named in answers, records and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The statement is a line of the evidence, word for word.
    Verbatim,
    /// The statement gives one thing one value.
    Value,
    /// The statement gives the value's digits in another unit.
    Unit,
}

impl Rule {
    /// The name used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Value => "value",
            Self::Unit => "unit",
        }
    }
}

/// What the facts say of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This place states it.
    Supports(Rule, Place),
    /// This place states something else.
    Refutes(Rule, Place),
    /// Nothing follows.
    Silent,
}

/// A record, and what of it decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The record.
    pub record: RecordId,
    /// Bytes in the content of the record's item; may lie outside the record, as a name in what holds for it does.
    pub spans: Vec<Range<usize>>,
}

impl Index<'_> {
    /// What the facts say of a statement.
    #[must_use]
    pub fn check(&self, text: &str) -> Outcome {
        if let Some(place) = verbatim::line(text, self) {
            return Outcome::Supports(Rule::Verbatim, place);
        }
        Statement::read(text).map_or(Outcome::Silent, |statement| value::check(&statement, self))
    }
}

#[cfg(test)]
mod tests;
