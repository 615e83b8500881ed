//! Tests the gate, chain, signal, cap and policy calls, and reflection.

use crate::support::{self, TestServer};
use gsar_proto::v1;
use prost_types::Timestamp;
use tonic::Code;

fn timestamp(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp { seconds, nanos: 0 })
}

fn gate_inputs() -> v1::GateInputs {
    let evidence = |tool: &str, lane: v1::EvidenceLane| v1::HypothesisEvidence {
        tool: tool.to_owned(),
        summary: "OOMKilled".to_owned(),
        verdict: v1::Verdict::Supports.into(),
        lane: lane.into(),
        evaluated_at: timestamp(1_000),
        evidence_id: String::new(),
        ..Default::default()
    };
    let change = |id: &str, seconds| v1::ChangeRecord {
        id: id.to_owned(),
        at: timestamp(seconds),
        target: "deployment/cart".to_owned(),
        ..Default::default()
    };
    v1::GateInputs {
        hypotheses: vec![
            v1::Hypothesis {
                id: "model".to_owned(),
                evidence: vec![evidence("model", v1::EvidenceLane::LlmInferred)],
                ..Default::default()
            },
            v1::Hypothesis {
                id: "memory".to_owned(),
                target: "shop/Pod/cart".to_owned(),
                evidence: vec![evidence("kubectl", v1::EvidenceLane::StaticInfra)],
                ..Default::default()
            },
        ],
        turns_used: 99,
        onset: timestamp(900),
        onset_window: Some(v1::TimeWindow { start: timestamp(500), end: timestamp(1_200) }),
        changes: vec![change("early", 400), change("deploy", 800), change("rollback", 950)],
        ..Default::default()
    }
}

#[tokio::test]
async fn validated_evidence_takes_precedence_over_the_budget() {
    let server = TestServer::start().await;
    let request =
        v1::EvaluateGateRequest { gate: Some(gate_inputs()), policy: "reference".to_owned() };
    let answer = server.gate().evaluate_gate(request).await.unwrap().into_inner();
    let gate = answer.gate.unwrap();
    assert_eq!(gate.state(), v1::GateState::EvidenceSufficient);
    assert_eq!(gate.exit(), v1::GateExit::Confident);
    assert_eq!((gate.root_cause.as_str(), gate.validated_count), ("memory", 1));
    assert_eq!(gate.hypotheses[0].refused_inferred, 1);
    assert_eq!(answer.policy.unwrap().name, "reference");

    let empty_request = v1::EvaluateGateRequest {
        gate: Some(v1::GateInputs { wants_to_finish: true, ..Default::default() }),
        ..Default::default()
    };
    let gate = server.gate().evaluate_gate(empty_request).await.unwrap().into_inner().gate.unwrap();
    assert_eq!(gate.exit(), v1::GateExit::NoConfidentRootCause);
}

#[tokio::test]
async fn chain_cites_the_last_change_before_onset() {
    let server = TestServer::start().await;
    let request = v1::AssembleChainRequest { gate: Some(gate_inputs()), ..Default::default() };
    let chain = server.gate().assemble_chain(request.clone()).await.unwrap().into_inner().chain;
    let chain = chain.unwrap();
    assert_eq!(chain.change.as_ref().unwrap().id, "deploy");
    assert_eq!(chain.strength(), v1::GroundingStrength::Grounded);
    assert_eq!((chain.lane_strength, chain.independent_supports), (3, 1));

    let other_hypothesis =
        v1::AssembleChainRequest { hypothesis_id: "model".to_owned(), ..request.clone() };
    let chain =
        server.gate().assemble_chain(other_hypothesis).await.unwrap().into_inner().chain.unwrap();
    assert_eq!(chain.evidence.len(), 0, "model inferences must not count as evidence");
    assert_eq!((chain.lane_strength, chain.independent_supports), (0, 0));

    let unknown_hypothesis =
        v1::AssembleChainRequest { hypothesis_id: "nobody".to_owned(), ..request };
    let status = server
        .gate()
        .assemble_chain(unknown_hypothesis)
        .await
        .expect_err("an unknown hypothesis must be rejected");
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("hypothesis_id"));
}

