//! Validates messages and parses them into core types, without I/O.
//!
//! All violations are added to [`Violations`](crate::violations::Violations) under the path of the field
//! (`evidence[3].json`). A value that is returned together with violations may be incomplete and must not be used.

mod cap;
mod check;
mod counts;
mod evaluations;
mod evidence;
mod export;
mod field;
mod gate;
mod grades;
mod graph;
mod json_document;
mod limits;
mod list;
mod overrides;
mod partition;
mod path;
mod recorded;
mod report;
mod search;
mod time;
mod verdict;

pub use cap::{ParsedCap, cap_confidence};
pub use check::{checks, normalize_item};
pub use counts::{ParsedCounts, counts};
pub use evaluations::{
    ParsedEvaluationFilter, count_interval, evaluation_filter, listed_evaluations,
};
pub use evidence::{evidence, evidence_item};
pub use export::{ParsedExport, export};
pub use field::{name, required};
pub use gate::{NamedItem, ParsedGate, gate_inputs};
pub use grades::{GradedSubject, ParsedGrade, ParsedGrades, grades};
pub use graph::{ParsedBelief, ParsedGraph, ParsedObservation, beliefs, graph, graph_additions};
pub use limits::Limits;
pub use overrides::overrides;
pub use partition::{ParsedPartition, judged_partition};
pub use recorded::{CorruptRecord, RecordedPartition, recorded_partition};
pub use report::{MAX_CANDIDATES, ParsedReport, candidates, report};
pub use search::{ParsedSearch, search};
pub use verdict::{ParsedToolResult, classify_verdict};
