//! Tests startup, readiness, draining and kills.

use std::collections::BTreeSet;
use std::path::Path;

use crate::ledger::assert_intact;
use crate::support::process::Process;
use crate::support::run::run;
use crate::support::{self, TestServer, health, http, request};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use rustix::process::Signal;
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;

/// Sends concurrent evaluations until the server is gone. Returns the acknowledged ids and the errors.
async fn apply_load(
    socket: &Path,
    signal_after: usize,
    reached: tokio::sync::mpsc::Sender<()>,
) -> (BTreeSet<String>, Vec<tonic::Status>) {
    let mut tasks = tokio::task::JoinSet::new();
    let acknowledged = std::sync::Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    for _ in 0..16 {
        let channel = support::connect(socket).await;
        let acknowledged = std::sync::Arc::clone(&acknowledged);
        let reached = reached.clone();
        tasks.spawn(async move {
            let mut client = GroundingServiceClient::new(channel);
            loop {
                match client.evaluate(request()).await {
                    Ok(answer) => {
                        let mut ids = acknowledged.lock().unwrap();
                        ids.insert(answer.into_inner().evaluation_id);
                        if ids.len() == signal_after {
                            let _ = reached.try_send(());
                        }
                    }
                    Err(status) => return status,
                }
            }
        });
    }
    let errors = tasks.join_all().await;
    let ids = acknowledged.lock().unwrap().clone();
    (ids, errors)
}

async fn recorded_ids(folder: &Path) -> BTreeSet<String> {
    let process = Process::start(folder);
    let channel = support::connect(&folder.join("gsar.sock")).await;
    let mut ledger = v1::ledger_service_client::LedgerServiceClient::new(channel);
    let (mut ids, mut page_token) = (BTreeSet::new(), String::new());
    loop {
        let request =
            v1::ListEvaluationsRequest { page_size: 1000, page_token, ..Default::default() };
        let page = ledger.list_evaluations(request).await.unwrap().into_inner();
        ids.extend(page.evaluations.into_iter().map(|evaluation| evaluation.evaluation_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            drop(process);
            return ids;
        }
    }
}

/// Sends a signal to a server under load after `signal_after` answers. Returns the server, the acknowledged ids and
/// the errors.
async fn signal_under_load(
    folder: &Path,
    signal_after: usize,
    signal: Signal,
) -> (Process, BTreeSet<String>, Vec<tonic::Status>) {
    let process = Process::start(folder);
    let (sender, mut reached) = tokio::sync::mpsc::channel(1);
    let socket = folder.join("gsar.sock");
    let loading = tokio::spawn(async move { apply_load(&socket, signal_after, sender).await });
    reached.recv().await.unwrap();
    process.signal(signal);
    let (acknowledged, errors) = loading.await.unwrap();
    (process, acknowledged, errors)
}

#[tokio::test(flavor = "multi_thread")]
async fn h30_kill_9_under_load_loses_no_acknowledged_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let mut all_acknowledged = BTreeSet::new();
    for signal_after in [1, 40, 500] {
        let (process, acknowledged, _) =
            signal_under_load(folder.path(), signal_after, Signal::KILL).await;
        drop(process);
        all_acknowledged.extend(acknowledged);
        let recorded_ids = recorded_ids(folder.path()).await;
        let lost_ids: Vec<_> = all_acknowledged.difference(&recorded_ids).collect();
        assert!(lost_ids.is_empty(), "{} of {} lost", lost_ids.len(), all_acknowledged.len());
        assert_intact(&folder.path().join("data"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_under_load_completes_accepted_calls() {
    let folder = tempfile::tempdir().unwrap();
    let (mut process, acknowledged, errors) =
        signal_under_load(folder.path(), 500, Signal::TERM).await;
    assert!(errors.iter().all(arrived_too_late), "{errors:?}");
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!folder.path().join("gsar.sock").exists(), "the socket must be removed");
    let recorded_ids = recorded_ids(folder.path()).await;
    assert_eq!(
        acknowledged, recorded_ids,
        "every accepted call must be answered, and every answer must be recorded"
    );
}

/// Returns `true` if the draining server rejected the call, the call was not sent, or its connection was closed.
/// tonic reports a closed connection only in the message.
fn arrived_too_late(status: &tonic::Status) -> bool {
    let message = format!("{status:?}");
    matches!(status.code(), Code::Unavailable | Code::Cancelled)
        || ["NO_ERROR", "BrokenPipe", "connection closed", "channel closed"]
            .iter()
            .any(|goodbye| message.contains(goodbye))
}

#[test]
fn does_not_replace_other_files_with_its_socket() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "mine").unwrap();
    let listen = format!("unix://{}", notes.display());
    let data = folder.path().join("data");
    let (status, message) = run(&["--listen", &listen, "--data-dir", data.to_str().unwrap()], &[]);
    assert!(status != Some(0) && message.contains("the file there is not a socket"), "{message}");
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine");
}

#[tokio::test]
async fn rejects_a_second_server_on_the_same_data_directory() {
    let folder = tempfile::tempdir().unwrap();
    let _first = Process::start(folder.path());
    let listen = format!("unix://{}", folder.path().join("other.sock").display());
    let data = folder.path().join("data");
    let (status, message) = run(&["--listen", &listen, "--data-dir", data.to_str().unwrap()], &[]);
    assert_eq!(status, Some(1));
    assert!(message.contains("error:") && message.contains("data"), "{message}");
}

#[tokio::test]
async fn readiness_follows_startup_and_drain() {
    let mut server = TestServer::with(|config| {
        config.admin = Some("127.0.0.1:0".parse().unwrap());
        config.shutdown.notice.0 = std::time::Duration::from_millis(1);
    })
    .await;
    let admin = server.admin.unwrap();
    for service in ["", "gsar.v1.GroundingService"] {
        // The phase changes slightly before the health status.
        while health(server.channel.clone(), service).await != ServingStatus::Serving {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(http::get(admin, "/livez").await.0, 200);
    assert_eq!(http::get(admin, "/readyz").await.0, 200);
    server.grounding().evaluate(request()).await.unwrap();
    let (_, metrics) = http::get(admin, "/metrics").await;
    for name in [
        "gsar_calls_total",
        "gsar_decisions_total",
        "gsar_build_info",
        "gsar_step_duration_seconds_bucket",
        "process_resident_memory_bytes",
    ] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
    assert!(
        !metrics.contains("connection pool"),
        "metrics must not contain text from reports or evidence"
    );

    server.begin_shutdown();
    server.phase.wait_for(gsar_server::server_phase::Phase::Draining).await;
    assert_eq!(http::get(admin, "/readyz").await.0, 503);
    server.wait_until_stopped().await.unwrap();
}

#[tokio::test]
async fn tcp_and_unix_sockets_give_the_same_answers() {
    let server = TestServer::with(|config| {
        config.listen.push("grpc://127.0.0.1:0".parse().unwrap());
    })
    .await;
    let tcp_url = server.tcp.clone().unwrap();
    let channel =
        tonic::transport::Endpoint::from_shared(tcp_url).unwrap().connect().await.unwrap();
    let answer = GroundingServiceClient::new(channel).evaluate(request()).await.unwrap();
    let unix_answer = server.grounding().evaluate(request()).await.unwrap();
    assert_eq!(answer.into_inner().claims, unix_answer.into_inner().claims);
}
