//! Checks statements against facts where no judgement is needed: a line repeated word for word, and one value of one
//! entity. Does not depend on classes, policies or judges.
//!
//! A rule supports a statement, refutes it, or is silent. It is silent if a word of the statement is left over, if the
//! statement may mean more than one entity, or if two records disagree.

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
    /// The statement gives one entity one value.
    Value,
    /// The statement gives the digits of the value in another unit.
    Unit,
}

impl Rule {
    /// Returns the name used in output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Value => "value",
            Self::Unit => "unit",
        }
    }
}

/// The result of checking a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The facts at this place state it.
    Supports(Rule, Location),
    /// The facts at this place state something else.
    Refutes(Rule, Location),
    /// The facts do not decide it.
    Silent,
}

/// A record, and the bytes that decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The record.
    pub record: RecordId,
    /// Bytes in the content of the record's item. May lie outside the record, such as the name of its parent.
    pub spans: Vec<Range<usize>>,
}

impl Index<'_> {
    /// Checks a statement against the facts.
    #[must_use]
    pub fn check(&self, text: &str) -> Outcome {
        if let Some(location) = verbatim::find_line(text, self) {
            return Outcome::Supports(Rule::Verbatim, location);
        }
        Statement::parse(text).map_or(Outcome::Silent, |statement| value::check(&statement, self))
    }
}

#[cfg(test)]
mod tests;
