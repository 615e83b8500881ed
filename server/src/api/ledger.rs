//! This module serves `gsar.v1.LedgerService`.

use std::sync::Arc;

use gsar_core::time::Timestamp;
use gsar_proto::v1::ledger_service_server::LedgerService;
use gsar_proto::violations::Violations;
use gsar_proto::{render, v1};
use tonic::{Request, Response, Status};

use crate::errors;
use crate::evaluate::{self, Engine, refused};
use crate::ledger::{Filter, LedgerError, Summary};

pub(super) struct LedgerReader(pub(super) Arc<Engine>);

/// The evaluations of a page where the request does not say how many.
const DEFAULT_PAGE: usize = 50;
/// The most evaluations of a page.
const MAX_PAGE: u32 = 1000;

#[tonic::async_trait]
impl LedgerService for LedgerReader {
    async fn list_evaluations(
        &self,
        request: Request<v1::ListEvaluationsRequest>,
    ) -> Result<Response<v1::ListEvaluationsResponse>, Status> {
        let filter = filter(request.into_inner())?;
        let page = self.0.recording()?.list(filter).await.map_err(|error| match error {
            LedgerError::InvalidPageToken { .. } => {
                let mut violations = Violations::default();
                violations.add("page_token", error);
                violations.into_status()
            }
            error => refused(&error),
        })?;
        Ok(Response::new(v1::ListEvaluationsResponse {
            evaluations: page.evaluations.into_iter().map(summary).collect(),
            next_page_token: page.next_page_token.unwrap_or_default(),
        }))
    }

    async fn get_evaluation(
        &self,
        request: Request<v1::GetEvaluationRequest>,
    ) -> Result<Response<v1::GetEvaluationResponse>, Status> {
        let id = request.into_inner().evaluation_id;
        self.0.stored_evaluation(&id).await.map(Response::new)
    }

    async fn get_evaluation_evidence(
        &self,
        request: Request<v1::GetEvaluationEvidenceRequest>,
    ) -> Result<Response<v1::GetEvaluationEvidenceResponse>, Status> {
        let v1::GetEvaluationEvidenceRequest { evaluation_id, evidence_id } = request.into_inner();
        let stored = self.0.stored_evaluation(&evaluation_id).await?;
        let item = stored.evidence.into_iter().find(|item| item.id == evidence_id);
        let item = item.ok_or_else(|| {
            errors::unknown(
                "evidence item",
                &evidence_id,
                "`gsar ledger show --output json` lists those of the evaluation",
            )
        })?;
        let content = self.0.stored_content(&evaluation_id, &item).await?;
        let content = content.ok_or_else(|| {
            errors::not_allowed(
                "the ledger keeps no more of this item than its head",
                "have ledger.evidence set to full; it holds for evaluations from then on",
            )
        })?;
        let item = Some(evaluate::item(item, content));
        Ok(Response::new(v1::GetEvaluationEvidenceResponse { item }))
    }

    async fn delete_evaluation(
        &self,
        request: Request<v1::DeleteEvaluationRequest>,
    ) -> Result<Response<v1::DeleteEvaluationResponse>, Status> {
        let id = request.into_inner().evaluation_id;
        let deleted =
            self.0.recording()?.delete(id.clone()).await.map_err(|error| refused(&error))?;
        if deleted {
            Ok(Response::new(v1::DeleteEvaluationResponse {}))
        } else {
            Err(evaluate::unknown(&id))
        }
    }
}

fn filter(request: v1::ListEvaluationsRequest) -> Result<Filter, Status> {
    let mut violations = Violations::default();
    if request.page_size > MAX_PAGE {
        let description = format!("{} is above {MAX_PAGE}; ask for less", request.page_size);
        violations.add("page_size", description);
    }
    if v1::Tier::try_from(request.tier).is_err() {
        violations.add("tier", format!("{} is no tier; give 0 for all, or 1 to 4", request.tier));
    }
    let given = |text: String| (!text.is_empty()).then_some(text);
    let page_size = usize::try_from(request.page_size).unwrap_or(DEFAULT_PAGE);
    violations.finish(Some(Filter {
        tier: (request.tier != 0).then_some(request.tier),
        report_id: given(request.report_id),
        investigation_id: given(request.investigation_id),
        page_size: if page_size == 0 { DEFAULT_PAGE } else { page_size },
        page_token: given(request.page_token),
    }))
}

fn summary(summary: Summary) -> v1::EvaluationSummary {
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
    }
}
