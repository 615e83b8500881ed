//! This program is the load client.

use std::path::PathBuf;

use clap::Parser;
use gsar_benches::endpoint::Endpoint;
use gsar_benches::load::{self, Plan};
use gsar_benches::stream_load;

/// Makes the same call many times on one connection, or sends the same report over one stream, and prints what was
/// measured as one JSON object.
/// Ends with an error as soon as an answer is not OK.
#[derive(Parser)]
struct Arguments {
    /// The server: unix:///path/to.sock or grpc://address:port.
    #[arg(long)]
    endpoint: Endpoint,
    /// The method, such as /gsar.v1.GroundingService/Score.
    #[arg(long)]
    path: String,
    /// Send messages over one stream; the method is `EvaluateStream` and the message a request of `Evaluate`.
    #[arg(long)]
    stream: bool,
    /// File with the encoded message.
    #[arg(long)]
    message: PathBuf,
    /// Calls in flight at any time.
    #[arg(long, default_value_t = 64)]
    in_flight: u32,
    /// Calls before the measurement.
    #[arg(long, default_value_t = 0)]
    warm_up: u64,
    /// Calls that are measured.
    #[arg(long, default_value_t = 1)]
    calls: u64,
    /// Process of the server, to read its processor time.
    #[arg(long)]
    pid: Option<u32>,
    /// Make one call only and write the message of its answer here.
    #[arg(long, conflicts_with_all = ["calls", "warm_up", "pid", "stream"])]
    save_answer: Option<PathBuf>,
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "this is what the program is for")]
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
        Some(path) => std::fs::write(path, load::once(&plan).await?)?,
        None if arguments.stream => println!("{}", stream_load::run(&plan).await?.to_json()),
        None => println!("{}", load::run(&plan).await?.to_json()),
    }
    Ok(())
}
