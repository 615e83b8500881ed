//! Serves `gsar.v1.LedgerService`.

use std::num::NonZeroUsize;

use futures_util::stream::BoxStream;
use gsar_core::time::Timestamp;
use gsar_proto::v1::ledger_service_server::LedgerService;
use gsar_proto::violations::Violations;
use gsar_proto::{parse, render, v1};
use tonic::{Request, Response, Status};

use super::services::{Engines, call};
use super::{export, grades};
use crate::errors;
use crate::evaluate::{self, PolicyUse, now, summary};
use crate::export::Export;
use crate::ledger::{Count, MAX_COUNTS, PageRequest, Selection};
use crate::rescore::MAX_DECIDED;
use crate::server_phase::PhaseCell;

/// The service. It ends exports when `phase` reaches draining.
pub(super) struct LedgerHandler {
    pub(super) engines: Engines,
    pub(super) phase: PhaseCell,
}

/// The page size if the request's page size is 0.
const DEFAULT_PAGE: NonZeroUsize = NonZeroUsize::new(50).unwrap();
const MAX_PAGE: u32 = 1000;

#[tonic::async_trait]
impl LedgerService for LedgerHandler {
    async fn list_evaluations(
        &self,
        request: Request<v1::ListEvaluationsRequest>,
    ) -> Result<Response<v1::ListEvaluationsResponse>, Status> {
        let engine = self.engines.for_request(&request)?;
        let page_request = page_request(request.into_inner())?;
        let selection = page_request.selection.clone();
        let page = engine.required_ledger()?.list(page_request).await?;
        let next_page_token = page.next.map(|next| selection.page_token(next));
        Ok(Response::new(v1::ListEvaluationsResponse {
            evaluations: page.evaluations.into_iter().map(summary).collect(),
            next_page_token: next_page_token.unwrap_or_default(),
        }))
    }

    async fn count_evaluations(
        &self,
        request: Request<v1::CountEvaluationsRequest>,
    ) -> Result<Response<v1::CountEvaluationsResponse>, Status> {
        let engine = self.engines.for_request(&request)?;
        let v1::CountEvaluationsRequest { evaluations, interval } = request.into_inner();
        let mut violations = Violations::default();
        let filter = parse::evaluation_filter(evaluations, &mut violations);
        let interval = parse::count_interval(interval, &mut violations);
        let (filter, interval) = violations.finish(filter.zip(interval))?;
        let counts = engine.required_ledger()?.counts(filter.into(), interval).await?;
        if counts.len() > MAX_COUNTS {
            let description = format!(
                "yields more than {MAX_COUNTS} counts; use a longer interval or a shorter period"
            );
            return Err(errors::invalid_field("interval", description));
        }
        let counts =
            counts.into_iter().map(|count| render_count(count, interval.is_some())).collect();
        Ok(Response::new(v1::CountEvaluationsResponse { counts }))
    }

    async fn get_evaluation(
        &self,
        request: Request<v1::GetEvaluationRequest>,
    ) -> Result<Response<v1::GetEvaluationResponse>, Status> {
        let call = call(request.extensions())?;
        let engine = self.engines.for_call(&call);
        let v1::GetEvaluationRequest { evaluation_id: id, redact } = request.into_inner();
        let record = match redact {
            true => engine.redacted_evaluation(&call, &id).await,
            false => engine.stored_evaluation(&id).await,
        };
        record.map(Response::new)
    }

    async fn get_evaluation_evidence(
        &self,
        request: Request<v1::GetEvaluationEvidenceRequest>,
    ) -> Result<Response<v1::GetEvaluationEvidenceResponse>, Status> {
        let engine = self.engines.for_request(&request)?;
        let v1::GetEvaluationEvidenceRequest { evaluation_id, evidence_id } = request.into_inner();
        let stored = engine.stored_evaluation(&evaluation_id).await?;
        let item = stored.evidence.into_iter().find(|item| item.id == evidence_id);
        let item = item.ok_or_else(|| {
            errors::unknown(
                "evidence item",
                &evidence_id,
                "`gsar ledger show --output json` lists the evaluation's items",
            )
        })?;
        let content = engine.stored_content(&evaluation_id, &item).await?;
        let content = content.ok_or_else(|| {
            errors::not_allowed(
                "the ledger stores only the head of this item",
                "set ledger.evidence to \"full\"; this affects only later evaluations",
            )
        })?;
        let item = Some(evaluate::evidence_item(item, content));
        Ok(Response::new(v1::GetEvaluationEvidenceResponse { item }))
    }

