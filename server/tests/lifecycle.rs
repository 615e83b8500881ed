//! Tests of startup, readiness, drain and kills.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::process::Process;
use crate::support::{self, TestServerOptions, health, request};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tonic::Code;
use tonic_health::pb::health_check_response::ServingStatus;

/// Evaluates concurrently until the server is gone. Returns the acknowledged ids.
async fn load(
    socket: &Path,
    stop_after: usize,
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
                        if ids.len() == stop_after {
                            let _ = reached.try_send(());
                        }
                    }
                    Err(status) => return status,
                }
            }
        });
    }
    let refused = tasks.join_all().await;
    let ids = acknowledged.lock().unwrap().clone();
    (ids, refused)
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

#[tokio::test(flavor = "multi_thread")]
async fn h30_kill_9_under_load_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let (sender, mut reached) = tokio::sync::mpsc::channel(1);
    let socket = folder.path().join("gsar.sock");
    let loading = tokio::spawn(async move { load(&socket, 500, sender).await });
    reached.recv().await.unwrap();
    process.signal(rustix::process::Signal::KILL);
    let (acknowledged, _) = loading.await.unwrap();
    drop(process);
    let recorded_ids = recorded_ids(folder.path()).await;
    let lost_ids: Vec<_> = acknowledged.difference(&recorded_ids).collect();
    assert!(lost_ids.is_empty(), "{} of {} lost", lost_ids.len(), acknowledged.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_under_load_completes_accepted_calls() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path());
    let (sender, mut reached) = tokio::sync::mpsc::channel(1);
    let socket = folder.path().join("gsar.sock");
    let loading = tokio::spawn(async move { load(&socket, 500, sender).await });
    reached.recv().await.unwrap();
    process.signal(rustix::process::Signal::TERM);
    let (acknowledged, refused) = loading.await.unwrap();
    assert!(refused.iter().all(arrived_too_late), "{refused:?}");
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!folder.path().join("gsar.sock").exists(), "the socket must be removed");
    let recorded_ids = recorded_ids(folder.path()).await;
    assert_eq!(
        acknowledged, recorded_ids,
        "every accepted call was answered, and every answer recorded"
    );
}

/// Returns `true` if the draining server rejected the call, the call was not sent, or its connection closed.
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
    let started = Command::new(env!("CARGO_BIN_EXE_gsar-server"))
        .arg("--listen")
        .arg(format!("unix://{}", notes.display()))
        .arg("--data-dir")
        .arg(folder.path().join("data"))
        .env_clear()
        .output()
        .unwrap();
    let message = String::from_utf8(started.stderr).unwrap();
    assert!(
        !started.status.success() && message.contains("the file there is not a socket"),
        "{message}"
    );
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine");
}

#[tokio::test]
async fn rejects_a_second_server_on_the_same_directory() {
    let folder = tempfile::tempdir().unwrap();
    let _first = Process::start(folder.path());
    let mut second = Command::new(env!("CARGO_BIN_EXE_gsar-server"))
        .arg("--listen")
        .arg(format!("unix://{}", folder.path().join("other.sock").display()))
        .arg("--data-dir")
        .arg(folder.path().join("data"))
        .env_clear()
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut message = String::new();
    second.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(second.wait().unwrap().code(), Some(1));
    assert!(message.contains("error:") && message.contains("data"), "{message}");
}

#[test]
fn invalid_configuration_exits_2_with_every_problem() {
    let message = Command::new(env!("CARGO_BIN_EXE_gsar-server"))
        .env_clear()
        .env("GSAR_LIMITS__CLAIMS", "0")
        .env("GSAR_LIMITS__TEXT", "0")
        .output()
        .unwrap();
    assert_eq!(message.status.code(), Some(2));
    let message = String::from_utf8(message.stderr).unwrap();
    assert!(message.contains("limits.claims") && message.contains("limits.text"), "{message}");
}

async fn http(address: std::net::SocketAddr, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn readiness_follows_startup_and_drain() {
    let mut server = TestServerOptions::default()
        .start(|config| {
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
    assert!(http(admin, "/livez").await.starts_with("HTTP/1.1 200"));
    assert!(http(admin, "/readyz").await.starts_with("HTTP/1.1 200"));
    server.grounding().evaluate(request()).await.unwrap();
    let metrics = http(admin, "/metrics").await;
    for name in [
        "gsar_calls_total",
        "gsar_decisions_total",
        "gsar_build_info",
        "gsar_step_duration_seconds_bucket",
        "process_resident_memory_bytes",
    ] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
    assert!(!metrics.contains("connection pool"), "metrics contain no text of reports or evidence");

    server.tell_to_stop();
    server.phase.wait_for(gsar_server::server_phase::Phase::Draining).await;
    assert!(http(admin, "/readyz").await.starts_with("HTTP/1.1 503"));
    server.stopped().await.unwrap();
}

#[tokio::test]
async fn tcp_and_unix_sockets_give_equal_answers() {
    let server = TestServerOptions::default()
        .start(|config| {
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