#[tokio::test]
async fn classifies_tool_results_by_signals_and_words() {
    let server = TestServer::start().await;
    for (text, expected) in [
        ("error_rate: 0.00", v1::Verdict::Refutes),
        ("0/5 ready", v1::Verdict::Supports),
        ("value 0.93 threshold 0.80", v1::Verdict::Supports),
        ("the weather is fine", v1::Verdict::Inconclusive),
    ] {
        let request = v1::ClassifyVerdictRequest {
            content: Some(v1::classify_verdict_request::Content::Text(text.to_owned())),
            ..Default::default()
        };
        let answer = server.gate().classify_verdict(request).await.unwrap().into_inner();
        assert_eq!(answer.verdict(), expected, "{text}: {}", answer.reason);
    }
}

#[tokio::test]
async fn confidence_is_capped_by_grounding() {
    let server = TestServer::start().await;
    for (strength, confidence_after, action) in [
        (v1::GroundingStrength::Grounded, 0.97, v1::Action::PullRequest),
        (v1::GroundingStrength::PartiallyGrounded, 0.84, v1::Action::Patch),
        (v1::GroundingStrength::Ungrounded, 0.64, v1::Action::Issue),
    ] {
        let request = v1::CapConfidenceRequest {
            confidence: 0.97,
            strength: strength.into(),
            policy: String::new(),
        };
        let answer = server.gate().cap_confidence(request).await.unwrap().into_inner();
        assert_eq!(answer.cap.unwrap().after, confidence_after);
        assert_eq!(answer.action.unwrap().action(), action);
    }
    let invalid = v1::CapConfidenceRequest { confidence: 1.5, ..Default::default() };
    let status = server.gate().cap_confidence(invalid).await.expect_err("both fields are invalid");
    assert!(status.message().contains("confidence") && status.message().contains("1 more"));
}

#[tokio::test]
async fn lists_shows_and_checks_policies() {
    let server = TestServer::start().await;
    let policies = server.policies().list_policies(v1::ListPoliciesRequest {}).await.unwrap();
    let policies = policies.into_inner().policies;
    let names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
    assert_eq!(names, ["paper", "reference", "strict"]);
    assert!(policies[1].is_default);

    let request = v1::GetPolicyRequest { name: "strict".to_owned() };
    let strict = server.policies().get_policy(request).await.unwrap().into_inner();
    assert!(strict.toml.starts_with('#'), "presets must be shown with their comments");

    let check = |toml: &str| v1::CheckPolicyRequest { toml: toml.to_owned() };
    let invalid = check("name = \"night\"\ntau_regenerate = 0.85\n[weights]\ndomain = 0\n");
    let problems = server.policies().check_policy(invalid).await.unwrap().into_inner().problems;
    let mut problems: Vec<_> =
        problems.iter().map(|problem| (problem.field.as_str(), problem.line)).collect();
    problems.sort_unstable();
    assert_eq!(problems, [("tau_regenerate", 2), ("weights.domain", 4)]);

    let valid = check("name = \"night\"\nbase = \"paper\"\n");
    let answer = server.policies().check_policy(valid).await.unwrap().into_inner();
    assert_eq!(answer.problems, []);
    assert_eq!(answer.warnings[0].field, "rho");

    let long_policy = check(&"key = 1\n".repeat(10_000));
    let error = server.policies().check_policy(long_policy).await.unwrap_err();
    assert_eq!(support::invalid_fields(&error), ["toml"]);
}

#[tokio::test]
async fn rejects_statements_longer_than_a_claim() {
    let server = TestServer::with(|config| config.limits.claim_text.0 = 200).await;
    let mut request = support::request();
    let report = request.report.as_mut().unwrap();
    report.synthesis = format!("It failed.\n\n```\n{}\n```\n", "failed ".repeat(60));
    let error = server.grounding().evaluate(request.clone()).await.unwrap_err();
    assert_eq!(support::invalid_fields(&error), ["report.synthesis"]);
    request.report.as_mut().unwrap().synthesis = "It failed. ".repeat(60);
    server.grounding().evaluate(request).await.unwrap();
}

#[tokio::test]
async fn reflection_lists_the_services() {
    use tokio_stream::StreamExt as _;
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

    let server = TestServer::start().await;
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(server.channel.clone());
    let answers = client.server_reflection_info(tokio_stream::once(request)).await.unwrap();
    let answer = answers.into_inner().next().await.unwrap().unwrap();
    let Some(MessageResponse::ListServicesResponse(list)) = answer.message_response else {
        panic!("the response must list the services");
    };
    let names: Vec<&str> = list.service.iter().map(|service| service.name.as_str()).collect();
    for name in ["gsar.v1.GroundingService", "gsar.v1.GateService", "grpc.health.v1.Health"] {
        assert!(names.contains(&name), "{names:?}");
    }
}