    async fn rescore_evaluations(
        &self,
        request: Request<v1::RescoreEvaluationsRequest>,
    ) -> Result<Response<v1::RescoreEvaluationsResponse>, Status> {
        let call = call(request.extensions())?;
        let engine = self.engines.for_call(&call);
        let v1::RescoreEvaluationsRequest { evaluations, policy, policy_overrides, limit } =
            request.into_inner();
        let mut violations = Violations::default();
        let filter = parse::evaluation_filter(evaluations, &mut violations);
        let policy =
            engine.choose_policy(&policy, policy_overrides, PolicyUse::Any, &mut violations)?;
        if page_size(limit) > Some(MAX_DECIDED) {
            violations.add("limit", format!("{limit} is above {MAX_DECIDED}; request fewer"));
        }
        let (filter, policy) = violations.finish(filter.zip(policy))?;
        let limit = page_size(limit).unwrap_or(MAX_DECIDED);
        engine.rescore_evaluations(&call, filter.into(), policy, limit).await.map(Response::new)
    }

    async fn delete_evaluation(
        &self,
        request: Request<v1::DeleteEvaluationRequest>,
    ) -> Result<Response<v1::DeleteEvaluationResponse>, Status> {
        let engine = self.engines.for_request(&request)?;
        let id = request.into_inner().evaluation_id;
        if engine.required_ledger()?.delete(&id).await? {
            Ok(Response::new(v1::DeleteEvaluationResponse {}))
        } else {
            Err(evaluate::unknown_evaluation(&id))
        }
    }

    async fn grade(
        &self,
        request: Request<v1::GradeRequest>,
    ) -> Result<Response<v1::GradeResponse>, Status> {
        let engine = self.engines.for_request(&request)?;
        let ledger = engine.required_ledger()?;
        let mut violations = Violations::default();
        let parsed_grades = parse::grades(request.into_inner(), engine.limits(), &mut violations);
        let parsed_grades = violations.finish(parsed_grades)?;
        let id = parsed_grades.evaluation_id.clone();
        let stored = engine.stored_evaluation(&id).await?;
        let claims = stored.evaluation.unwrap_or_default().claims;
        let graded_at = now();
        let grades = grades::check(parsed_grades, &claims, graded_at)?;
        // The evaluation may have been deleted since it was read.
        if !ledger.grade(grades).await? {
            return Err(evaluate::unknown_evaluation(&id));
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
        let export = Export::new(
            self.engines.for_call(&call).required_ledger()?.clone(),
            request.into_inner(),
        )?;
        Ok(Response::new(export::stream(export, call, self.phase.clone())))
    }
}

/// Returns the requested page size, or `None` for 0.
fn page_size(size: u32) -> Option<NonZeroUsize> {
    NonZeroUsize::new(usize::try_from(size).unwrap_or(usize::MAX))
}

fn page_request(request: v1::ListEvaluationsRequest) -> Result<PageRequest, Status> {
    let mut violations = Violations::default();
    let filter = parse::listed_evaluations(&request, &mut violations);
    if request.page_size > MAX_PAGE {
        let description = format!("{} is above {MAX_PAGE}; request fewer", request.page_size);
        violations.add("page_size", description);
    }
    let selection: Selection = violations.finish(filter)?.into();
    let mut violations = Violations::default();
    let cursor = violations.note("page_token", selection.cursor(&request.page_token));
    let cursor = violations.finish(cursor)?;
    let limit = page_size(request.page_size).unwrap_or(DEFAULT_PAGE);
    Ok(PageRequest { selection, cursor, limit })
}

fn render_count(count: Count, has_intervals: bool) -> v1::EvaluationCount {
    v1::EvaluationCount {
        from: has_intervals.then(|| render::timestamp(Timestamp::from_micros(count.from_micros))),
        policy: count.policy,
        judge: count.judge,
        outcome: count.outcome,
        tier: count.tier,
        in_shadow: count.in_shadow,
        fell_back: count.fell_back,
        evaluations: count.evaluations,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Cursor;

    fn page_of_size(page_size: u32) -> Result<PageRequest, Status> {
        page_request(v1::ListEvaluationsRequest { page_size, ..Default::default() })
    }

    #[test]
    fn limits_the_page_size() {
        for (page_size, limit) in [(0, 50), (1, 1), (MAX_PAGE, 1000)] {
            assert_eq!(page_of_size(page_size).unwrap().limit.get(), limit);
        }
        let error = page_of_size(MAX_PAGE + 1).unwrap_err();
        assert_eq!(error.code(), tonic::Code::InvalidArgument);
        assert!(error.message().contains("page_size: 1001 is above 1000"), "{}", error.message());
    }

    #[test]
    fn a_page_token_is_valid_only_for_its_filter() {
        let request = |page_token: &str, report_id: &str| v1::ListEvaluationsRequest {
            page_token: page_token.to_owned(),
            report_id: report_id.to_owned(),
            ..Default::default()
        };
        let first = page_request(request("", "r")).unwrap();
        let token = first.selection.page_token(Cursor::Before(7));
        assert_eq!(page_request(request(&token, "r")).unwrap().cursor, Cursor::Before(7));
        for (token, report_id) in [("malformed", "r"), ("é", "r"), (token.as_str(), "other")] {
            let error = page_request(request(token, report_id)).unwrap_err();
            assert_eq!(error.code(), tonic::Code::InvalidArgument, "{token}");
            assert!(error.message().contains("page_token"), "{}", error.message());
        }
    }
}
