//! Starts a real server on a Unix socket in a temporary directory, one per test.

pub mod chat_models;
pub mod collector;
pub mod postgres;
pub mod process;
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
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_types::StatusExt as _;

/// Returns `deep` in `make test-deep`, and otherwise `quick`.
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
    served: JoinHandle<Result<(), StartError>>,
}

#[derive(Default)]
pub struct TestServerOptions {
    judges: Vec<Arc<dyn Judge>>,
}

impl TestServerOptions {
    pub fn judge(mut self, judge: impl Judge + 'static) -> Self {
        self.judges.push(Arc::new(judge));
        self
    }

    pub async fn start(self, change: impl FnOnce(&mut Config)) -> TestServer {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("gsar.sock");
        let mut config = Config {
            listen: vec![Listen::Unix(socket.clone())],
            data_dir: folder.path().join("data"),
            ..Config::default()
        };
        // Models and their runtime are not installed on every machine.
        config.evidence.embeddings = EmbeddingsMode::Off;
        config.judges.chain = vec!["rules/2".to_owned()];
        change(&mut config);
        let checked = CheckedConfig::check(config, self.judges, Problems::default()).unwrap();
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
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            let _ = stopped.await;
        };
        let mut served = tokio::spawn(app.serve(stopped, ReceiverStream::new(reloads)));
        tokio::select! {
            () = phase.wait_for(Phase::Ready) => {}
            ended = &mut served => panic!("the server did not start: {ended:?}"),
        }
        let channel = connect(&socket).await;
        let stop = Some(stop);
        TestServer { folder, channel, phase, admin, tcp, tls, gateway, reload, stop, served }
    }
}

impl TestServer {
    pub async fn start() -> Self {
        TestServerOptions::default().start(|_| {}).await
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

    pub async fn reload(&self) {
        // The channel has capacity 1, so the third send waits until the first message was handled.
        for _ in 0..3 {
            self.reload.send(()).await.unwrap();
        }
    }

    /// Starts the shutdown. [`TestServer::stopped`] waits for its end.
    pub fn tell_to_stop(&mut self) {
        let _ = self.stop.take().map(|stop| stop.send(()));
    }

    pub async fn stopped(self) -> Result<(), StartError> {
        let Self { folder: _folder, stop, served, .. } = self;
        drop(stop);
        let ended = tokio::time::timeout(Duration::from_secs(60), served).await;
        ended.expect("the server stops within its grace").unwrap()
    }
}

pub async fn connect(socket: &std::path::Path) -> Channel {
    Endpoint::from_shared(format!("unix://{}", socket.display())).unwrap().connect().await.unwrap()
}

pub async fn health(channel: Channel, service: &str) -> ServingStatus {
    let request = HealthCheckRequest { service: service.to_owned() };
    HealthClient::new(channel).check(request).await.unwrap().into_inner().status()
}

pub fn wrong_fields(status: &Status) -> Vec<String> {
    let details = status.get_error_details();
    let violations = details.bad_request().map(|bad| bad.field_violations.clone());
    violations.unwrap_or_default().into_iter().map(|violation| violation.field).collect()
}

/// Returns a small report that the embedded judge grounds.
pub fn request() -> v1::EvaluateRequest {
    v1::EvaluateRequest {
        report: Some(v1::Report {
            id: "r1".to_owned(),
            synthesis: "The connection pool size is 20.".to_owned(),
            ..v1::Report::default()
        }),
        evidence: vec![item("pool", "connection pool size is 20")],
        policy: "reference".to_owned(),
        ..v1::EvaluateRequest::default()
    }
}

pub fn item(id: &str, text: &str) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: v1::EvidenceLane::StaticInfra.into(),
        tool: "show config".to_owned(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..v1::EvidenceItem::default()
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
        ..v1::ScoreRequest::default()
    }
}
