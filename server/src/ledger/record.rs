//! What the ledger takes and gives. It keeps messages as bytes and never looks into them.

use std::sync::Arc;

use super::content::Content;
use super::grades::StoredGrade;
use super::investigations::NewEvent;

/// One evaluation to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The id of the evaluation; an id names one evaluation.
    pub evaluation_id: String,
    /// When it began, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The report as the caller named it; may be empty.
    pub report_id: String,
    /// The investigation as the caller named it; may be empty.
    pub investigation_id: String,
    /// The policy by name.
    pub policy: String,
    /// The judge that judged.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// Numerator and denominator of the score as published; `None` where there is none.
    pub score: Option<(u64, u64)>,
    /// How many claims were counted.
    pub claims: u32,
    /// How many of them as grounded; `None` where that is not known.
    pub grounded: Option<u32>,
    /// Whether the tier did not govern.
    pub in_shadow: bool,
    /// Whether the first judge of the chain failed and another one was asked.
    pub fell_back: bool,
    /// The caller's idempotency key; `None` for none.
    pub idempotency_key: Option<String>,
    /// A digest of the request, by which a reused key is noticed.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// An encoded `gsar.v1.GetEvaluationResponse` in which only `evidence` is set.
    pub evidence: Vec<u8>,
    /// The contents of its evidence to keep whole, each kept once however many evaluations share it.
    pub contents: Vec<Content>,
    /// The policy that applied, as a file; kept once however many evaluations share it.
    pub policy_toml: Arc<str>,
    /// What it means for the investigation it belongs to, durable together with it; `None` where it is not driven.
    pub event: Option<NewEvent>,
}

impl Record {
    /// About how many bytes it takes, its row's short columns included.
    pub(super) fn bytes(&self) -> usize {
        const SHORT_COLUMNS: usize = 512;
        let documents = [&self.report, &self.response, &self.evidence];
        documents.iter().map(|part| part.len()).sum::<usize>()
            + self.contents.iter().map(Content::bytes).sum::<usize>()
            + self.event.as_ref().map_or(0, |event| event.event.len())
            + SHORT_COLUMNS
    }
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is in the ledger now.
    New,
    /// Its idempotency key was there with the same request: nothing was written.
    Replayed {
        /// The `gsar.v1.EvaluateResponse` that was recorded first.
        response: Vec<u8>,
    },
}

/// One evaluation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// For whom it is kept; empty where callers have no names.
    pub owner: String,
    /// The id of the evaluation.
    pub evaluation_id: String,
    /// When it began, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The report as the caller named it.
    pub report_id: String,
    /// The investigation as the caller named it.
    pub investigation_id: String,
    /// The policy by name.
    pub policy: String,
    /// The judge that judged.
    pub judge: String,
    /// The number of a `gsar.v1.Outcome`.
    pub outcome: i32,
    /// The number of a `gsar.v1.Tier`.
    pub tier: i32,
    /// Numerator and denominator of the score as published; `None` where there is none.
    pub score: Option<(u64, u64)>,
    /// How many claims were counted.
    pub claims: u32,
    /// How many of them as grounded; `None` where an earlier version recorded it.
    pub grounded: Option<u32>,
    /// Whether the tier did not govern.
    pub in_shadow: bool,
    /// Whether the first judge of the chain failed and another one was asked.
    pub fell_back: bool,
}

/// One evaluation in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvaluation {
    /// The evaluation as in a list.
    pub summary: Summary,
    /// The caller's idempotency key; `None` for none.
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
    /// What people said of it: of the report first, then by claim id and grader.
    pub grades: Vec<StoredGrade>,
}
