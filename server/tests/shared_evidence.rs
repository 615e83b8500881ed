//! Tests corpora that several servers share in a PostgreSQL database.

use std::time::Duration;

use crate::shared_database::{channel, configuration};
use crate::support::chat_models::evaluate;
use crate::support::corpora::{head, part, put};
use crate::support::postgres::{Kind, Postgres};
use crate::support::process::Process;
use crate::support::{evaluation, item};
use gsar_proto::v1;
use gsar_proto::v1::evidence_service_client::EvidenceServiceClient;
use gsar_proto::v1::put_evidence_request::Part;
use rustix::process::Signal;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

struct Shared {
    _postgres: Postgres,
    folders: [TempDir; 2],
    servers: [Process; 2],
    channels: [Channel; 2],
}

impl Shared {
    fn start() -> Option<Self> {
        let postgres = Postgres::start(Kind::Pgvector).or_else(|| Postgres::start(Kind::System))?;
        let url = postgres.database();
        let toml = configuration(&url);
        let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let servers = folders.each_ref().map(|folder| Process::with_config(folder.path(), &toml));
        let channels = folders.each_ref().map(|folder| channel(folder.path()));
        Some(Self { _postgres: postgres, folders, servers, channels })
    }

    fn evidence(&self, server: usize) -> EvidenceServiceClient<Channel> {
        EvidenceServiceClient::new(self.channels.get(server).unwrap().clone())
    }

    async fn evaluate(&self, server: usize, text: &str) -> Result<v1::EvaluateResponse, Status> {
        let request =
            v1::EvaluateRequest { corpus_id: "inc-7".to_owned(), ..evaluation(text, Vec::new()) };
        evaluate(self.channels.get(server).unwrap(), request).await
    }
}

/// Returns a text that is too long for a judge to read as a whole.
fn long_log() -> String {
    (1..=300_000)
        .map(|line| format!("2026-03-12T14:02:17Z INFO order ORD-{line} was paid, total {line}\n"))
        .chain([
            "2026-03-12T14:03:09Z ERROR pod cart-1 was OOMKilled with exit code 137\n".to_owned()
        ])
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evidence_is_shared_between_servers() {
    let Some(shared) = Shared::start() else { return };
    let log_line = "14:03:09 pod cart-1 was OOMKilled with exit code 137";
    let stored =
        shared.evidence(0).put_evidence(put("inc-7", [item("app", log_line)])).await.unwrap();
    assert_eq!(stored.into_inner().corpus.unwrap().items, 1);
    let true_report = "Pod cart-1 was OOMKilled with exit code 137.";
    let false_report = "Pod cart-1 was OOMKilled with exit code 139.";
    for server in 0..2 {
        let answer = shared.evaluate(server, true_report).await.unwrap();
        assert_eq!(answer.decision.unwrap().tier, v1::Tier::Proceed as i32, "server {server}");
        let answer = shared.evaluate(server, false_report).await.unwrap();
        assert_ne!(answer.decision.unwrap().tier, v1::Tier::Proceed as i32, "server {server}");
    }
    let client = shared.evidence(1);
    let delete = v1::DeleteCorpusRequest { corpus_id: "inc-7".to_owned() };
    client.clone().delete_corpus(delete).await.unwrap();
    let error = shared.evaluate(0, true_report).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "deep"]
async fn interrupted_upload_can_be_repeated_on_another_server() {
    let Some(mut shared) = Shared::start() else { return };
    let (send, messages) = mpsc::channel(1);
    let interrupted = tokio::spawn({
        let mut evidence = shared.evidence(0);
        async move { evidence.put_evidence(ReceiverStream::new(messages)).await }
    });
    send.send(head("inc-7")).await.unwrap();
    send.send(part(Part::Item(item("app", "")))).await.unwrap();
    let text = long_log();
    let mut pieces = text.as_bytes().chunks(1 << 20);
    for piece in pieces.by_ref().take(6) {
        send.send(part(Part::More(piece.to_vec()))).await.unwrap();
    }
    let (first_server, _) = shared.servers.split_first_mut().unwrap();
    first_server.signal(Signal::KILL);
    first_server.wait();
    interrupted.await.unwrap().unwrap_err();

    let request = upload_messages(&text);
    let mut request = tonic::Request::new(tokio_stream::iter(request));
    request.set_timeout(Duration::from_secs(200));
    let stored = shared.evidence(1).put_evidence(request).await.unwrap();
    let corpus = stored.into_inner().corpus.unwrap();
    assert_eq!((corpus.items, corpus.size), (1, text.len() as u64));
    let answer = shared.evaluate(1, "Pod cart-1 was OOMKilled with exit code 137.").await.unwrap();
    let retrieval = answer.provenance.unwrap().retrieval.unwrap();
    assert_eq!(retrieval.method, "lexical");
    assert_eq!(answer.decision.unwrap().tier, v1::Tier::Proceed as i32);
    assert!(shared.folders.iter().all(|folder| folder.path().exists()));
}

fn upload_messages(text: &str) -> Vec<v1::PutEvidenceRequest> {
    let continuations =
        text.as_bytes().chunks(1 << 20).map(|piece| part(Part::More(piece.to_vec())));
    [head("inc-7"), part(Part::Item(item("app", "")))].into_iter().chain(continuations).collect()
}
