//! Compares the Rust SDK with a bare tonic client on the same server.

use std::time::Instant;

use clap::Parser;
use gsar_benches::{load, requests};
use gsar_client::{Client, Endpoint, v1};
use tonic::transport::Channel;
use v1::grounding_service_client::GroundingServiceClient;

/// Prints calls per second of the SDK relative to a bare client, with 1 and 64 calls in flight.
#[derive(Parser)]
struct Arguments {
    /// Server address: grpc://address:port.
    #[arg(long)]
    endpoint: String,
    /// Calls per measurement.
    #[arg(long, default_value_t = 20_000)]
    calls: u64,
    /// Number of alternating rounds.
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
#[expect(clippy::print_stdout, reason = "prints its result")]
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
        let (min, max) = (ratios.first().copied(), ratios.last().copied());
        println!(
            "| {in_flight} | {:.0} | {:.0} | {ratio:.2} [{:.2} .. {:.2}] |",
            median(&mut ours),
            median(&mut theirs),
            min.unwrap_or_default(),
            max.unwrap_or_default(),
        );
    }
    Ok(())
}

async fn rate(subject: &Subject, in_flight: u32, calls: u64) -> anyhow::Result<f64> {
    let subject = subject.clone();
    let call = move || {
        let mut subject = subject.clone();
        async move { subject.score().await }
    };
    let start = Instant::now();
    load::in_flight(in_flight, calls, call).await?;
    Ok(calls as f64 / start.elapsed().as_secs_f64())
}

/// Returns the median. Sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
