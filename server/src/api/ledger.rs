//! This module serves `gsar.v1.LedgerService`.

use futures_util::stream::BoxStream;
use gsar_core::time::Timestamp;
use gsar_proto::v1::ledger_service_server::LedgerService;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::{Request, Response, Status};

use super::services::{Engines, call};
use super::{export, grades};
use crate::errors;
use crate::evaluate::{self, now, refused};
use crate::export::Export;
use crate::ledger::{Filter, LedgerError, Summary};
use crate::lifecycle::PhaseCell;

/// The service, and the phase by which exports end when the server drains.
pub(super) struct LedgerReader {
    pub(super) engines: Engines,
    pub(super) phase: PhaseCell,
}

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
        let engine = self.engines.of_request(&request)?;
        let filter = filter(request.into_inner())?;
        let page = engine.recording()?.list(filter).await.map_err(|error| match error {
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
        let engine = self.engines.of_request(&request)?;
        let id = request.into_inner().evaluation_id;
        engine.stored_evaluation(&id).await.map(Response::new)
    }

    async fn get_evaluation_evidence(
        &self,
        request: Request<v1::GetEvaluationEvidenceRequest>,
    ) -> Result<Response<v1::GetEvaluationEvidenceResponse>, Status> {
        let engine = self.engines.of_request(&request)?;
        let v1::GetEvaluationEvidenceRequest { evaluation_id, evidence_id } = request.into_inner();
        let stored = engine.stored_evaluation(&evaluation_id).await?;
        let item = stored.evidence.into_iter().find(|item| item.id == evidence_id);
        let item = item.ok_or_else(|| {
            errors::unknown(
                "evidence item",
                &evidence_id,
                "`gsar ledger show --output json` lists those of the evaluation",
            )
        })?;
        let content = engine.stored_content(&evaluation_id, &item).await?;
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
        let engine = self.engines.of_request(&request)?;
        let id = request.into_inner().evaluation_id;
        let deleted = engine.recording()?.delete(&id).await.map_err(|error| refused(&error))?;
        if deleted {
            Ok(Response::new(v1::DeleteEvaluationResponse {}))
        } else {
            Err(evaluate::unknown(&id))
        }
    }

    async fn grade(
        &self,
        request: Request<v1::GradeRequest>,
    ) -> Result<Response<v1::GradeResponse>, Status> {
        let engine = self.engines.of_request(&request)?;
        let ledger = engine.recording()?;
        let mut violations = Violations::default();
        let parsed = parse::grades(request.into_inner(), engine.limits(), &mut violations);
        let parsed = violations.finish(parsed)?;
        let id = parsed.evaluation_id.clone();
        let stored = engine.stored_evaluation(&id).await?;
        let claims = stored.evaluation.unwrap_or_default().claims;
        let graded_at = now();
        let grades = grades::checked(parsed, &claims, graded_at)?;
        // It may have been deleted meanwhile.
        if !ledger.grade(grades).await.map_err(|error| refused(&error))? {
            return Err(evaluate::unknown(&id));
        }
        engine.forget_graded_claims();
        Ok(Response::new(v1::GradeResponse { graded_at: Some(render::timestamp(graded_at)) }))
    }

    type ExportStream = BoxStream<'static, Result<v1::ExportResponse, Status>>;

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let call = call(request.extensions())?;
        let export =
            Export::new(self.engines.of(&call).recording()?.clone(), request.into_inner())?;
        Ok(Response::new(export::stream(export, call, self.phase.clone())))
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
    let graded = v1::GradedFilter::try_from(request.graded);
    if graded.is_err() {
        let description = format!(
            "{} is unknown; give 0 for all, 1 for graded, 2 for not graded",
            request.graded
        );
        violations.add("graded", description);
    }
    let given = |text: String| (!text.is_empty()).then_some(text);
    let page_size = usize::try_from(request.page_size).unwrap_or(DEFAULT_PAGE);
    violations.finish(Some(Filter {
        tier: (request.tier != 0).then_some(request.tier),
        report_id: given(request.report_id),
        investigation_id: given(request.investigation_id),
        graded: match graded {
            Ok(v1::GradedFilter::Graded) => Some(true),
            Ok(v1::GradedFilter::NotGraded) => Some(false),
            Ok(v1::GradedFilter::Unspecified) | Err(_) => None,
        },
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
        principal: summary.owner,
    }
}
