//! This program compares the Rust SDK with a bare client of tonic: the same calls to one server, in turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use gsar_benches::requests;
use gsar_client::{Client, Endpoint, v1};
use tokio::task::JoinSet;
use tonic::transport::Channel;
use v1::grounding_service_client::GroundingServiceClient;

/// Prints calls per second of the SDK over those of a bare client, with 1 and 64 in flight.
#[derive(Parser)]
struct Arguments {
    /// The server: grpc://address:port.
    #[arg(long)]
    endpoint: String,
    /// Calls of each measurement.
    #[arg(long, default_value_t = 20_000)]
    calls: u64,
    /// Measurements of each, in turns.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
}

#[derive(Clone)]
enum Subject {
    Sdk(Client),
    Bare(GroundingServiceClient<Channel>),
}

impl Subject {
    async fn score(&mut self) -> anyhow::Result<()> {
        match self {
            Self::Sdk(client) => {
                client.score(requests::score()).await?;
            }
            Self::Bare(client) => {
                client.score(requests::score()).await?;
            }
        }
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "this is what the program is for")]
async fn main() -> anyhow::Result<()> {
    let Arguments { endpoint, calls, rounds } = Arguments::parse();
    let address = endpoint.replace("grpc://", "http://");
    let bare = Subject::Bare(GroundingServiceClient::connect(address).await?);
    let sdk = Subject::Sdk(Client::connect(&endpoint.parse::<Endpoint>()?).await?);
    println!("| `Score`, in flight | SDK, calls/s | bare tonic, calls/s | ratio |");
    println!("|---|---:|---:|---:|");
    for in_flight in [1, 64] {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let bare = rate(&bare, in_flight, calls).await?;
            let sdk = rate(&sdk, in_flight, calls).await?;
            ours.push(sdk);
            theirs.push(bare);
            ratios.push(sdk / bare);
        }
        let ratio = median(&mut ratios);
        let (least, most) = (ratios.first().copied(), ratios.last().copied());
        println!(
            "| {in_flight} | {:.0} | {:.0} | {ratio:.2} [{:.2} .. {:.2}] |",
            median(&mut ours),
            median(&mut theirs),
            least.unwrap_or_default(),
            most.unwrap_or_default(),
        );
    }
    Ok(())
}

/// Calls per second.
async fn rate(subject: &Subject, in_flight: usize, calls: u64) -> anyhow::Result<f64> {
    let left = Arc::new(AtomicU64::new(calls));
    let start = Instant::now();
    let mut lanes = JoinSet::new();
    for _ in 0..in_flight {
        let (mut subject, left) = (subject.clone(), Arc::clone(&left));
        lanes.spawn(async move {
            let take = || {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            };
            while take().is_ok() {
                subject.score().await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(lane) = lanes.join_next().await {
        lane??;
    }
    Ok(calls as f64 / start.elapsed().as_secs_f64())
}

/// The value in the middle; sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
