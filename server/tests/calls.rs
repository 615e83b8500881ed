//! Tests for single calls: deadlines, overload, panics, idempotency keys, records, unknown names and explanations.

use std::sync::Arc;
use std::time::Duration;

use crate::support::chat_models::proceeds;
use crate::support::judges::{self, FakeJudge, failure, judge};
use crate::support::{self, TestServer, invalid_fields, reason, request, request_for_judge};
use gsar_proto::v1;
use gsar_server::judge::Judge;
use tokio::sync::Notify;
use tonic::Code;
use tonic_types::StatusExt as _;

/// A judge that signals when it has started, and then waits until it is released.
#[derive(Clone, Default)]
struct WaitingJudge {
    started: Arc<Notify>,
    release: Arc<Notify>,
}

impl WaitingJudge {
    fn judge(&self) -> impl Judge + 'static {
        let waiting = self.clone();
        judge("waiting/0", move |_| {
            let Self { started, release } = waiting.clone();
            async move {
                started.notify_one();
                release.notified().await;
                Err(failure("waiting/0", "WAITED", "was released"))
            }
        })
    }
}

#[tokio::test]
async fn calls_without_a_deadline_get_the_default_deadline() {
    let judge = WaitingJudge::default().judge();
    let server = TestServer::with_judges(vec![Arc::new(judge)], |config| {
        config.judges.chain = vec!["rules/2".to_owned(), "waiting/0".to_owned()];
        config.limits.default_deadline.0 = Duration::from_millis(50);
    })
    .await;
    let status =
        server.evaluate(request_for_judge("waiting/0")).await.expect_err("the deadline passes");
    assert_eq!(status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn rejects_overload_at_once_across_connections() {
    let judge = WaitingJudge::default();
    let server = TestServer::with_judges(vec![Arc::new(judge.judge())], |config| {
        config.judges.chain = vec!["rules/2".to_owned(), "waiting/0".to_owned()];
        config.limits.calls_in_flight = 1;
    })
    .await;
    let mut client = server.grounding();
    let first = tokio::spawn(async move { client.evaluate(request_for_judge("waiting/0")).await });
    judge.started.notified().await;

    let second_channel = support::connect(&server.socket()).await;
    let mut second = v1::grounding_service_client::GroundingServiceClient::new(second_channel);
    let status = second.evaluate(request()).await.expect_err("only one call is allowed");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(reason(&status), "TOO_MANY_CALLS");
    let details = status.get_error_details();
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    let mut health = tonic_health::pb::health_client::HealthClient::new(server.channel.clone());
    let check = tonic_health::pb::HealthCheckRequest::default();
    assert!(health.check(check).await.is_ok(), "health is not limited");

    judge.release.notify_one();
    assert!(first.await.unwrap().is_ok());
    assert!(second.evaluate(request()).await.is_ok());
}

#[tokio::test]
async fn panic_fails_only_its_own_call_with_an_internal_error() {
    for (is_local, yields) in [(true, false), (false, false), (false, true)] {
        let answer = move |question| async move {
            if yields {
                tokio::task::yield_now().await;
            }
            judges::panic(question).await
        };
        let judge = FakeJudge { name: "panicking/0", is_local, answer };
        // The chain's first judge answers the self-test at startup.
        let server = TestServer::with_judges(vec![Arc::new(judge)], |config| {
            config.judges.chain = vec!["rules/2".to_owned(), "panicking/0".to_owned()]
        })
        .await;
        for filler in ["", &"long ".repeat(40_000)] {
            let mut panicking_request = request_for_judge("panicking/0");
            panicking_request.evidence.push(support::item("filler", &format!("filler {filler}")));
            let status = server.evaluate(panicking_request).await.expect_err("the judge panics");
            assert_eq!(status.code(), Code::Internal);
            assert!(
                !status.message().contains("a defect of a judge"),
                "the cause is not disclosed"
            );
            let details = status.get_error_details();
            assert!(status.message().contains(&details.request_info().unwrap().request_id));
            assert!(proceeds(&server.evaluate(request()).await.unwrap()));
        }
    }
}

#[tokio::test]
async fn h14_warns_if_the_author_judges_its_own_report() {
    let server = TestServer::start().await;
    let mut own_report = request();
    own_report.report.as_mut().unwrap().generator_model = "rules/2".to_owned();
    let answer = server.evaluate(own_report).await.unwrap();
    assert_eq!(answer.warnings[0].code, "SAME_MODEL");
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_first_answer() {
    let server = TestServer::start().await;
    let keyed_request = v1::EvaluateRequest { idempotency_key: "k1".to_owned(), ..request() };
    let first_answer = server.evaluate(keyed_request.clone()).await.unwrap();
    let repeated_answer = server.evaluate(keyed_request.clone()).await.unwrap();
    assert_eq!(first_answer, repeated_answer);
    let mut with_other_policy = keyed_request;
    with_other_policy.policy = "paper".to_owned();
    let status = server
        .grounding()
        .evaluate(with_other_policy)
        .await
        .expect_err("the key belongs to another request");
    assert_eq!(status.code(), Code::Aborted);
    assert_eq!(reason(&status), "IDEMPOTENCY_KEY_REUSED");
}

fn evidence_request(answer: &v1::EvaluateResponse) -> v1::GetEvaluationEvidenceRequest {
    v1::GetEvaluationEvidenceRequest {
        evaluation_id: answer.evaluation_id.clone(),
        evidence_id: request().evidence[0].id.clone(),
    }
}

#[tokio::test]
async fn evaluation_is_recorded_before_it_is_answered() {
    let server = TestServer::start().await;
    let answer = server.evaluate(request()).await.unwrap();
    assert!(answer.provenance.as_ref().unwrap().recorded);
    let record = server.get_evaluation(&answer.evaluation_id).await;
    assert_eq!(record.evaluation.as_ref(), Some(&answer));
    assert_eq!(record.report, request().report);
    assert_eq!(record.evidence[0].head, "connection pool size is 20");
    let item_in_answer = &answer.provenance.as_ref().unwrap().evidence[0];
    assert_eq!((&record.evidence[0].digest, record.evidence[0].size), (&item_in_answer.digest, 26));
    assert!(record.policy_toml.contains("name = \"reference\""));
    let summaries = server.list_evaluations(v1::ListEvaluationsRequest::default()).await;
    assert_eq!(summaries[0].evaluation_id, answer.evaluation_id);

    let item = evidence_request(&answer);
    let stored_item =
        server.ledger().get_evaluation_evidence(item.clone()).await.unwrap().into_inner();
    assert_eq!(stored_item.item.as_ref(), request().evidence.first());
    let unknown_item =
        v1::GetEvaluationEvidenceRequest { evidence_id: "nothing".to_owned(), ..item };
    let status =
        server.ledger().get_evaluation_evidence(unknown_item).await.expect_err("unknown item");
    assert_eq!(status.code(), Code::NotFound);

    let unknown_evaluation =
        v1::GetEvaluationRequest { evaluation_id: "nothing".to_owned(), redact: false };
    let status =
        server.ledger().get_evaluation(unknown_evaluation).await.expect_err("unknown evaluation");
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn deletes_an_evaluation_with_its_evidence_and_key() {
    let server = TestServer::start().await;
    let keyed_request = v1::EvaluateRequest { idempotency_key: "k".to_owned(), ..request() };
    let answer = server.evaluate(keyed_request.clone()).await.unwrap();
    let deletion = v1::DeleteEvaluationRequest { evaluation_id: answer.evaluation_id.clone() };
    server.ledger().delete_evaluation(deletion.clone()).await.unwrap();
    let status = server.ledger().delete_evaluation(deletion).await.expect_err("it was deleted");
    assert_eq!(status.code(), Code::NotFound);
    let item = evidence_request(&answer);
    let status = server.ledger().get_evaluation_evidence(item).await.expect_err("it was deleted");
    assert_eq!(status.code(), Code::NotFound);
    let new_answer = server.evaluate(keyed_request).await.unwrap();
    assert_ne!(new_answer.evaluation_id, answer.evaluation_id);
}

#[tokio::test]
async fn rejects_requests_for_evidence_whose_content_is_not_stored() {
    let server = TestServer::with(|config| {
        config.ledger.evidence = gsar_server::config::EvidenceRetention::Head;
    })
    .await;
    let answer = server.evaluate(request()).await.unwrap();
    let item = evidence_request(&answer);
    let status =
        server.ledger().get_evaluation_evidence(item).await.expect_err("only heads are stored");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("ledger.evidence"), "{}", status.message());
}

#[tokio::test]
async fn unknown_policy_or_judge_is_not_found() {
    let server = TestServer::start().await;
    let mut grounding = server.grounding();
    let policy = || v1::EvaluateRequest { policy: "night".to_owned(), ..request() };
    for (request, kind, name) in
        [(policy(), "policy", "night"), (request_for_judge("x"), "judge", "x")]
    {
        let status = grounding.evaluate(request).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{status:?}");
        let details = status.get_error_details();
        let resource = details.resource_info().unwrap();
        assert_eq!((&*resource.resource_type, &*resource.resource_name), (kind, name));
    }
    let several_violations =
        v1::EvaluateRequest { report: None, policy: "night".to_owned(), ..request_for_judge("x") };
    let status = grounding.evaluate(several_violations).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert_eq!(invalid_fields(&status), ["policy", "report", "options.judge"]);

    let score = v1::ScoreRequest { policy: "night".to_owned(), ..Default::default() };
    let status = grounding.score(score).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "the partition is missing too: {status:?}");
    let cap = v1::CapConfidenceRequest { policy: "night".to_owned(), ..Default::default() };
    assert_eq!(server.gate().cap_confidence(cap).await.unwrap_err().code(), Code::InvalidArgument);
    let trials = grounding.try_judges(v1::TryJudgesRequest { judge: "x".to_owned() }).await;
    assert_eq!(trials.unwrap_err().code(), Code::NotFound);
}

#[test]
fn every_error_reason_is_documented() {
    let page = include_str!("../../docs/operations/errors.md");
    let mut undocumented = Vec::new();
    for value in 1.. {
        let Ok(reason) = v1::ErrorReason::try_from(value) else { break };
        if !page.contains(&format!("`{}`", reason.code())) {
            undocumented.push(reason.code());
        }
    }
    assert_eq!(undocumented, Vec::<&str>::new());
}

#[tokio::test]
async fn explanations_are_sent_on_request() {
    let server = TestServer::start().await;
    let mut request = request();
    request.options =
        Some(v1::EvaluateOptions { judge: String::new(), explain: true, ..Default::default() });
    let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Proceed);
    let worse = decision.margins.unwrap().worse.unwrap();
    assert_eq!((worse.claims, worse.claim_ids), (1, vec![answer.claims[0].id.clone()]));
    assert_eq!(answer.claims[0].impact.as_ref().unwrap().contribution, 1.0);
}
