//! A bare tonic echo server.

use clap::Parser;
use gsar_benches::echo::{Echo, serve};
use gsar_client::Endpoint;

/// Answers every call to /gsar.benches.Echo/Call with a message of a fixed size.
#[derive(Parser)]
struct Arguments {
    /// Address to listen on: unix:///path/to.sock or grpc://address:port.
    #[arg(long)]
    listen: Endpoint,
    /// Encoded size of the answer in bytes.
    #[arg(long)]
    answer_bytes: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    serve(&arguments.listen, Echo::answering(arguments.answer_bytes)).await
}
