//! Tests that the attestation of evidence depends on the listener, the peer and the tool.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use crate::support::chat_models::evaluate;
use crate::support::corpora::put;
use crate::support::{TestServer, connect, evaluation, item};
use gsar_proto::v1;
use gsar_server::config::{Attested, Config, Listen};
use tonic::transport::Channel;
use v1::evidence_service_client::EvidenceServiceClient;

/// The server's sockets. In this order, they attest no evidence, the evidence of this user, the evidence of another
/// user, and only evidence from the tool `kubectl`.
const SOCKETS: [&str; 4] = ["plain.sock", "agents.sock", "others.sock", "kubectl.sock"];

async fn start_server() -> TestServer {
    let configure = |config: &mut Config| {
        let folder = config.data_dir.parent().unwrap().to_owned();
        let listen = |name: &str| Listen::Unix(folder.join(name));
        config.listen.extend(SOCKETS.map(listen));
        let uid = std::fs::metadata(&folder).unwrap().uid();
        let attested_listener = |name: &str, peer_uid, tools: &[&str]| Attested {
            principal: None,
            listen: listen(name),
            peer_uid,
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        };
        config.evidence.attested = vec![
            attested_listener("agents.sock", Some(uid), &[]),
            attested_listener("others.sock", Some(uid + 1), &[]),
            attested_listener("kubectl.sock", None, &["kubectl *"]),
        ];
    };
    TestServer::with(configure).await
}

async fn connect_to(server: &TestServer, socket: &str) -> Channel {
    let path: PathBuf = server.folder.path().join(socket);
    connect(&path).await
}

fn request(tool: &str) -> v1::EvaluateRequest {
    let sentences: Vec<String> =
        (1..=11).map(|pool| format!("The size of pool-{pool} is {}.", pool * 7)).collect();
    let synthesis = format!("{} The size of pool-99 is 5.", sentences.join(" "));
    let sizes = v1::EvidenceItem { tool: tool.to_owned(), ..item("sizes", &sentences.join("\n")) };
    v1::EvaluateRequest { policy: "strict".to_owned(), ..evaluation(&synthesis, vec![sizes]) }
}

async fn evaluate_over(
    server: &TestServer,
    socket: &str,
    request: v1::EvaluateRequest,
) -> v1::EvaluateResponse {
    evaluate(&connect_to(server, socket).await, request).await.unwrap()
}

fn is_attested(answer: &v1::EvaluateResponse) -> bool {
    answer.provenance.as_ref().unwrap().evidence[0].attested
}

#[tokio::test]
async fn attestation_depends_on_the_listener_and_the_peer() {
    let server = start_server().await;
    for (socket, attested) in SOCKETS.into_iter().zip([false, true, false, false]) {
        let answer = evaluate_over(&server, socket, request("psql")).await;
        let decision = answer.decision.as_ref().unwrap();
        assert_eq!(is_attested(&answer), attested, "{socket}");
        assert_eq!(decision.tier() == v1::Tier::Proceed, attested, "{socket}: {decision:?}");
        let evidence_type = answer.claims[0].r#type();
        assert_eq!(
            evidence_type == v1::EvidenceType::ToolMatch,
            attested,
            "{socket}: {evidence_type:?}"
        );
    }
}

#[tokio::test]
async fn attestation_can_be_limited_to_a_tool() {
    let server = start_server().await;
    for (socket, tool, attested) in [
        ("kubectl.sock", "kubectl get pools", true),
        ("kubectl.sock", "kubectl-other", false),
        ("plain.sock", "kubectl get pools", false),
    ] {
        let answer = evaluate_over(&server, socket, request(tool)).await;
        assert_eq!(is_attested(&answer), attested, "{socket} {tool}");
    }
}

#[tokio::test]
async fn corpus_items_keep_their_attestation() {
    let server = start_server().await;
    let store = async |socket: &str, corpus: &str| {
        let sizes = v1::EvidenceItem {
            step_id: "step-3".to_owned(),
            specialist_id: "database".to_owned(),
            ..request("psql").evidence.remove(0)
        };
        let mut client = EvidenceServiceClient::new(connect_to(&server, socket).await);
        client.put_evidence(put(corpus, [sizes])).await.unwrap();
        let snapshot = v1::GetSnapshotRequest {
            corpus_id: corpus.to_owned(),
            item: Some(v1::get_snapshot_request::Item::EvidenceId("sizes".to_owned())),
            range: None,
        };
        client.get_snapshot(snapshot).await.unwrap().into_inner()
    };
    let request_for = |corpus: &str| v1::EvaluateRequest {
        evidence: Vec::new(),
        corpus_id: corpus.to_owned(),
        ..request("psql")
    };

    let plain = store("plain.sock", "plain").await;
    assert!(!plain.attested);
    assert_eq!((plain.step_id.as_str(), plain.specialist_id.as_str()), ("step-3", "database"));
    assert!(store("agents.sock", "attested").await.attested);
    // Attestation depends on the listener through which the evidence was stored.
    let from_agents = evaluate_over(&server, "agents.sock", request_for("plain")).await;
    assert!(!is_attested(&from_agents));
    let decision = from_agents.decision.unwrap();
    assert_ne!(decision.tier(), v1::Tier::Proceed);
    let from_plain = evaluate_over(&server, "plain.sock", request_for("attested")).await;
    assert!(is_attested(&from_plain));
    assert_eq!(from_plain.decision.unwrap().tier(), v1::Tier::Proceed);

    // Storing the same bytes again can add attestation but never removes it.
    assert!(store("plain.sock", "attested").await.attested);
    assert!(store("agents.sock", "plain").await.attested);
}
