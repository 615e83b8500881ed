//! Asks a sidecar whether a report may go out: `cargo run -p gsar-client --example evaluate -- unix:///tmp/gsar.sock`,
//! with `gsar-server --listen unix:///tmp/gsar.sock --data-dir /tmp/gsar` beside it.

#![allow(clippy::print_stdout, clippy::allow_attributes, reason = "this is what it is for")]

use gsar_client::{Client, Item};
use gsar_core::Class;

const PODS: &str =
    "NAME    READY  STATUS   RESTARTS\ncart-1  1/1    Running  4\ncart-2  1/1    Running  0\n";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1).ok_or("name the endpoint of a sidecar")?;
    let client = Client::connect(&endpoint.parse()?).await?;
    let pods = Item::text("pods", PODS).tool("kubectl get pods");
    let report = "Pod cart-1 restarted 4 times. Pod cart-2 is Pending.";
    let verdict = client.check(report).evidence([pods]).verdict().await?;
    println!("{}", if verdict.may_go_out() { "may go out" } else { "held" });
    for claim in verdict.faults() {
        println!("  {}: {}", claim.class().map_or("unknown", Class::name), claim.text());
    }
    for (code, sentence) in verdict.reasons() {
        println!("  {code}: {sentence}");
    }
    Ok(())
}
