//! This module says how evaluations are read in the order in which they were recorded: a bounded page at a time. It keeps no
//! place: the caller says behind which sequence a page begins.

use super::grades::StoredGrade;
use super::record::Summary;

/// The most evaluations of a page.
pub(super) const MAX_EVALUATIONS: usize = 64;
/// Bytes of documents after which a page takes no more.
pub(super) const PAGE_BYTES: usize = 4 << 20;

/// Which evaluations to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The first instant at which they began, in microseconds since 1970-01-01T00:00:00Z; `None` for no bound.
    pub from_micros: Option<i64>,
    /// The instant before which they began, in the same unit; `None` for no bound.
    pub before_micros: Option<i64>,
    /// Only of this policy by name; `None` for all.
    pub policy: Option<String>,
    /// Only of this judge; `None` for all.
    pub judge: Option<String>,
    /// Only of this tier, as the number of a `gsar.v1.Tier`; `None` for all.
    pub tier: Option<i32>,
    /// Only of this investigation; `None` for all.
    pub investigation_id: Option<String>,
    /// Only with at least one grade.
    pub is_graded: bool,
}

/// One evaluation of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// Its place in the order of recording; never used twice.
    pub sequence: i64,
    /// The evaluation as in a list.
    pub summary: Summary,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// The policy that applied, as a file.
    pub policy_toml: String,
    /// What people said of it: of the report first, then by claim id and grader.
    pub grades: Vec<StoredGrade>,
}
