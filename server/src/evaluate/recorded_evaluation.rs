//! Reads evaluations from the ledger.

use std::sync::Arc;

use gsar_core::time::Timestamp;
use gsar_proto::{render, v1};
use prost::Message as _;
use tonic::Status;

use super::{Engine, redact};
use crate::call::Call;
use crate::compute_pool::compute_briefly;
use crate::errors;
use crate::ledger::{Ledger, NewGrade, StoredGrade, Summary};

impl Engine {
    /// Returns the ledger.
    ///
    /// # Errors
    /// FAILED_PRECONDITION if evaluations are not recorded.
    pub(crate) fn required_ledger(&self) -> Result<&Arc<dyn Ledger>, Status> {
        self.ledger().ok_or_else(|| {
            errors::not_allowed(
                "this server does not record evaluations",
                "set ledger.enabled to true in its configuration",
            )
        })
    }

    /// Reads an evaluation.
    ///
    /// # Errors
    /// NOT_FOUND for an unknown ID, FAILED_PRECONDITION if evaluations are not recorded, UNAVAILABLE if
    /// reading fails.
    pub(crate) async fn stored_evaluation(
        &self,
        id: &str,
    ) -> Result<v1::GetEvaluationResponse, Status> {
        let record = self.required_ledger()?.read(id).await?;
        let stored = record.ok_or_else(|| unknown_evaluation(id))?;
        let evidence_record = v1::GetEvaluationResponse::decode(stored.evidence.as_slice())
            .map_err(invalid_record)?;
        Ok(v1::GetEvaluationResponse {
            evaluation: Some(
                v1::EvaluateResponse::decode(stored.response.as_slice()).map_err(invalid_record)?,
            ),
            report: Some(v1::Report::decode(stored.report.as_slice()).map_err(invalid_record)?),
            evidence: evidence_record.evidence,
            policy_toml: stored.policy_toml,
            grades: stored.grades.into_iter().map(recorded_grade).collect(),
            principal: stored.summary.owner,
        })
    }

    /// Reads an evaluation and redacts it.
    ///
    /// # Errors
    /// Those of [`Engine::stored_evaluation`].
    pub(crate) async fn redacted_evaluation(
        &self,
        call: &Call,
        id: &str,
    ) -> Result<v1::GetEvaluationResponse, Status> {
        let record = self.stored_evaluation(id).await?;
        let redactor = self.redactor.clone();
        compute_briefly(call, record.encoded_len(), move || redact::record(&redactor, &record))
            .await
    }

    /// Reads the content of an evaluation's item. Returns `None` if the ledger has only the item's head.
    ///
    /// # Errors
    /// UNAVAILABLE if reading fails.
    pub(crate) async fn stored_content(
        &self,
        evaluation_id: &str,
        item: &v1::RecordedEvidence,
    ) -> Result<Option<String>, Status> {
        match blake3::Hash::from_hex(&item.digest) {
            Ok(digest) if item.is_whole => {
                Ok(self.required_ledger()?.content(evaluation_id, *digest.as_bytes()).await?)
            }
            _ => Ok(None),
        }
    }
}

pub(crate) fn recorded_grade(stored: StoredGrade) -> v1::RecordedGrade {
    use v1::grade::Subject;
    let StoredGrade { grade: NewGrade { claim_id, verdict, note }, grader, graded_at_micros } =
        stored;
    let subject = if claim_id.is_empty() {
        Subject::Report(v1::ReportGrade { tier: verdict })
    } else {
        Subject::Claim(v1::ClaimGrade { claim_id, class: verdict })
    };
    v1::RecordedGrade {
        grade: Some(v1::Grade { subject: Some(subject), note }),
        grader,
        graded_at: Some(render::timestamp(Timestamp::from_micros(graded_at_micros))),
    }
}

pub(crate) fn unknown_evaluation(id: &str) -> Status {
    errors::unknown("evaluation", id, "`gsar ledger list` shows recorded evaluations")
}

fn invalid_record(error: prost::DecodeError) -> Status {
    errors::ledger_unavailable(&format!("invalid record: {error}"))
}

pub(crate) fn summary(summary: Summary) -> v1::EvaluationSummary {
    v1::EvaluationSummary {
        evaluation_id: summary.evaluation_id,
        evaluated_at: Some(render::timestamp(Timestamp::from_micros(summary.evaluated_at_micros))),
        report_id: summary.report_id,
        investigation_id: summary.investigation_id,
        policy: summary.policy,
        judge: summary.judge,
        outcome: summary.outcome,
        tier: summary.tier,
        score: summary.score.map(|(numerator, denominator)| v1::Score {
            value: numerator as f64 / denominator as f64,
            numerator,
            denominator,
        }),
        claims: summary.claims,
        principal: summary.owner,
        in_shadow: summary.in_shadow,
        grounded: summary.grounded,
        fell_back: summary.fell_back,
    }
}
