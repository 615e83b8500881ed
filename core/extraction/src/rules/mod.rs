//! Checks statements against facts without a judge. The result does not depend on classes, policies or judges.
//!
//! A rule supports or refutes a statement that repeats a line verbatim or assigns one value to one entity. It
//! is silent if a word is unaccounted for, if several entities match, or if records disagree.

mod index;
mod names;
mod repeated_lines;
mod statement;
mod value;

use core::ops::Range;

pub use index::Index;

use crate::facts::RecordId;
use statement::Statement;

/// A rule. Its name appears in answers, records and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The statement repeats a line from the evidence.
    Verbatim,
    /// The statement assigns a value to an entity.
    Value,
    /// The statement contains the digits of the value with a different unit.
    Unit,
}

names!(Rule { Verbatim => "verbatim", Value => "value", Unit => "unit" });

/// The result of checking a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The facts at this location agree with the statement.
    Supports(Rule, Location),
    /// The facts at this location contradict the statement.
    Refutes(Rule, Location),
    /// The facts do not decide the statement.
    Silent,
}

/// A record, and the ranges that decide a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The record.
    pub record: RecordId,
    /// Byte ranges in the content of the record's item. They can be outside the record, for example in its parent's
    /// name.
    pub spans: Vec<Range<usize>>,
}

impl Index<'_> {
    /// Checks a statement against the facts.
    #[must_use]
    pub fn check(&self, text: &str) -> Outcome {
        if let Some(location) = repeated_lines::find_line(text, self) {
            return Outcome::Supports(Rule::Verbatim, location);
        }
        Statement::parse(text).map_or(Outcome::Silent, |statement| value::check(&statement, self))
    }
}

#[cfg(test)]
mod tests;
