//! What a rule finds, before it becomes a verdict.

use gsar_core::Class;
use gsar_core::text::figures::Date;

use super::cache::Cache;
use super::candidates::{Candidate, Marks};
use super::observations::Corpus;
use super::reading::Reading;

/// One claim with everything that the rules look at.
pub(super) struct Case<'a, 'e, 'c> {
    pub(super) corpus: &'a Corpus<'e>,
    pub(super) cache: &'a Cache<'e>,
    pub(super) marks: &'a Marks,
    pub(super) reading: &'a Reading<'c>,
    pub(super) candidates: &'a [Candidate],
    /// The day of the incident, where the evidence agrees on one.
    pub(super) day: Option<Date>,
}

/// Something to cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cite {
    /// A field.
    Field(u32),
    /// A sample of a series.
    Sample {
        /// The series.
        series: u32,
        /// The sample.
        sample: u32,
    },
    /// A whole item, by its number.
    Item(u32),
}

/// How a rule came to its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    /// The evidence states it.
    Stated,
    /// It follows by counting, order or an extreme.
    Derived,
    /// It was looked for and is not there.
    Absent,
}

/// A finding that decides.
#[derive(Clone, Debug)]
pub(super) struct Ruling {
    pub(super) class: Class,
    pub(super) basis: Basis,
    pub(super) cites: Vec<Cite>,
    pub(super) note: String,
}

impl Ruling {
    pub(super) fn grounded(basis: Basis, cites: Vec<Cite>, note: String) -> Self {
        Self { class: Class::Grounded, basis, cites, note }
    }

    pub(super) fn contradicted(basis: Basis, cites: Vec<Cite>, note: String) -> Self {
        Self { class: Class::Contradicted, basis, cites, note }
    }
}
