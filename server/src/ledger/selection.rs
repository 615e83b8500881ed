//! Selections of evaluations, and pages of them.

use std::num::NonZeroUsize;

use super::grades::StoredGrade;
use super::record::Summary;

/// The SQL condition for evaluations with grades, in both engines.
pub(super) const IS_GRADED: &str =
    "EXISTS (SELECT 1 FROM grades WHERE grades.sequence = evaluations.sequence)";
/// The size of documents after which a page of entries ends, in bytes.
pub(super) const PAGE_BYTES: usize = 4 << 20;

/// Selects evaluations. A field that is `None` selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The tier, as the number of a `gsar.v1.Tier`.
    pub tier: Option<i32>,
    /// The id of the report.
    pub report_id: Option<String>,
    /// The id of the investigation.
    pub investigation_id: Option<String>,
    /// The name of the policy.
    pub policy: Option<String>,
    /// The name of the judge.
    pub judge: Option<String>,
    /// The name of the principal that owns the evaluation.
    pub principal: Option<String>,
    /// The first start time, in microseconds since 1970-01-01T00:00:00Z.
    pub from_micros: Option<i64>,
    /// The start time before which evaluations are selected, in the same unit.
    pub before_micros: Option<i64>,
    /// `true` for evaluations with grades, `false` for those without.
    pub graded: Option<bool>,
    /// `true` for reports that could be sent without every claim grounded: they proceeded with a claim that is not
    /// grounded, or were in shadow and did not proceed. An unknown number of grounded claims counts as too few.
    pub unproven_only: bool,
}

impl Selection {
    /// Returns the texts that are compared.
    pub(super) fn texts(&self) -> [&Option<String>; 5] {
        [&self.report_id, &self.investigation_id, &self.policy, &self.judge, &self.principal]
    }
}

/// A position in the order of recording, and the direction in which a page is read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Evaluations recorded before that sequence, newest first.
    Before(i64),
    /// Evaluations recorded after that sequence, oldest first.
    After(i64),
}

impl Cursor {
    /// All evaluations, newest first.
    pub const NEWEST: Self = Self::Before(i64::MAX);
    /// All evaluations, oldest first.
    pub const OLDEST: Self = Self::After(0);

    /// The position.
    pub(super) fn sequence(self) -> i64 {
        let (Self::Before(sequence) | Self::After(sequence)) = self;
        sequence
    }

    /// The condition on a row, with `?` for [`sequence`](Self::sequence).
    pub(super) fn condition(self) -> &'static str {
        match self {
            Self::Before(_) => "sequence < ?",
            Self::After(_) => "sequence > ?",
        }
    }

    /// The order of the rows.
    pub(super) fn order(self) -> &'static str {
        match self {
            Self::Before(_) => "ORDER BY sequence DESC",
            Self::After(_) => "ORDER BY sequence",
        }
    }

    /// The cursor behind a row, in the same direction.
    pub(super) fn behind(self, sequence: i64) -> Self {
        match self {
            Self::Before(_) => Self::Before(sequence),
            Self::After(_) => Self::After(sequence),
        }
    }
}

/// Requests one page of evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The evaluations to read.
    pub selection: Selection,
    /// The position and the order.
    pub cursor: Cursor,
    /// The maximum number of evaluations.
    pub limit: NonZeroUsize,
}

/// One page of evaluations, in the order of its cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The evaluations; fewer than the limit on the last page, and where they are large.
    pub evaluations: Vec<T>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<Cursor>,
}

/// Selects whether entries include the report, the largest document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// Entries include it.
    Include,
    /// Entries omit it, and it is not read.
    Omit,
}

impl Reports {
    /// Returns the SQL expression for the report, or an empty one.
    pub(super) fn column(self, omitted: &'static str) -> &'static str {
        match self {
            Self::Include => "report",
            Self::Omit => omitted,
        }
    }
}

/// An evaluation with its documents and grades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its position in the order of recording; never reused.
    pub sequence: i64,
    /// The evaluation as in a list.
    pub summary: Summary,
    /// An encoded `gsar.v1.Report`; `None` with [`Reports::Omit`].
    pub report: Option<Vec<u8>>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// The policy that applied, as a file.
    pub policy_toml: String,
    /// Grades given by people: of the report first, then by claim id and grader.
    pub grades: Vec<StoredGrade>,
}

/// The number of evaluations of an interval with the same decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The start of the interval, in microseconds since 1970-01-01T00:00:00Z; 0 for a single interval.
    pub from_micros: i64,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the first judge of the chain failed and another one was used.
    pub fell_back: bool,
    /// The number of evaluations.
    pub evaluations: u64,
}

/// The maximum number of counts of one answer.
pub const MAX_COUNTS: usize = 10_000;
