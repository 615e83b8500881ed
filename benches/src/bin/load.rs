//! The load client.

use std::path::PathBuf;

use clap::Parser;
use gsar_benches::load::{self, Plan};
use gsar_benches::stream_load;
use gsar_client::Endpoint;

/// Makes the same call many times on one connection, or sends the same report many times over one
/// stream. Prints one JSON object. Fails on the first answer that is not OK.
#[derive(Parser)]
struct Arguments {
    /// Server address: unix:///path/to.sock or grpc://address:port.
    #[arg(long)]
    endpoint: Endpoint,
    /// Method, such as /gsar.v1.GroundingService/Score.
    #[arg(long)]
    path: String,
    /// Send the message over one `EvaluateStream`; it must be an `EvaluateRequest`.
    #[arg(long)]
    stream: bool,
    /// File with the encoded message.
    #[arg(long)]
    message: PathBuf,
    /// Concurrent calls.
    #[arg(long, default_value_t = 64)]
    in_flight: u32,
    /// Calls before the measurement.
    #[arg(long, default_value_t = 0)]
    warm_up: u64,
    /// Measured calls.
    #[arg(long, default_value_t = 1)]
    calls: u64,
    /// Process id of the server, to measure its CPU time.
    #[arg(long)]
    pid: Option<u32>,
    /// Make only one call and write its answer to this file.
    #[arg(long, conflicts_with_all = ["calls", "warm_up", "pid", "stream"])]
    save_answer: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "prints its result")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let plan = Plan {
        endpoint: arguments.endpoint,
        path: arguments.path,
        message: std::fs::read(&arguments.message)?.into(),
        in_flight: arguments.in_flight,
        warm_up: arguments.warm_up,
        calls: arguments.calls,
        server: arguments.pid,
    };
    match arguments.save_answer {
        Some(path) => {
            let answer = load::in_sequence(&plan).await?.pop();
            std::fs::write(path, answer.unwrap_or_default().1)?;
        }
        None if arguments.stream => println!("{}", stream_load::run(&plan).await?.to_json()),
        None => println!("{}", load::run(&plan).await?.to_json()),
    }
    Ok(())
}
