//! Tests hostile input. Every attack must be rejected with an error that names the offending field.

use crate::identity::RawCodec;
use crate::support::{self, TestServer, counts, invalid_fields, item, reason, request};
use gsar_proto::v1::{self, ClaimClass, EvidenceType};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

async fn expect_rejection(server: &TestServer, request: v1::EvaluateRequest) -> Status {
    let status =
        server.grounding().evaluate(request).await.expect_err("the request must be rejected");
    let answer = server.grounding().evaluate(support::request()).await;
    assert!(answer.is_ok(), "the server must stay up: {answer:?}");
    status
}

#[tokio::test]
async fn rejects_invalid_numbers_and_names_their_fields() {
    let server = TestServer::start().await;
    for invalid in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1, -0.0, 1.000_001, 0.123_456_7]
    {
        let mut attack = request();
        let weight = v1::TypeWeight { r#type: EvidenceType::ToolMatch.into(), weight: invalid };
        attack.policy_overrides = Some(v1::PolicyOverrides {
            weights: vec![weight],
            rho: Some(invalid * 11.0),
            ..Default::default()
        });
        attack.report.as_mut().unwrap().confidence = Some(invalid);
        let status = expect_rejection(&server, attack).await;
        assert_eq!(status.code(), Code::InvalidArgument);
        let fields = invalid_fields(&status);
        for field in ["policy_overrides.weights[0].weight", "report.confidence"] {
            assert!(fields.iter().any(|found| found == field), "{invalid}: {fields:?}");
        }
    }
}

#[tokio::test]
async fn rejects_reversed_thresholds() {
    let server = TestServer::start().await;
    let mut attack = request();
    attack.policy_overrides = Some(v1::PolicyOverrides {
        tau_proceed: Some(0.5),
        tau_regenerate: Some(0.9),
        ..Default::default()
    });
    let status = expect_rejection(&server, attack).await;
    assert_eq!(invalid_fields(&status), ["policy_overrides.tau_regenerate"]);
}

#[tokio::test]
async fn reports_all_violations_at_once() {
    let server = TestServer::start().await;
    let mut attack = request();
    attack.evidence.push(item("pool", "again"));
    attack.evidence.push(v1::EvidenceItem { kind: 99, content: None, ..item("", "") });
    attack.report.as_mut().unwrap().claims = vec![
        v1::Claim { id: "c1".to_owned(), ..Default::default() },
        v1::Claim { id: "c1".to_owned(), text: "x".to_owned(), span: None },
    ];
    let status = expect_rejection(&server, attack).await;
    assert_eq!(status.code(), Code::InvalidArgument);
    let fields = invalid_fields(&status);
    for field in [
        "evidence[1].id",
        "evidence[2].id",
        "evidence[2].kind",
        "report.claims[0].text",
        "report.claims[1].id",
    ] {
        assert!(fields.iter().any(|found| found == field), "{field}: {fields:?}");
    }
}

#[tokio::test]
async fn rejects_claim_reference_cycles() {
    let server = TestServer::start().await;
    let claim = |id: &str, cites: &str| v1::JudgedClaim {
        id: id.to_owned(),
        text: format!("claim {id}"),
        class: ClaimClass::Grounded.into(),
        r#type: EvidenceType::Synthesis.into(),
        citations: vec![v1::Citation { claim_id: cites.to_owned(), ..Default::default() }],
        ..Default::default()
    };
    for claims in [vec![claim("a", "b"), claim("b", "c"), claim("c", "a")], vec![claim("a", "a")]] {
        let partition = v1::JudgedPartition { claims, ..Default::default() };
        let attack = v1::ScoreRequest {
            partition: Some(v1::score_request::Partition::Judged(partition)),
            ..Default::default()
        };
        let status = server.grounding().score(attack).await.expect_err("the claims form a cycle");
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("claims"), "{}", status.message());
    }
}

#[tokio::test]
async fn rejects_unknown_enum_values() {
    let server = TestServer::start().await;
    let mut attack = counts(&[(ClaimClass::Grounded, EvidenceType::ToolMatch, 1)]);
    if let Some(v1::score_request::Partition::Counts(counts)) = &mut attack.partition {
        counts.counts[0].class = 99;
        counts.counts[0].r#type = 0;
    }
    let status = server.grounding().score(attack).await.expect_err("the enum values are invalid");
    assert_eq!(invalid_fields(&status), ["counts.counts[0].class", "counts.counts[0].type"]);
}

#[tokio::test]
async fn rejects_an_empty_request_and_an_empty_report() {
    let server = TestServer::start().await;
    let status = expect_rejection(&server, v1::EvaluateRequest::default()).await;
    assert_eq!(invalid_fields(&status), ["report"]);
    let mut attack = request();
    attack.report = Some(v1::Report::default());
    let status = expect_rejection(&server, attack).await;
    assert_eq!(invalid_fields(&status), ["report.synthesis"]);
}

#[tokio::test]
async fn too_many_claims_are_reported_as_one_violation() {
    let server = TestServer::start().await;
    for (count, text) in [(50_000, "x"), (1_000_000, "")] {
        let mut attack = request();
        let claim = v1::Claim { id: String::new(), text: text.to_owned(), span: None };
        attack.report.as_mut().unwrap().claims = vec![claim; count];
        let status = expect_rejection(&server, attack).await;
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(invalid_fields(&status), ["report.claims"]);
        assert!(status.message().contains("2000"), "{}", status.message());
    }
}

#[tokio::test]
async fn rejects_json_nested_a_hundred_thousand_deep() {
    let server = TestServer::start().await;
    let mut attack = request();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    attack.evidence[0].content = Some(v1::evidence_item::Content::Json(deep));
    let status = expect_rejection(&server, attack).await;
    assert_eq!(invalid_fields(&status), ["evidence[0].json"]);
}

#[tokio::test]
async fn rejects_messages_over_the_limit() {
    let server = TestServer::with(|config| config.limits.message.0 = 64 << 10).await;
    let mut attack = request();
    attack.evidence[0] = item("large", &"x".repeat(128 << 10));
    let status = expect_rejection(&server, attack).await;
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(reason(&status), "MESSAGE_TOO_LARGE");
    let details = status.get_error_details();
    assert_eq!(details.quota_failure().unwrap().violations[0].subject, "limits.message");
}

#[tokio::test]
async fn rejects_garbage_as_malformed() {
    let server = TestServer::start().await;
    for garbage in [&b"\xff\xff\xff\xff"[..], b"\x0a\xff\xff\xff\xff\x7f", b"\x0a\x02\x0a\x05"] {
        let status = raw_call(&server, garbage).await.expect_err("the message is malformed");
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(reason(&status), "MALFORMED_MESSAGE");
    }
    assert!(server.grounding().evaluate(request()).await.is_ok());
}

async fn raw_call(server: &TestServer, bytes: &[u8]) -> Result<(), Status> {
    let mut grpc = tonic::client::Grpc::new(server.channel.clone());
    grpc.ready().await.unwrap();
    let path = http::uri::PathAndQuery::from_static("/gsar.v1.GroundingService/Evaluate");
    grpc.unary(tonic::Request::new(bytes.to_vec()), path, RawCodec).await.map(drop)
}
