//! Asks a sidecar whether a report may go out: `cargo run -p gsar-client --example evaluate -- unix:///tmp/gsar.sock`,
//! with `gsar-server --listen unix:///tmp/gsar.sock --data-dir /tmp/gsar` beside it.

#![allow(
    clippy::print_stdout,
    clippy::allow_attributes,
    reason = "this is what the program is for"
)]

use gsar_client::v1::evidence_item::Content;
use gsar_client::{Client, v1};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endpoint = std::env::args().nth(1).ok_or("name the endpoint of a sidecar")?;
    let client = Client::connect(&endpoint.parse()?).await?;
    let request = v1::EvaluateRequest {
        report: Some(v1::Report {
            synthesis: "Pod cart-1 restarted 4 times. Pod cart-2 is Pending.".to_owned(),
            ..Default::default()
        }),
        evidence: vec![v1::EvidenceItem {
            id: "pods".to_owned(),
            kind: v1::EvidenceKind::ToolOutput.into(),
            lane: v1::EvidenceLane::StaticInfra.into(),
            tool: "kubectl get pods".to_owned(),
            content: Some(Content::Text(
                "NAME    READY  STATUS   RESTARTS\ncart-1  1/1    Running  4\ncart-2  1/1    Running  0\n"
                    .to_owned(),
            )),
            ..Default::default()
        }],
        ..Default::default()
    };
    let answer = client.evaluate(request).await?;
    for claim in &answer.claims {
        println!("{:<12} {}", claim.class().as_str_name(), claim.text);
    }
    let decision = answer.decision.unwrap_or_default();
    println!("{}", decision.tier().as_str_name());
    for reason in decision.reasons {
        println!("  {}: {}", reason.code, reason.sentence);
    }
    Ok(())
}
