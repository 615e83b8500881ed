//! This module serves `gsar.v1.GroundingService`.

use std::sync::Arc;
use std::time::Instant;

use gsar_proto::v1::grounding_service_server::GroundingService;
use gsar_proto::v1::{
    EvaluateRequest, EvaluateResponse, RescoreRequest, RescoreResponse, ScoreRequest,
    ScoreResponse, TryJudgesRequest, TryJudgesResponse,
};
use tonic::{Request, Response, Status};

use super::services::call;
use crate::evaluate::Engine;
use crate::telemetry::calls::{RequestIds, log_evaluated};

pub(super) struct Grounding(pub(super) Arc<Engine>);

#[tonic::async_trait]
impl GroundingService for Grounding {
    async fn evaluate(
        &self,
        request: Request<EvaluateRequest>,
    ) -> Result<Response<EvaluateResponse>, Status> {
        let call = call(request.extensions())?;
        let started = Instant::now();
        let request = request.into_inner();
        let ids = RequestIds::of(&request);
        let answer = self.0.evaluate(&call, request).await?;
        log_evaluated(&ids, &answer, started.elapsed());
        Ok(Response::new(answer))
    }

    async fn score(
        &self,
        request: Request<ScoreRequest>,
    ) -> Result<Response<ScoreResponse>, Status> {
        let call = call(request.extensions())?;
        self.0.score(&call, request.into_inner()).await.map(Response::new)
    }

    async fn rescore(
        &self,
        request: Request<RescoreRequest>,
    ) -> Result<Response<RescoreResponse>, Status> {
        let call = call(request.extensions())?;
        self.0.rescore(&call, request.into_inner()).await.map(Response::new)
    }

    async fn try_judges(
        &self,
        request: Request<TryJudgesRequest>,
    ) -> Result<Response<TryJudgesResponse>, Status> {
        let call = call(request.extensions())?;
        let trials = self.0.try_judges(&call, &request.into_inner().judge).await?;
        Ok(Response::new(TryJudgesResponse { trials }))
    }
}
