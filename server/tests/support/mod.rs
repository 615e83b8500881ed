//! Starts a real server for each test, on a Unix socket in a temporary directory.

pub mod chat_models;
pub mod collector;
pub mod corpora;
pub mod grades;
pub mod http;
pub mod investigations;
pub mod judges;
pub mod postgres;
pub mod process;
pub mod recorded_model;
pub mod run;
pub mod server_binary;
pub mod skip;
pub mod small_disk;
pub mod tls;
pub mod tokens;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::gate_service_client::GateServiceClient;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_proto::v1::policy_service_client::PolicyServiceClient;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, EmbeddingsMode, Listen, Problems};
use gsar_server::judge::Judge;
use gsar_server::lifecycle::{App, StartError};
use gsar_server::server_phase::{Phase, PhaseCell};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{IntoRequest, Response, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt as _;

/// Returns `deep` if the tests are run by `make test-deep`, or else `quick`.
pub fn rounds(quick: usize, deep: usize) -> usize {
    if std::env::var_os("GSAR_TEST_DEEP").is_some() { deep } else { quick }
}

pub struct TestServer {
    pub folder: TempDir,
    pub channel: Channel,
    pub phase: PhaseCell,
    pub admin: Option<std::net::SocketAddr>,
    pub tcp: Option<String>,
    pub tls: Option<std::net::SocketAddr>,
    pub gateway: Option<std::net::SocketAddr>,
    reload: mpsc::Sender<()>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<Result<(), StartError>>,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        Self::with_judges(Vec::new(), change).await
    }

    pub async fn with_judges(
        judges: Vec<Arc<dyn Judge>>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("gsar.sock");
        let mut config = Config {
            listen: vec![Listen::Unix(socket.clone())],
            data_dir: folder.path().join("data"),
            ..Config::default()
        };
        // The embedding model and its runtime are not installed on every machine.
        config.evidence.embeddings = EmbeddingsMode::Off;
        config.judges.chain = vec!["rules/2".to_owned()];
        change(&mut config);
        let checked = CheckedConfig::check(config, judges, Problems::default()).unwrap();
        let app = App::bind(checked).await.unwrap();
        let (phase, admin, gateway) = (app.phase(), app.admin_address(), app.gateway_address());
        let tcp = app.addresses().into_iter().find_map(|address| match address {
            Listen::Tcp(address) => Some(format!("http://{address}")),
            Listen::Unix(_) | Listen::Tls(_) => None,
        });
        let tls = app.addresses().into_iter().find_map(|address| match address {
            Listen::Tls(address) => Some(address),
            Listen::Unix(_) | Listen::Tcp(_) => None,
        });
        let (reload, reloads) = mpsc::channel(1);
        let (stop, stop_signal) = oneshot::channel();
        let stop_signal = async move {
            let _ = stop_signal.await;
        };
        let mut serving = tokio::spawn(app.serve(stop_signal, ReceiverStream::new(reloads)));
        tokio::select! {
            () = phase.wait_for(Phase::Ready) => {}
            result = &mut serving => panic!("the server did not start: {result:?}"),
        }
        let channel = connect(&socket).await;
        let stop = Some(stop);
        Self { folder, channel, phase, admin, tcp, tls, gateway, reload, stop, serving }
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("gsar.sock")
    }

    pub fn grounding(&self) -> GroundingServiceClient<Channel> {
        GroundingServiceClient::new(self.channel.clone()).max_decoding_message_size(64 << 20)
    }

    pub fn gate(&self) -> GateServiceClient<Channel> {
        GateServiceClient::new(self.channel.clone())
    }

    pub fn policies(&self) -> PolicyServiceClient<Channel> {
        PolicyServiceClient::new(self.channel.clone())
    }

    pub fn evidence(&self) -> EvidenceServiceClient<Channel> {
        EvidenceServiceClient::new(self.channel.clone())
    }

    pub fn ledger(&self) -> LedgerServiceClient<Channel> {
        LedgerServiceClient::new(self.channel.clone())
    }

    pub fn investigations(&self) -> InvestigationServiceClient<Channel> {
        InvestigationServiceClient::new(self.channel.clone())
    }

    pub async fn evaluate(
        &self,
        request: impl IntoRequest<v1::EvaluateRequest>,
    ) -> Result<v1::EvaluateResponse, Status> {
        self.grounding().evaluate(request).await.map(Response::into_inner)
    }

    pub async fn get_evaluation(&self, evaluation_id: &str) -> v1::GetEvaluationResponse {
        let evaluation_id = evaluation_id.to_owned();
        let request = v1::GetEvaluationRequest { evaluation_id, redact: false };
        self.ledger().get_evaluation(request).await.unwrap().into_inner()
    }

    pub async fn list_evaluations(
        &self,
        request: v1::ListEvaluationsRequest,
    ) -> Vec<v1::EvaluationSummary> {
        self.ledger().list_evaluations(request).await.unwrap().into_inner().evaluations
    }

    pub async fn reload(&self) {
        // The channel has capacity 1, so the third send completes only after the first reload is done.
        for _ in 0..3 {
            self.reload.send(()).await.unwrap();
        }
    }

    /// Starts the shutdown without waiting for it. See [`TestServer::wait_until_stopped`].
    pub fn begin_shutdown(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    pub async fn wait_until_stopped(self) -> Result<(), StartError> {
        let Self { folder: _folder, stop, serving, .. } = self;
        drop(stop);
        let result = tokio::time::timeout(Duration::from_secs(60), serving).await;
        result.expect("the server stops within its grace period").unwrap()
    }
}

pub async fn connect(socket: &std::path::Path) -> Channel {
    Endpoint::from_shared(format!("unix://{}", socket.display())).unwrap().connect().await.unwrap()
}

pub async fn health(channel: Channel, service: &str) -> ServingStatus {
    let request = HealthCheckRequest { service: service.to_owned() };
    HealthClient::new(channel).check(request).await.unwrap().into_inner().status()
}

pub fn invalid_fields(status: &Status) -> Vec<String> {
    let details = status.get_error_details();
    let violations = details.bad_request().map(|details| details.field_violations.clone());
    violations.unwrap_or_default().into_iter().map(|violation| violation.field).collect()
}

/// Returns the reason given in an error, or an empty string if there is none.
pub fn reason(status: &Status) -> String {
    let details = status.get_error_details();
    details.error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

pub fn codes(reasons: &[v1::Reason]) -> Vec<&str> {
    reasons.iter().map(|reason| reason.code.as_str()).collect()
}

/// Returns a request to evaluate a report under the reference policy.
pub fn evaluation(synthesis: &str, evidence: Vec<v1::EvidenceItem>) -> v1::EvaluateRequest {
    v1::EvaluateRequest {
        report: Some(v1::Report { synthesis: synthesis.to_owned(), ..Default::default() }),
        evidence,
        policy: "reference".to_owned(),
        ..Default::default()
    }
}

/// Returns a request with a small report whose only claim `rules/2` considers grounded.
pub fn request() -> v1::EvaluateRequest {
    let evidence = vec![item("pool", "connection pool size is 20")];
    let mut request = evaluation("The connection pool size is 20.", evidence);
    request.report.get_or_insert_default().id = "r1".to_owned();
    request
}

/// Returns the same request as [`request`], but for one judge.
pub fn request_for_judge(judge: &str) -> v1::EvaluateRequest {
    let options = v1::EvaluateOptions { judge: judge.to_owned(), ..Default::default() };
    v1::EvaluateRequest { options: Some(options), ..request() }
}

pub fn item(id: &str, text: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::StaticInfra.into(),
        tool: "show config".to_owned(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..Default::default()
    }
}

pub fn counts(counts: &[(v1::ClaimClass, v1::EvidenceType, u32)]) -> v1::ScoreRequest {
    let counts = counts
        .iter()
        .map(|(class, evidence_type, count)| v1::ClaimCount {
            class: (*class).into(),
            r#type: (*evidence_type).into(),
            count: *count,
            undecided: false,
        })
        .collect();
    v1::ScoreRequest {
        partition: Some(v1::score_request::Partition::Counts(v1::PartitionCounts { counts })),
        ..Default::default()
    }
}
