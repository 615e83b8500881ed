//! Measures how late evaluations return after their deadline if the chat model hangs.
//!
//! `cargo run --release -p gsar-server --example deadline_times [CALLS]`
//!
//! Runs a server, a provider that never answers, and a caller in one process. For comparison, it also measures how late
//! a timer in the caller's runtime fires.

#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "prints results")]

use std::error::Error;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use gsar_chat_wire::{KEY, ScriptedReply, Server, Wire};
use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, EmbeddingsMode, Listen, Model, Problems};
use gsar_server::lifecycle::App;
use gsar_server::server_phase::Phase;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

const MODEL: &str = "openai:stuck";
const DEADLINE: Duration = Duration::from_millis(200);

fn main() -> Result<(), Box<dyn Error>> {
    let calls: usize = std::env::args().nth(1).map_or(Ok(1_000), |given| given.parse())?;
    let provider_runtime = runtime(1)?;
    let provider = provider_runtime.block_on(Server::start())?;
    provider.forget_requests();
    provider.always(ScriptedReply::Hang);
    let folder = tempfile::tempdir()?;
    let key = folder.path().join("key");
    std::fs::write(&key, KEY)?;
    let socket = folder.path().join("gsar.sock");
    let mut config = Config {
        listen: vec![Listen::Unix(socket.clone())],
        data_dir: folder.path().join("data"),
        ..Config::default()
    };
    config.evidence.embeddings = EmbeddingsMode::Off;
    // The deadline is set on the server, because a client stops waiting at its own deadline.
    config.limits.max_deadline.0 = DEADLINE;
    let model = Model {
        base_url: Some(provider.base_url(Wire::OpenAi)),
        key_file: Some(key),
        ..Model::default()
    };
    config.judges.chain = vec![MODEL.to_owned()];
    config.judges.models.insert(MODEL.to_owned(), model);
    let server_runtime = runtime(2)?;
    let app = {
        let checked = CheckedConfig::check(config, Vec::new(), Problems::default())?;
        server_runtime.block_on(App::bind(checked))?
    };
    let phase = app.phase();
    server_runtime.spawn(app.serve(std::future::pending(), tokio_stream::pending()));
    server_runtime.block_on(phase.wait_for(Phase::Ready));

    let caller_runtime = Builder::new_current_thread().enable_all().build()?;
    caller_runtime.block_on(async {
        let address = format!("unix://{}", socket.display());
        let channel = Endpoint::from_shared(address)?.connect().await?;
        println!("later than {DEADLINE:?}            p50        p99        max");
        for concurrency in [1, 16] {
            // Each sequential call takes the whole deadline.
            let calls = if concurrency == 1 { calls.div_ceil(10) } else { calls };
            let evaluations = (0..calls).map(|_| evaluation_lateness(channel.clone()));
            let lateness = collect(evaluations, concurrency).await?;
            show(&format!("{calls} calls, {concurrency} at once"), lateness);
            show("  a timer", collect((0..calls).map(|_| timer_lateness()), concurrency).await?);
        }
        provider.wait_until(|counts| counts.open == 0).await;
        let counts = provider.counts();
        println!("the provider received {} requests, {} are open", counts.requests, counts.open);
        Ok(())
    })
}

fn runtime(threads: usize) -> Result<Runtime, std::io::Error> {
    Builder::new_multi_thread().worker_threads(threads).enable_all().build()
}

async fn collect(
    calls: impl Iterator<Item = impl Future<Output = Result<Duration, String>>>,
    concurrency: usize,
) -> Result<Vec<Duration>, String> {
    let lateness = stream::iter(calls).buffer_unordered(concurrency).collect::<Vec<_>>().await;
    lateness.into_iter().collect()
}

/// Returns how long after the deadline the response arrives.
async fn evaluation_lateness(channel: Channel) -> Result<Duration, String> {
    let mut request = Request::new(evaluate_request());
    let client_timeout = "60S".parse().map_err(|_| "no metadata")?;
    request.metadata_mut().insert("grpc-timeout", client_timeout);
    let start = Instant::now();
    let response = GroundingServiceClient::new(channel).evaluate(request).await;
    let lateness = start.elapsed().saturating_sub(DEADLINE);
    match response {
        Err(status) if status.code() == Code::DeadlineExceeded => Ok(lateness),
        other => Err(format!("expected DEADLINE_EXCEEDED, got {other:?}")),
    }
}

async fn timer_lateness() -> Result<Duration, String> {
    let start = Instant::now();
    tokio::time::sleep(DEADLINE).await;
    Ok(start.elapsed().saturating_sub(DEADLINE))
}

/// Returns a request with twenty claims and 4 KiB of evidence.
fn evaluate_request() -> v1::EvaluateRequest {
    let claim = |number| v1::Claim {
        id: format!("c{number}"),
        text: format!("The pool size of service {number} is 20."),
        ..v1::Claim::default()
    };
    let text = "the pool size of service 7 is 20\n".repeat(125);
    v1::EvaluateRequest {
        report: Some(v1::Report { claims: (0..20).map(claim).collect(), ..v1::Report::default() }),
        evidence: vec![v1::EvidenceItem {
            id: "log".to_owned(),
            kind: v1::EvidenceKind::ToolOutput.into(),
            lane: v1::EvidenceLane::StaticInfra.into(),
            content: Some(v1::evidence_item::Content::Text(text)),
            ..v1::EvidenceItem::default()
        }],
        options: Some(v1::EvaluateOptions { bypass_cache: true, ..Default::default() }),
        ..v1::EvaluateRequest::default()
    }
}

fn show(label: &str, mut lateness: Vec<Duration>) {
    lateness.sort_unstable();
    let percentile =
        |percent: usize| lateness.get(lateness.len() * percent / 100).or(lateness.last());
    let [p50, p99, max] = [percentile(50), percentile(99), lateness.last()]
        .map(|time| time.copied().unwrap_or_default());
    println!("{label:<24} {p50:>10.1?} {p99:>10.1?} {max:>10.1?}");
}
