//! A scripted server that records its requests.
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gsar_proto::v1;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The responses of `Evaluate`, in order, followed by default responses.
    pub(crate) evaluations: VecDeque<Result<v1::EvaluateResponse, Status>>,
    /// The errors of `Score` before it succeeds.
    pub(crate) score_refusals: VecDeque<Status>,
    pub(crate) evaluate_requests: Vec<v1::EvaluateRequest>,
    pub(crate) metadata: Vec<MetadataMap>,
}

pub(crate) struct ScriptedServer {
    pub(crate) script: Arc<Mutex<Script>>,
    folder: tempfile::TempDir,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ScriptedServer {
    pub(crate) async fn start(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Arc::new(Mutex::new(script));
        let service = Service { script: Arc::clone(&script) };
        let (_, health) = tonic_health::server::health_reporter();
        let listener = tokio::net::UnixListener::bind(socket(folder.path())).unwrap();
        let server = tonic::transport::Server::builder()
            .add_service(health)
            .add_service(v1::grounding_service_server::GroundingServiceServer::new(service.clone()))
            .add_service(v1::policy_service_server::PolicyServiceServer::new(service));
        let task = tokio::spawn(async move {
            server.serve_with_incoming(UnixListenerStream::new(listener)).await.unwrap();
        });
        Self { script, folder, task }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("unix://{}", socket(self.folder.path()).display())
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("gsar.sock")
}

#[derive(Clone)]
struct Service {
    script: Arc<Mutex<Script>>,
}

#[tonic::async_trait]
impl v1::grounding_service_server::GroundingService for Service {
    async fn evaluate(
        &self,
        request: Request<v1::EvaluateRequest>,
    ) -> Result<Response<v1::EvaluateResponse>, Status> {
        let mut script = self.script.lock().unwrap();
        script.metadata.push(request.metadata().clone());
        script.evaluate_requests.push(request.into_inner());
        let answer = script.evaluations.pop_front();
        answer.unwrap_or_else(|| Ok(v1::EvaluateResponse::default())).map(Response::new)
    }

    async fn try_judges(
        &self,
        _: Request<v1::TryJudgesRequest>,
    ) -> Result<Response<v1::TryJudgesResponse>, Status> {
        Ok(Response::new(v1::TryJudgesResponse::default()))
    }

    type EvaluateStreamStream = tokio_stream::Empty<Result<v1::EvaluateStreamResponse, Status>>;

    async fn evaluate_stream(
        &self,
        _: Request<tonic::Streaming<v1::EvaluateStreamRequest>>,
    ) -> Result<Response<Self::EvaluateStreamStream>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn select_best(
        &self,
        _: Request<v1::SelectBestRequest>,
    ) -> Result<Response<v1::SelectBestResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn rescore(
        &self,
        _: Request<v1::RescoreRequest>,
    ) -> Result<Response<v1::RescoreResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn score(
        &self,
        request: Request<v1::ScoreRequest>,
    ) -> Result<Response<v1::ScoreResponse>, Status> {
        let mut script = self.script.lock().unwrap();
        script.metadata.push(request.metadata().clone());
        if let Some(refusal) = script.score_refusals.pop_front() {
            return Err(refusal);
        }
        let score = v1::Score { numerator: 1, denominator: 2, ..v1::Score::default() };
        let answer = v1::ScoreResponse { score: Some(score), ..v1::ScoreResponse::default() };
        Ok(Response::new(answer))
    }
}

#[tonic::async_trait]
impl v1::policy_service_server::PolicyService for Service {
    async fn list_policies(
        &self,
        request: Request<v1::ListPoliciesRequest>,
    ) -> Result<Response<v1::ListPoliciesResponse>, Status> {
        self.script.lock().unwrap().metadata.push(request.metadata().clone());
        let night = v1::PolicySummary {
            name: "night-shift".to_owned(),
            description: "stricter after ten".to_owned(),
            digest: "c0ffee".to_owned(),
            origin: "/etc/gsar/policies/night-shift.toml".to_owned(),
            is_default: true,
        };
        Ok(Response::new(v1::ListPoliciesResponse { policies: vec![night] }))
    }

    async fn get_policy(
        &self,
        _: Request<v1::GetPolicyRequest>,
    ) -> Result<Response<v1::GetPolicyResponse>, Status> {
        Ok(Response::new(v1::GetPolicyResponse {
            policy: None,
            toml: "name = \"night-shift\"\nrho = 3".to_owned(),
        }))
    }

    async fn check_policy(
        &self,
        _: Request<v1::CheckPolicyRequest>,
    ) -> Result<Response<v1::CheckPolicyResponse>, Status> {
        Err(Status::unimplemented(""))
    }
}
