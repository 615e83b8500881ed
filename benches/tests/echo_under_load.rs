//! Echo server and load client against each other, on both kinds of socket.

use gsar_benches::echo::{self, Echo, Payload};
use gsar_benches::endpoint::Endpoint;
use gsar_benches::load::{self, Plan};
use prost::Message as _;
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// An echo that ends with the value.
struct Running {
    endpoint: Endpoint,
    task: JoinHandle<()>,
    _folder: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn start(kind: Kind, answer_bytes: usize) -> anyhow::Result<Running> {
    let folder = tempfile::tempdir()?;
    let endpoint = match kind {
        Kind::Unix => Endpoint::Unix(folder.path().join("echo.sock")),
        Kind::Tcp => Endpoint::Tcp(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?),
    };
    let served = endpoint.clone();
    let task = tokio::spawn(async move {
        let _ = echo::serve(&served, Echo::answering(answer_bytes)).await;
    });
    let mut plan = plan(&endpoint, echo::PATH, 2);
    plan.calls = 1;
    while load::run(&plan).await.is_err() {
        assert!(!task.is_finished(), "the echo ended");
        tokio::task::yield_now().await;
    }
    Ok(Running { endpoint, task, _folder: folder })
}

#[derive(Clone, Copy)]
enum Kind {
    Unix,
    Tcp,
}

fn plan(endpoint: &Endpoint, path: &str, message_bytes: usize) -> Plan {
    Plan {
        endpoint: endpoint.clone(),
        path: path.to_owned(),
        message: Payload::of_encoded_size(message_bytes).encode_to_vec().into(),
        in_flight: 16,
        warm_up: 20,
        calls: 200,
        server: Some(std::process::id()),
    }
}

#[tokio::test]
async fn every_call_is_answered_with_the_size_asked_for() {
    for kind in [Kind::Unix, Kind::Tcp] {
        let running = start(kind, 9_000).await.unwrap();
        let measured = load::run(&plan(&running.endpoint, echo::PATH, 100_000)).await.unwrap();
        assert_eq!(measured.calls, 200);
        assert_eq!(measured.answer_bytes, 9_000.0);
        assert!(measured.p50 <= measured.p99);
        assert!(measured.p99 <= measured.elapsed);
        assert!(measured.server.is_some());
        let answer = load::once(&plan(&running.endpoint, echo::PATH, 10)).await.unwrap();
        assert_eq!(Payload::decode(answer).unwrap(), Payload::of_encoded_size(9_000));
    }
}

#[tokio::test]
async fn an_answer_that_is_not_ok_ends_the_run() {
    let running = start(Kind::Unix, 10).await.unwrap();
    let error =
        load::run(&plan(&running.endpoint, "/gsar.benches.Echo/Other", 10)).await.unwrap_err();
    assert!(error.to_string().starts_with("grpc-status 12: "), "{error}");
    let mut unreadable = plan(&running.endpoint, echo::PATH, 10);
    unreadable.message = vec![0xff; 10].into();
    let error = load::run(&unreadable).await.unwrap_err();
    assert!(error.to_string().starts_with("grpc-status 13: "), "{error}");
}
