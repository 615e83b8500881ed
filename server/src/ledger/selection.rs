//! Selections and pages of evaluations.

use std::num::NonZeroUsize;

use gsar_core::time::Timestamp;
use gsar_proto::enums::Enumeration;
use gsar_proto::parse::ParsedEvaluationFilter;

use super::grades::StoredGrade;
use super::record::Summary;

/// The SQL condition for graded evaluations.
pub(super) const IS_GRADED: &str =
    "EXISTS (SELECT 1 FROM grades WHERE grades.sequence = evaluations.sequence)";
/// The total size of documents above which a page of entries ends, in bytes.
pub(super) const PAGE_BYTES: usize = 4 << 20;

/// A filter for evaluations. Fields that are `None` match all evaluations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The number of a `gsar.v1.Tier`.
    pub tier: Option<i32>,
    /// The report id.
    pub report_id: Option<String>,
    /// The investigation id.
    pub investigation_id: Option<String>,
    /// The name of the policy.
    pub policy: Option<String>,
    /// The name of the judge.
    pub judge: Option<String>,
    /// The name of the owner.
    pub principal: Option<String>,
    /// The earliest start time, in microseconds since 1970-01-01T00:00:00Z.
    pub from_micros: Option<i64>,
    /// The exclusive upper limit of the start time, in the same unit.
    pub before_micros: Option<i64>,
    /// `true` for evaluations with grades, `false` for evaluations without.
    pub graded: Option<bool>,
    /// Selects reports that could be sent although not every claim is known to be grounded: they proceeded, or
    /// were in shadow mode and did not proceed.
    pub unproven_only: bool,
}

impl Selection {
    pub(super) fn texts(&self) -> [&Option<String>; 5] {
        [&self.report_id, &self.investigation_id, &self.policy, &self.judge, &self.principal]
    }
}

impl From<ParsedEvaluationFilter> for Selection {
    fn from(filter: ParsedEvaluationFilter) -> Self {
        let non_empty = |text: String| (!text.is_empty()).then_some(text);
        Self {
            tier: filter.tier.map(Enumeration::number),
            report_id: non_empty(filter.report_id),
            investigation_id: non_empty(filter.investigation_id),
            policy: non_empty(filter.policy),
            judge: non_empty(filter.judge),
            principal: non_empty(filter.principal),
            from_micros: filter.from.map(Timestamp::as_micros),
            before_micros: filter.before.map(Timestamp::as_micros),
            graded: filter.graded,
            unproven_only: filter.unproven_only,
        }
    }
}

/// A position in recording order, and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cursor {
    /// Evaluations recorded before a sequence, newest first.
    Before(i64),
    /// Evaluations recorded after a sequence, oldest first.
    After(i64),
}

impl Cursor {
    /// All evaluations, newest first.
    pub const NEWEST: Self = Self::Before(i64::MAX);
    /// All evaluations, oldest first.
    pub const OLDEST: Self = Self::After(0);

    pub(super) fn sequence(self) -> i64 {
        let (Self::Before(sequence) | Self::After(sequence)) = self;
        sequence
    }

    /// Returns the SQL condition on a row, with `?` for [`sequence`](Self::sequence).
    pub(super) fn condition(self) -> &'static str {
        match self {
            Self::Before(_) => "sequence < ?",
            Self::After(_) => "sequence > ?",
        }
    }

    pub(super) fn order(self) -> &'static str {
        match self {
            Self::Before(_) => "ORDER BY sequence DESC",
            Self::After(_) => "ORDER BY sequence",
        }
    }

    /// Returns the cursor after a row, in the same direction.
    pub(super) fn after_row(self, sequence: i64) -> Self {
        match self {
            Self::Before(_) => Self::Before(sequence),
            Self::After(_) => Self::After(sequence),
        }
    }
}

/// A request for one page of evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The filter.
    pub selection: Selection,
    /// The position and the direction.
    pub cursor: Cursor,
    /// The maximum number of evaluations.
    pub limit: NonZeroUsize,
}

/// A page of evaluations in the order of its cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The evaluations. A page can be shorter than the limit if it is the last page or its documents are
    /// large.
    pub evaluations: Vec<T>,
    /// The cursor of the next page, or `None` on the last page.
    pub next: Option<Cursor>,
}

/// Selects whether entries contain the report, their largest document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reports {
    /// Reads the report.
    Include,
    /// Skips the report.
    Omit,
}

impl Reports {
    /// Returns the SQL expression for the report.
    pub(super) fn column(self, omitted_expression: &'static str) -> &'static str {
        match self {
            Self::Include => "report",
            Self::Omit => omitted_expression,
        }
    }
}

/// An evaluation with its response, policy and grades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position in recording order.
    pub sequence: i64,
    /// The summary, as in a list.
    pub summary: Summary,
    /// An encoded `gsar.v1.Report`, unless omitted.
    pub report: Option<Vec<u8>>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// The applied policy as TOML.
    pub policy_toml: String,
    /// The grades for the report, then the grades for claims in order of claim id and grader.
    pub grades: Vec<StoredGrade>,
}

/// The number of evaluations with the same decision in an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The start of the interval, in microseconds since 1970-01-01T00:00:00Z; 0 if there are no intervals.
    pub from_micros: i64,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// A `gsar.v1.Outcome`.
    pub outcome: i32,
    /// A `gsar.v1.Tier`.
    pub tier: i32,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the chain's first judge failed and another one was used.
    pub fell_back: bool,
    /// The number of evaluations.
    pub evaluations: u64,
}

/// The maximum number of counts returned to a client.
pub const MAX_COUNTS: usize = 10_000;
