//! What a rule finds, before it becomes a verdict.

use std::cell::{OnceCell, RefCell};

use gsar_core::Class;
use gsar_core::text::figures::Date;

use crate::claim::reading::Reading;
use crate::evidence::cache::Cache;
use crate::evidence::observations::Corpus;
use crate::matching::candidates::{Candidate, Marks};

/// One claim with everything that the rules look at.
pub(crate) struct Case<'a, 'e, 'c> {
    pub(crate) corpus: &'a Corpus<'e>,
    pub(crate) cache: &'a Cache<'e>,
    pub(crate) marks: &'a Marks,
    pub(crate) reading: &'a Reading<'c>,
    pub(crate) candidates: &'a [Candidate],
    /// Room to look up the contraries of the claim.
    pub(crate) room: &'a Room,
    /// The day of the incident, where the evidence agrees on one.
    pub(crate) day: Option<Date>,
}

/// Marks for the contraries of claims, made when the first is asked about.
pub(crate) type Room = OnceCell<RefCell<Marks>>;

/// Something to cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cite {
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
pub(crate) enum Basis {
    /// The evidence states it.
    Stated,
    /// It follows by counting, order or an extreme.
    Derived,
    /// The samples of a series show it.
    Measured,
    /// It was looked for and is not there.
    Absent,
}

/// A finding that decides.
#[derive(Clone, Debug)]
pub(crate) struct Ruling {
    pub(crate) class: Class,
    pub(crate) basis: Basis,
    pub(crate) cites: Vec<Cite>,
    pub(crate) note: String,
}

impl Ruling {
    pub(crate) fn grounded(basis: Basis, cites: Vec<Cite>, note: String) -> Self {
        Self { class: Class::Grounded, basis, cites, note }
    }

    pub(crate) fn contradicted(basis: Basis, cites: Vec<Cite>, note: String) -> Self {
        Self { class: Class::Contradicted, basis, cites, note }
    }
}
