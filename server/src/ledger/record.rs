//! Recorded evaluations. Protobuf messages are stored as bytes.

use std::sync::Arc;

use super::evidence_content::Content;
use super::grades::StoredGrade;
use super::investigations::NewEvent;

/// An evaluation to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The unique id of the evaluation.
    pub evaluation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The caller's report id; may be empty.
    pub report_id: String,
    /// The caller's investigation id; may be empty.
    pub investigation_id: String,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// A `gsar.v1.Outcome`.
    pub outcome: i32,
    /// A `gsar.v1.Tier`.
    pub tier: i32,
    /// The numerator and denominator of the published score, if any.
    pub score: Option<(u64, u64)>,
    /// The number of counted claims.
    pub claims: u32,
    /// The number of grounded claims, if known.
    pub grounded: Option<u32>,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the chain's first judge failed and another one was used.
    pub fell_back: bool,
    /// The caller's idempotency key.
    pub idempotency_key: Option<String>,
    /// A digest of the request, to detect reuse of the key for another request.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// An encoded `gsar.v1.GetEvaluationResponse` with only `evidence` set.
    pub evidence: Vec<u8>,
    /// Evidence contents to store in full. Evaluations share equal contents.
    pub contents: Vec<Content>,
    /// The applied policy as TOML.
    pub policy_toml: Arc<str>,
    /// The event of its investigation, recorded in the same transaction, or `None` outside driven
    /// investigations.
    pub event: Option<NewEvent>,
}

impl Record {
    pub(super) fn byte_count(&self) -> usize {
        const SHORT_COLUMNS: usize = 512;
        let documents = [&self.report, &self.response, &self.evidence];
        documents.iter().map(|document| document.len()).sum::<usize>()
            + self.contents.iter().map(Content::byte_count).sum::<usize>()
            + self.event.as_ref().map_or(0, |event| event.event.len())
            + SHORT_COLUMNS
    }
}

#[cfg(test)]
impl Record {
    pub(super) fn sample(number: u32) -> Self {
        Self {
            evaluation_id: format!("evaluation-{number}"),
            evaluated_at_micros: i64::from(number),
            report_id: "report".to_owned(),
            investigation_id: String::new(),
            policy: "reference".to_owned(),
            judge: "rules/2".to_owned(),
            outcome: 1,
            tier: 1,
            score: Some((6, 7)),
            claims: 3,
            grounded: Some(3),
            in_shadow: false,
            fell_back: false,
            idempotency_key: None,
            request_digest: [0; 32],
            report: vec![1; 600],
            response: vec![2; 600],
            evidence: vec![3; 600],
            contents: Vec::new(),
            policy_toml: "name = \"reference\"\n".into(),
            event: None,
        }
    }
}

/// The outcome of recording an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The evaluation was recorded.
    New,
    /// The idempotency key was already recorded with the same request. Nothing was written.
    Replayed {
        /// The recorded `gsar.v1.EvaluateResponse`.
        response: Vec<u8>,
    },
}

/// One evaluation in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The name of the owner; empty if there are no principals.
    pub owner: String,
    /// The id of the evaluation.
    pub evaluation_id: String,
    /// The start time, in microseconds since 1970-01-01T00:00:00Z.
    pub evaluated_at_micros: i64,
    /// The caller's report id.
    pub report_id: String,
    /// The caller's investigation id.
    pub investigation_id: String,
    /// The name of the policy.
    pub policy: String,
    /// The name of the judge.
    pub judge: String,
    /// A `gsar.v1.Outcome`.
    pub outcome: i32,
    /// A `gsar.v1.Tier`.
    pub tier: i32,
    /// The numerator and denominator of the published score, if any.
    pub score: Option<(u64, u64)>,
    /// The number of counted claims.
    pub claims: u32,
    /// The number of grounded claims, if known.
    pub grounded: Option<u32>,
    /// `true` if the tier was not enforced.
    pub in_shadow: bool,
    /// `true` if the chain's first judge failed and another one was used.
    pub fell_back: bool,
}

/// An evaluation with all its documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvaluation {
    /// The summary, as in a list.
    pub summary: Summary,
    /// The caller's idempotency key.
    pub idempotency_key: Option<String>,
    /// The digest of the request.
    pub request_digest: [u8; 32],
    /// An encoded `gsar.v1.Report`.
    pub report: Vec<u8>,
    /// An encoded `gsar.v1.EvaluateResponse`.
    pub response: Vec<u8>,
    /// An encoded `gsar.v1.GetEvaluationResponse` with only `evidence` set.
    pub evidence: Vec<u8>,
    /// The applied policy as TOML.
    pub policy_toml: String,
    /// The grades for the report, then the grades for claims in order of claim id and grader.
    pub grades: Vec<StoredGrade>,
}
