//! `gsar.v1.GroundingService`.

use std::sync::Arc;

use gsar_proto::v1::grounding_service_server::GroundingService;
use gsar_proto::v1::{
    EvaluateRequest, EvaluateResponse, ScoreRequest, ScoreResponse, TryJudgesRequest,
    TryJudgesResponse,
};
use tonic::{Request, Response, Status};

use super::services::call;
use crate::evaluate::Engine;

pub(super) struct Grounding(pub(super) Arc<Engine>);

#[tonic::async_trait]
impl GroundingService for Grounding {
    async fn evaluate(
        &self,
        request: Request<EvaluateRequest>,
    ) -> Result<Response<EvaluateResponse>, Status> {
        let call = call(request.extensions())?;
        let answer = self.0.evaluate(&call, request.into_inner()).await?;
        let tier = answer.decision.as_ref().map(|decision| decision.tier().as_str_name());
        tracing::info!(
            evaluation = answer.evaluation_id,
            tier,
            claims = answer.claims.len(),
            "evaluated"
        );
        Ok(Response::new(answer))
    }

    async fn score(
        &self,
        request: Request<ScoreRequest>,
    ) -> Result<Response<ScoreResponse>, Status> {
        let call = call(request.extensions())?;
        self.0.score(&call, request.into_inner()).await.map(Response::new)
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
