//! Tests that a busy server stays responsive and stops working for callers that have disconnected.

use std::path::Path;
use std::time::Duration;

use crate::support::process::Process;
use crate::support::{self, health};
use bytes::Bytes;
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use http_body::Frame;
use http_body_util::StreamBody;
use rustix::process::Signal;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt as _;
use tower::{Service as _, ServiceExt as _};

/// The size in bytes of a report that takes a minute to parse in a debug build.
const LONG_REPORT: usize = 4 << 20;

fn long_report(bytes: usize) -> v1::EvaluateRequest {
    let report = v1::Report { synthesis: "1,".repeat(bytes / 2), ..Default::default() };
    v1::EvaluateRequest { report: Some(report), ..support::request() }
}

async fn evaluate_long_report(channel: Channel, timeout: Duration) -> Result<(), Status> {
    evaluate_report_of_size(channel, LONG_REPORT, timeout).await
}

async fn evaluate_report_of_size(
    channel: Channel,
    bytes: usize,
    timeout: Duration,
) -> Result<(), Status> {
    let mut client = GroundingServiceClient::new(channel);
    let mut request = Request::new(long_report(bytes));
    request.set_timeout(timeout);
    client.evaluate(request).await.map(drop)
}

async fn send_incomplete_message(mut channel: Channel, bytes: usize) -> impl Sized {
    let (parts, body) = mpsc::channel(1);
    let body = Body::new(StreamBody::new(ReceiverStream::new(body)));
    let request = http::Request::post("http://localhost/gsar.v1.GroundingService/Evaluate")
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .unwrap();
    let answer = tokio::spawn(async move { channel.ready().await?.call(request).await });
    let mut prefix = vec![0];
    prefix.extend(u32::try_from(bytes + 1).unwrap().to_be_bytes());
    for part in [prefix, vec![0; bytes]] {
        parts.send(Ok::<_, Status>(Frame::data(Bytes::from(part)))).await.unwrap();
    }
    (parts, answer)
}

fn limit_and_retry(error: &Status) -> (String, bool) {
    let details = error.get_error_details();
    let quota = details.quota_failure().unwrap_or_else(|| panic!("{error:?}"));
    (quota.violations[0].subject.clone(), details.retry_info().is_some())
}

async fn start_long_calls(
    folder: &Path,
    reports: usize,
    timeout: Duration,
) -> JoinSet<Result<(), Status>> {
    let mut calls = JoinSet::new();
    for _ in 0..reports {
        let channel = support::connect(&folder.join("gsar.sock")).await;
        calls.spawn(evaluate_long_report(channel, timeout));
    }
    // By the time these health checks are answered, the server has received the reports.
    let channel = support::connect(&folder.join("gsar.sock")).await;
    for _ in 0..100 {
        assert_eq!(health(channel.clone(), "").await, ServingStatus::Serving);
    }
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn long_reports_do_not_block_other_calls() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let mut calls = start_long_calls(folder.path(), 16, Duration::from_secs(20)).await;
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let claims = [(v1::ClaimClass::Grounded, v1::EvidenceType::ToolMatch, 1)];
    let counts = support::counts(&claims);
    GroundingServiceClient::new(channel).score(counts).await.unwrap();
    assert!(calls.try_join_next().is_none(), "a long report was already answered");
    calls.shutdown().await;
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnect_or_timeout_releases_the_permit() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::with_config(folder.path(), "[limits]\ncalls_in_flight = 1\n");
    for timeout in [Duration::from_secs(60), Duration::from_millis(300)] {
        let mut calls = start_long_calls(folder.path(), 1, timeout).await;
        if timeout.as_secs() > 0 {
            calls.shutdown().await;
        } else {
            let error = calls.join_next().await.unwrap().unwrap().unwrap_err();
            // If the client notices the deadline before the server does, it reports Cancelled.
            let deadline_codes = [Code::DeadlineExceeded, Code::Cancelled];
            assert!(deadline_codes.contains(&error.code()), "{error:?}");
        }
        let channel = support::connect(&folder.path().join("gsar.sock")).await;
        let mut client = GroundingServiceClient::new(channel);
        // If the permit were held until the whole report was parsed, this loop would outlast the test.
        while let Err(error) = client.evaluate(support::request()).await {
            assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
        }
    }
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_server_stops_after_its_grace_period() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::with_config(folder.path(), "[shutdown]\ngrace = \"200ms\"\n");
    let mut calls = start_long_calls(folder.path(), 4, Duration::from_secs(60)).await;
    process.signal(Signal::TERM);
    process.log_line("stopped");
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    while let Some(result) = calls.join_next().await {
        result.unwrap().unwrap_err();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn second_signal_stops_a_busy_server_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::with_config(folder.path(), "[shutdown]\ngrace = \"60s\"\n");
    let calls = start_long_calls(folder.path(), 4, Duration::from_secs(60)).await;
    process.signal(Signal::TERM);
    process.log_line("draining");
    process.signal(Signal::INT);
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(1));
    drop(calls);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_calls_beyond_the_work_and_memory_limits() {
    for (limit, config) in [
        ("limits.work", "work = 1_000_000"),
        ("limits.memory", "memory = \"40MiB\"\nmessage = \"5MiB\""),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let process = Process::with_config(folder.path(), &format!("[limits]\n{config}\n"));
        let channel = support::connect(&folder.path().join("gsar.sock")).await;
        let error =
            evaluate_long_report(channel.clone(), Duration::from_secs(60)).await.unwrap_err();
        assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
        assert_eq!(limit_and_retry(&error), (limit.to_owned(), false), "{error:?}");
        GroundingServiceClient::new(channel).evaluate(support::request()).await.unwrap();
        drop(process);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_messages_while_memory_is_exhausted() {
    let folder = tempfile::tempdir().unwrap();
    // This is enough memory for one long report, but not for two.
    let config = "[limits]\nmessage = \"5MiB\"\nmemory = \"48MiB\"\n";
    let process = Process::with_config(folder.path(), config);
    let first_channel = support::connect(&folder.path().join("gsar.sock")).await;
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let incomplete_message = send_incomplete_message(first_channel, 4 << 20).await;
    let error = loop {
        match evaluate_long_report(channel.clone(), Duration::from_secs(60)).await.unwrap_err() {
            // A retry could succeed, so the limit was reached because of the first message, which is still incomplete.
            error if limit_and_retry(&error).1 => break error,
            _ => {}
        }
    };
    assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
    assert_eq!(limit_and_retry(&error).0, "limits.memory", "{error:?}");
    drop(incomplete_message);
    // Once the memory is free again, the call exceeds the work limit instead, and a retry would not help.
    while limit_and_retry(
        &evaluate_long_report(channel.clone(), Duration::from_secs(60)).await.unwrap_err(),
    )
    .1
    {}
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_cut_off_at_shutdown_fail_as_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::with_config(folder.path(), "[shutdown]\ngrace = \"200ms\"\n");
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let mut calls = JoinSet::new();
    calls.spawn(evaluate_report_of_size(
        channel.clone(),
        LONG_REPORT / 16,
        Duration::from_secs(60),
    ));
    for _ in 0..100 {
        assert_eq!(health(channel.clone(), "").await, ServingStatus::Serving);
    }
    process.signal(Signal::TERM);
    let error = calls.join_next().await.unwrap().unwrap().unwrap_err();
    assert_eq!(error.code(), Code::Unavailable, "{error:?}");
    assert!(error.message().contains("draining"), "{error:?}");
}
