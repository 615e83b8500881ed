//! Measures calls that read recorded evaluations: lists, counts and rescoring.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Parser;
use gsar_benches::{load, requests};
use gsar_client::{Client, Endpoint, v1};

/// Records evaluations of 1 to 20 claims, then times each call sequentially on an open connection.
/// Prints a Markdown table.
#[derive(Parser)]
struct Arguments {
    /// Server address: unix:///path/to.sock or grpc://address:port.
    #[arg(long)]
    endpoint: Endpoint,
    /// Number of evaluations to record.
    #[arg(long, default_value_t = 100_000)]
    evaluations: u64,
    /// Number of evaluations to rescore.
    #[arg(long, default_value_t = 10_000)]
    decided: u32,
    /// Repetitions per call.
    #[arg(long, default_value_t = 20)]
    calls: usize,
}

const CALLERS: u32 = 16;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "prints its result")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let client = Client::connect(&arguments.endpoint).await?;
    let client = client.with_deadline(Duration::from_secs(60));
    let begun = Instant::now();
    record(&client, arguments.evaluations).await?;
    println!(
        "{} evaluations recorded in {:.0} s\n",
        arguments.evaluations,
        begun.elapsed().as_secs_f64()
    );
    println!("| call | median, ms | maximum, ms |\n|---|---:|---:|");
    for (what, request) in lists() {
        let times = timed(arguments.calls, || client.list_evaluations(request.clone())).await?;
        println!("| {what} | {times}");
    }
    let hours = Some(seconds(3_600));
    for (what, interval) in [("counts by hour", hours), ("total counts", None)] {
        let request = v1::CountEvaluationsRequest { evaluations: None, interval };
        let times = timed(arguments.calls, || client.count_evaluations(request.clone())).await?;
        println!("| {what} | {times}");
    }
    let decided = arguments.decided;
    let request = v1::RescoreEvaluationsRequest {
        policy_overrides: Some(v1::PolicyOverrides {
            tau_proceed: Some(0.75),
            ..Default::default()
        }),
        limit: decided,
        ..Default::default()
    };
    let answer = client.rescore_evaluations(request.clone()).await?;
    ensure!(answer.decided == decided, "{} of {decided} evaluations were rescored", answer.decided);
    let changed: u32 = answer.changes.iter().map(|change| change.evaluations).sum();
    let times = timed(arguments.calls, || client.rescore_evaluations(request.clone())).await?;
    println!("| {decided} rescored under another threshold, of which {changed} change | {times}");
    Ok(())
}

fn lists() -> Vec<(&'static str, v1::ListEvaluationsRequest)> {
    let all = v1::ListEvaluationsRequest::default;
    vec![
        ("first page, 50 evaluations", all()),
        ("first page, 1000 evaluations", v1::ListEvaluationsRequest { page_size: 1_000, ..all() }),
        ("filter by tier", v1::ListEvaluationsRequest { tier: v1::Tier::Replan.into(), ..all() }),
        ("went out unproven", v1::ListEvaluationsRequest { unproven_only: true, ..all() }),
        (
            "filter by a judge that does not exist (full scan)",
            v1::ListEvaluationsRequest { judge: "none".to_owned(), ..all() },
        ),
    ]
}

fn seconds(seconds: i64) -> prost_types::Duration {
    prost_types::Duration { seconds, nanos: 0 }
}

async fn record(client: &Client, evaluations: u64) -> anyhow::Result<()> {
    let (client, next) = (client.clone(), Arc::new(AtomicUsize::new(0)));
    let call = move || {
        let (client, number) = (client.clone(), next.fetch_add(1, Ordering::Relaxed));
        async move {
            client.evaluate(request(number)).await?;
            Ok(())
        }
    };
    load::in_flight(CALLERS, evaluations, call).await?;
    Ok(())
}

/// Builds reports with different numbers of claims, so that decisions differ.
fn request(number: usize) -> v1::EvaluateRequest {
    let mut request = requests::evaluate();
    let report = request.report.get_or_insert_default();
    let claims = report.claims.len().max(1);
    report.claims.rotate_left(number / claims % claims);
    report.claims.truncate(1 + number % claims);
    report.id = format!("report-{number}");
    request.investigation_id = format!("incident-{}", number / 5);
    request
}

async fn timed<T, E, F>(calls: usize, call: impl Fn() -> F) -> anyhow::Result<String>
where
    F: Future<Output = Result<T, E>>,
    E: std::error::Error + Send + Sync + 'static,
{
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begun = Instant::now();
        call().await?;
        times.push(begun.elapsed());
    }
    times.sort();
    let milliseconds = |at: usize| times.get(at).map(|time| time.as_secs_f64() * 1e3);
    let (median, max) = milliseconds(calls / 2).zip(milliseconds(calls - 1)).context("no calls")?;
    Ok(format!("{median:.1} | {max:.1} |"))
}
