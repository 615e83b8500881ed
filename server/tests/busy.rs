//! These tests check that a server which computes goes on serving, and that nothing computes on for nobody.

use std::path::Path;
use std::time::Duration;

use crate::support::process::Process;
use crate::support::{self, health};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use rustix::process::Signal;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_check_response::ServingStatus;

/// Reading it takes a minute without optimisation.
fn long_report() -> v1::EvaluateRequest {
    let report = v1::Report { synthesis: "1,".repeat(1 << 21), ..v1::Report::default() };
    v1::EvaluateRequest { report: Some(report), ..support::request() }
}

async fn evaluate(channel: Channel, within: Duration) -> Result<(), Status> {
    let mut client = GroundingServiceClient::new(channel);
    let mut request = Request::new(long_report());
    request.set_timeout(within);
    client.evaluate(request).await.map(drop)
}

/// Has as many long reports evaluated, each until `within`.
async fn keep_busy(folder: &Path, reports: usize, within: Duration) -> JoinSet<Result<(), Status>> {
    let mut calls = JoinSet::new();
    for _ in 0..reports {
        let channel = support::connect(&folder.join("gsar.sock")).await;
        calls.spawn(evaluate(channel, within));
    }
    // Each answer comes after some of what was sent before.
    let channel = support::connect(&folder.join("gsar.sock")).await;
    for _ in 0..100 {
        assert_eq!(health(channel.clone(), "").await, ServingStatus::Serving);
    }
    calls
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_small_calls_are_answered_while_long_reports_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(folder.path());
    let mut calls = keep_busy(folder.path(), 16, Duration::from_secs(20)).await;
    let channel = support::connect(&folder.path().join("gsar.sock")).await;
    let counts = v1::ScoreRequest {
        partition: Some(v1::score_request::Partition::Counts(v1::PartitionCounts {
            counts: vec![v1::ClaimCount {
                class: v1::ClaimClass::Grounded.into(),
                r#type: v1::EvidenceType::ToolMatch.into(),
                count: 1,
                undecided: false,
            }],
        })),
        ..v1::ScoreRequest::default()
    };
    GroundingServiceClient::new(channel).score(counts).await.unwrap();
    assert!(calls.try_join_next().is_none(), "all long reports are still read");
    calls.shutdown().await;
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_caller_has_gone_gives_its_place_back() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::configured(folder.path(), "[limits]\ncalls_in_flight = 1\n");
    for within in [Duration::from_secs(60), Duration::from_millis(300)] {
        let mut calls = keep_busy(folder.path(), 1, within).await;
        if within.as_secs() > 0 {
            calls.shutdown().await;
        } else {
            let refused = calls.join_next().await.unwrap().unwrap().unwrap_err();
            // Its client may see the deadline first.
            let late = [Code::DeadlineExceeded, Code::Cancelled];
            assert!(late.contains(&refused.code()), "{refused:?}");
        }
        let channel = support::connect(&folder.path().join("gsar.sock")).await;
        let mut client = GroundingServiceClient::new(channel);
        // Reading the report to its end takes longer than the test may.
        while let Err(refused) = client.evaluate(support::request()).await {
            assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
        }
    }
    drop(process);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_ends_with_its_grace_whatever_it_reads() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::configured(folder.path(), "[shutdown]\ngrace = \"200ms\"\n");
    let mut calls = keep_busy(folder.path(), 4, Duration::from_secs(60)).await;
    process.signal(Signal::TERM);
    process.log_line("stopped");
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0));
    while let Some(ended) = calls.join_next().await {
        ended.unwrap().unwrap_err();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_a_busy_server_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::configured(folder.path(), "[shutdown]\ngrace = \"60s\"\n");
    let calls = keep_busy(folder.path(), 4, Duration::from_secs(60)).await;
    process.signal(Signal::TERM);
    process.log_line("draining");
    process.signal(Signal::INT);
    let status = tokio::task::spawn_blocking(move || process.wait()).await.unwrap();
    assert_eq!(status.code(), Some(1));
    drop(calls);
}
