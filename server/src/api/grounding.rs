//! Serves `gsar.v1.GroundingService`.

use std::time::Instant;

use gsar_proto::v1::grounding_service_server::GroundingService;
use gsar_proto::v1::ranked_candidate::Result as CandidateResult;
use gsar_proto::v1::{
    EvaluateRequest, EvaluateResponse, EvaluateStreamRequest, EvaluateStreamResponse,
    RescoreRequest, RescoreResponse, ScoreRequest, ScoreResponse, SelectBestRequest,
    SelectBestResponse, TryJudgesRequest, TryJudgesResponse,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};
use tracing::Instrument as _;

use super::evaluate_stream::ReportStream;
use super::services::{Engines, call, permits};
use crate::config::Limits;
use crate::server_phase::PhaseCell;
use crate::telemetry::calls::{RequestIds, log_evaluated};

pub(super) struct Grounding {
    pub(super) engines: Engines,
    pub(super) phase: PhaseCell,
    pub(super) limits: Limits,
}

#[tonic::async_trait]
impl GroundingService for Grounding {
    async fn evaluate(
        &self,
        request: Request<EvaluateRequest>,
    ) -> Result<Response<EvaluateResponse>, Status> {
        let call = call(request.extensions())?;
        let started = Instant::now();
        let request = request.into_inner();
        let ids = RequestIds::from_request(&request);
        let answer = self.engines.for_call(&call).evaluate(&call, request).await?;
        log_evaluated(&ids, &answer, started.elapsed());
        Ok(Response::new(answer))
    }

    type EvaluateStreamStream = ReceiverStream<Result<EvaluateStreamResponse, Status>>;

    async fn evaluate_stream(
        &self,
        request: Request<Streaming<EvaluateStreamRequest>>,
    ) -> Result<Response<Self::EvaluateStreamStream>, Status> {
        let call = call(request.extensions())?;
        let stream = ReportStream {
            engine: self.engines.for_call(&call),
            permits: permits(request.extensions())?,
            admission: call.stream_admission(),
            phase: self.phase.clone(),
            limits: self.limits.clone(),
        };
        let (answers, receiver) = mpsc::channel(1);
        tokio::spawn(stream.run(request.into_inner(), answers).in_current_span());
        Ok(Response::new(ReceiverStream::new(receiver)))
    }

    async fn select_best(
        &self,
        request: Request<SelectBestRequest>,
    ) -> Result<Response<SelectBestResponse>, Status> {
        let call = call(request.extensions())?;
        let started = Instant::now();
        let request = request.into_inner();
        let reports = request.candidates.iter().map(|report| report.id.clone());
        let ids: Vec<RequestIds> =
            reports.map(|report| RequestIds::new(report, &request.investigation_id)).collect();
        let answer = self.engines.for_call(&call).select_best(&call, request).await?;
        for ranked in &answer.ranking {
            let index = usize::try_from(ranked.index).unwrap_or(usize::MAX);
            if let (Some(CandidateResult::Evaluation(evaluation)), Some(ids)) =
                (&ranked.result, ids.get(index))
            {
                log_evaluated(ids, evaluation, started.elapsed());
            }
        }
        Ok(Response::new(answer))
    }

    async fn score(
        &self,
        request: Request<ScoreRequest>,
    ) -> Result<Response<ScoreResponse>, Status> {
        let call = call(request.extensions())?;
        self.engines.for_call(&call).score(&call, request.into_inner()).await.map(Response::new)
    }

    async fn rescore(
        &self,
        request: Request<RescoreRequest>,
    ) -> Result<Response<RescoreResponse>, Status> {
        let call = call(request.extensions())?;
        self.engines.for_call(&call).rescore(&call, request.into_inner()).await.map(Response::new)
    }

    async fn try_judges(
        &self,
        request: Request<TryJudgesRequest>,
    ) -> Result<Response<TryJudgesResponse>, Status> {
        let call = call(request.extensions())?;
        let trials =
            self.engines.for_call(&call).try_judges(&call, &request.into_inner().judge).await?;
        Ok(Response::new(TryJudgesResponse { trials }))
    }
}
