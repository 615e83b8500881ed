//! Tests the deadlines, retries and errors of calls.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::common::{Script, ScriptedServer};
use gsar_client::{Client, ClientError, v1};
use gsar_proto::ERROR_DOMAIN;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

async fn connect(server: &ScriptedServer) -> Client {
    Client::connect(&server.endpoint().parse().unwrap()).await.unwrap()
}

fn busy(millis: u64) -> Status {
    let mut details = ErrorDetails::with_retry_info(Some(Duration::from_millis(millis)));
    details.set_error_info("TOO_MANY_CALLS", ERROR_DOMAIN, HashMap::new());
    Status::with_error_details(Code::ResourceExhausted, "too many calls in flight", details)
}

fn request_with_key(key: &str) -> v1::EvaluateRequest {
    v1::EvaluateRequest { idempotency_key: key.to_owned(), ..Default::default() }
}

fn paper_request() -> v1::ScoreRequest {
    let counts = v1::score_request::Partition::Counts(v1::PartitionCounts::default());
    v1::ScoreRequest { partition: Some(counts), policy: "paper".to_owned(), ..Default::default() }
}

#[tokio::test]
async fn every_call_sends_its_deadline() {
    let server = ScriptedServer::start(Script::default()).await;
    let client = connect(&server).await.with_deadline(Duration::from_secs(7));
    client.evaluate(request_with_key("")).await.unwrap();
    client.score(paper_request()).await.unwrap();
    client.list_policies().await.unwrap();
    let script = server.script.lock().unwrap();
    assert_eq!(script.metadata.len(), 3);
    for metadata in &script.metadata {
        let timeout = metadata.get("grpc-timeout").unwrap().to_str().unwrap();
        let micros: u64 = timeout.trim_end_matches('u').parse().unwrap();
        assert!((1..=7_000_000).contains(&micros), "{timeout}");
    }
}

#[tokio::test]
async fn safe_calls_are_retried_if_the_server_allows_it() {
    let script = Script { score_refusals: VecDeque::from([busy(1), busy(1)]), ..Script::default() };
    let server = ScriptedServer::start(script).await;
    let answer = connect(&server).await.score(paper_request()).await.unwrap();
    assert_eq!(answer.score.map(|score| (score.numerator, score.denominator)), Some((1, 2)));
    assert_eq!(server.script.lock().unwrap().metadata.len(), 3);
}

#[tokio::test]
async fn retries_are_limited() {
    let script = Script { score_refusals: (0..9).map(|_| busy(1)).collect(), ..Script::default() };
    let server = ScriptedServer::start(script).await;
    let error = connect(&server).await.score(paper_request()).await.unwrap_err();
    assert_eq!(error.refusal().map(|refusal| refusal.reason.as_str()), Some("TOO_MANY_CALLS"));
    assert_eq!(server.script.lock().unwrap().metadata.len(), 4);
}

#[tokio::test]
async fn retries_do_not_exceed_the_deadline() {
    let script = Script { score_refusals: VecDeque::from([busy(3_600_000)]), ..Script::default() };
    let server = ScriptedServer::start(script).await;
    let error = connect(&server).await.score(paper_request()).await.unwrap_err();
    let retry_after = error.refusal().and_then(|refusal| refusal.retry_after);
    assert_eq!(retry_after, Some(Duration::from_secs(3600)));
}

#[tokio::test]
async fn evaluations_are_retried_only_with_a_key() {
    for (key, calls) in [("", 1), ("report-7", 2)] {
        let script = Script { evaluations: VecDeque::from([Err(busy(1))]), ..Script::default() };
        let server = ScriptedServer::start(script).await;
        let answer = connect(&server).await.evaluate(request_with_key(key)).await;
        assert_eq!(answer.is_ok(), calls == 2, "{key}");
        let script = server.script.lock().unwrap();
        assert_eq!(script.evaluate_requests.len(), calls, "{key}");
        assert!(script.evaluate_requests.iter().all(|request| request.idempotency_key == key));
    }
}

#[tokio::test]
async fn errors_without_retry_info_are_final() {
    let refusals = VecDeque::from([Status::unavailable("draining")]);
    let server =
        ScriptedServer::start(Script { score_refusals: refusals, ..Script::default() }).await;
    assert!(connect(&server).await.score(paper_request()).await.is_err());
    assert_eq!(server.script.lock().unwrap().metadata.len(), 1);
}

#[tokio::test]
async fn unreachable_server_is_reported_with_a_fix() {
    let folder = tempfile::tempdir().unwrap();
    let endpoint = format!("unix://{}/gsar.sock", folder.path().display());
    let error = Client::connect(&endpoint.parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }));
    let message = error.to_string();
    assert!(
        message.starts_with(&format!("no sidecar is responding at {endpoint}: No such file")),
        "{message}"
    );
    assert!(message.contains("start gsar-server"), "{message}");
}
