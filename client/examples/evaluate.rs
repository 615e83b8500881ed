//! Asks a sidecar whether a report may be sent. Start `gsar-server --listen unix:///tmp/gsar.sock --data-dir
//! /tmp/gsar`, then run `cargo run -p gsar-client --example evaluate -- unix:///tmp/gsar.sock`.

#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "the example prints the verdict")]

use gsar_client::{Client, Item};
use gsar_core::evidence::Lane;

const LOG: &str = "14:01:40 pod checkout-7b84 was OOMKilled with exit code 137";
const POD: &str = r#"{"name": "checkout-7b84", "memory_limit": "512Mi"}"#;
const REPORT: &str = "Pod checkout-7b84 was OOMKilled with exit code 137. The memory limit of checkout-7b84 is 1 GiB.";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1).ok_or("missing argument: the endpoint of a sidecar")?;
    let client = Client::connect(&endpoint.parse()?).await?;
    let log = Item::text("log", LOG).lane(Lane::Logs);
    let pod = Item::text("pod", POD).lane(Lane::StaticInfra);
    let verdict = client.check(REPORT).evidence([log, pod]).verdict().await?;
    println!("{}", if verdict.may_proceed() { "send" } else { "hold" });
    for claim in verdict.faults() {
        println!("  correct or drop: {}", claim.text());
    }
    for (code, sentence) in verdict.reasons() {
        println!("  {code}: {sentence}");
    }
    Ok(())
}
