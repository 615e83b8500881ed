//! Records of evaluations, as the ledger takes and returns them. Messages are bytes.

use std::sync::Arc;

use super::content::Content;
use super::grades::StoredGrade;
use super::investigations::NewEvent;

/// One evaluation to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The id of the evaluation; unique.
    pub evaluation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The caller's id of the report; may be empty.
    pub report_id: String,
    /// The caller's id of the investigation; may be empty.
    pub investigation_id: String,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// Numerator and denominator of the published score; `None` without a score.
    pub score: Option<(u64, u64)>,
    /// The number of counted claims.
    pub claims: u32,
    /// The number of claims counted as grounded; `None` if unknown.
    pub grounded: Option<u32>,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the first judge of the chain failed and another one was used.
    pub fell_back: bool,
    /// The caller's idempotency key.
    pub idempotency_key: Option<String>,
    /// A digest of the request, to detect a reused key.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// An encoded `gsar.v1.GetEvaluationResponse` in which only `evidence` is set.
    pub evidence: Vec<u8>,
    /// Full contents of its evidence; each is stored once for all evaluations that share it.
    pub contents: Vec<Content>,
    /// The policy that applied, as a file; stored once for all evaluations that share it.
    pub policy_toml: Arc<str>,
    /// The event of its investigation, recorded in the same transaction; `None` if no investigation is driven.
    pub event: Option<NewEvent>,
}

impl Record {
    /// The approximate size in bytes, including the short columns.
    pub(super) fn bytes(&self) -> usize {
        const SHORT_COLUMNS: usize = 512;
        let documents = [&self.report, &self.response, &self.evidence];
        documents.iter().map(|part| part.len()).sum::<usize>()
            + self.contents.iter().map(Content::bytes).sum::<usize>()
            + self.event.as_ref().map_or(0, |event| event.event.len())
            + SHORT_COLUMNS
    }
}

/// The outcome of recording an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It was written.
    New,
    /// Its idempotency key was recorded before with the same request: nothing was written.
    Replayed {
        /// The `gsar.v1.EvaluateResponse` recorded first.
        response: Vec<u8>,
    },
}

/// One evaluation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The principal that owns it; empty without principals.
    pub owner: String,
    /// The id of the evaluation.
    pub evaluation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The caller's id of the report.
    pub report_id: String,
    /// The caller's id of the investigation.
    pub investigation_id: String,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// Numerator and denominator of the published score; `None` without a score.
    pub score: Option<(u64, u64)>,
    /// The number of counted claims.
    pub claims: u32,
    /// The number of claims counted as grounded; `None` if unknown.
    pub grounded: Option<u32>,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the first judge of the chain failed and another one was used.
    pub fell_back: bool,
}

/// One evaluation in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvaluation {
    /// The evaluation as in a list.
    pub summary: Summary,
    /// The caller's idempotency key.
    pub idempotency_key: Option<String>,
    /// The digest of the request.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// An encoded `gsar.v1.GetEvaluationResponse` in which only `evidence` is set.
    pub evidence: Vec<u8>,
    /// The policy that applied, as a file.
    pub policy_toml: String,
    /// Grades given by people: of the report first, then by claim id and grader.
    pub grades: Vec<StoredGrade>,
}
