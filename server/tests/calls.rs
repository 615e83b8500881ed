//! Tests of deadlines, overload, panics, failed judges and idempotency.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{self, TestServer, TestServerOptions, request};
use async_trait::async_trait;
use gsar_core::Class;
use gsar_proto::v1;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use tokio::sync::Notify;
use tonic::{Code, Request};
use tonic_types::StatusExt as _;

fn capabilities() -> Capabilities {
    Capabilities { classes: Class::ALL.to_vec(), languages: vec!["en"], max_evidence_bytes: None }
}

/// A judge that waits until it is released, and reports its start and cancellation.
#[derive(Default)]
struct Waiting {
    started: Arc<Notify>,
    release: Arc<Notify>,
    cancelled: Arc<Notify>,
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl Judge for Waiting {
    fn name(&self) -> &str {
        "waiting/0"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, _: &Question) -> Result<Judgement, JudgeError> {
        let _on_drop = OnDrop(Arc::clone(&self.cancelled));
        self.started.notify_one();
        self.release.notified().await;
        let reason = "was let go".to_owned();
        Err(JudgeError::Failed {
            judge: "waiting/0".to_owned(),
            code: "WAITED",
            reason,
            calls: Vec::new(),
        })
    }
}

struct Panicking;

#[async_trait]
impl Judge for Panicking {
    fn name(&self) -> &str {
        "panicking/0"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, _: &Question) -> Result<Judgement, JudgeError> {
        panic!("a defect of a judge")
    }
}

fn reason(status: &tonic::Status) -> String {
    status.get_error_details().error_info().map(|info| info.reason.clone()).unwrap_or_default()
}

#[tokio::test]
async fn expired_deadline_stops_the_work() {
    let judge = Waiting::default();
    let cancelled = Arc::clone(&judge.cancelled);
    let server = TestServerOptions::default()
        .judge(judge)
        .start(|config| {
            config.judges.chain = vec!["rules/2".to_owned(), "waiting/0".to_owned()];
            // Below the client's deadline, so that the server ends the call.
            config.limits.max_deadline.0 = Duration::from_millis(500);
            config.limits.default_deadline.0 = Duration::from_millis(500);
        })
        .await;
    let mut slow = request();
    slow.options = Some(v1::EvaluateOptions {
        judge: "waiting/0".to_owned(),
        explain: false,
        ..Default::default()
    });
    let mut call = Request::new(slow);
    call.metadata_mut().insert("grpc-timeout", "60S".parse().unwrap());
    let status = server.grounding().evaluate(call).await.expect_err("the deadline passes");
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert_eq!(reason(&status), "DEADLINE_EXCEEDED");
    let details = status.get_error_details();
    assert_eq!(details.error_info().unwrap().metadata["step"], "judge");
    cancelled.notified().await;
}

#[tokio::test]
async fn calls_without_a_deadline_get_the_default() {
    let judge = Waiting::default();
    let server = TestServerOptions::default()
        .judge(judge)
        .start(|config| {
            config.judges.chain = vec!["rules/2".to_owned(), "waiting/0".to_owned()];
            config.limits.default_deadline.0 = Duration::from_millis(50);
        })
        .await;
    let mut slow = request();
    slow.options = Some(v1::EvaluateOptions {
        judge: "waiting/0".to_owned(),
        explain: false,
        ..Default::default()
    });
    let status = server.grounding().evaluate(slow).await.expect_err("the deadline passes");
    assert_eq!(status.code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn rejects_overload_at_once_across_connections() {
    let judge = Waiting::default();
    let (started, release) = (Arc::clone(&judge.started), Arc::clone(&judge.release));
    let server = TestServerOptions::default()
        .judge(judge)
        .start(|config| {
            config.judges.chain = vec!["rules/2".to_owned(), "waiting/0".to_owned()];
            config.limits.calls_in_flight = 1;
        })
        .await;
    let mut slow = request();
    slow.options = Some(v1::EvaluateOptions {
        judge: "waiting/0".to_owned(),
        explain: false,
        ..Default::default()
    });
    let mut client = server.grounding();
    let first = tokio::spawn(async move { client.evaluate(slow).await });
    started.notified().await;

    let second_channel = support::connect(&server.socket()).await;
    let mut second = v1::grounding_service_client::GroundingServiceClient::new(second_channel);
    let status = second.evaluate(request()).await.expect_err("one place only");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert_eq!(reason(&status), "TOO_MANY_CALLS");
    let details = status.get_error_details();
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    let mut health = tonic_health::pb::health_client::HealthClient::new(server.channel.clone());
    let check = tonic_health::pb::HealthCheckRequest::default();
    assert!(health.check(check).await.is_ok(), "health is not limited");

    release.notify_one();
    assert!(first.await.unwrap().is_ok());
    assert!(second.evaluate(request()).await.is_ok());
}

#[tokio::test]
async fn panic_is_an_internal_error_of_one_call() {
    let server = TestServerOptions::default()
        .judge(Panicking)
        .start(|config| config.judges.chain = vec!["rules/2".to_owned(), "panicking/0".to_owned()])
        .await;
    for filler in ["", &"long ".repeat(40_000)] {
        let mut attack = request();
        attack.evidence.push(support::item("filler", &format!("filler {filler}")));
        attack.options = Some(v1::EvaluateOptions {
            judge: "panicking/0".to_owned(),
            explain: false,
            ..Default::default()
        });
        let status = server.grounding().evaluate(attack).await.expect_err("a panic");
        assert_eq!(status.code(), Code::Internal);
        assert!(!status.message().contains("a defect of a judge"), "the cause stays inside");
        let details = status.get_error_details();
        assert!(status.message().contains(&details.request_info().unwrap().request_id));
        assert!(server.grounding().evaluate(request()).await.is_ok());
    }
}

#[tokio::test]
async fn h13_failed_judge_abstains() {
    let judge = Waiting::default();
    let release = Arc::clone(&judge.release);
    let server = TestServerOptions::default()
        .judge(judge)
        .start(|config| config.judges.chain = vec!["waiting/0".to_owned(), "rules/2".to_owned()])
        .await;
    let mut without_fallback = request();
    without_fallback.options = Some(v1::EvaluateOptions {
        judge: "waiting/0".to_owned(),
        explain: false,
        ..Default::default()
    });
    release.notify_one();
    let answer = server.grounding().evaluate(without_fallback).await.unwrap().into_inner();
    assert_eq!(answer.outcome(), v1::Outcome::Failed);
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Abstain);
    assert_eq!(decision.reasons[0].code, "JUDGE_FAILED");
    assert_eq!(answer.score, None);
    assert_eq!(answer.action.unwrap().action(), v1::Action::Notify);

    release.notify_one();
    let answer = server.grounding().evaluate(request()).await.unwrap().into_inner();
    let links = answer.provenance.unwrap().judges;
    let results: Vec<_> =
        links.iter().map(|link| (link.judge.as_str(), link.result.as_str())).collect();
    assert_eq!(results, [("waiting/0", "failed"), ("rules/2", "judged")]);
    assert!(answer.warnings.iter().any(|warning| warning.code == "FALLBACK_JUDGE"));
}

#[tokio::test]
async fn h14_warns_if_the_author_judges_its_own_report() {
    let server = TestServer::start().await;
    let mut own_report = request();
    own_report.report.as_mut().unwrap().generator_model = "rules/2".to_owned();
    let answer = server.grounding().evaluate(own_report).await.unwrap().into_inner();
    assert_eq!(answer.warnings[0].code, "SAME_MODEL");
}

#[tokio::test]
async fn repeated_key_returns_the_first_answer() {
    let server = TestServer::start().await;
    let keyed = v1::EvaluateRequest { idempotency_key: "k1".to_owned(), ..request() };
    let first = server.grounding().evaluate(keyed.clone()).await.unwrap().into_inner();
    let repeated = server.grounding().evaluate(keyed.clone()).await.unwrap().into_inner();
    assert_eq!(first, repeated);
    let mut with_other_policy = keyed;
    with_other_policy.policy = "paper".to_owned();
    let status = server.grounding().evaluate(with_other_policy).await.expect_err("another request");
    assert_eq!(status.code(), Code::Aborted);
    assert_eq!(reason(&status), "IDEMPOTENCY_KEY_REUSED");
}

#[tokio::test]
async fn evaluation_is_recorded_before_its_answer() {
    let server = TestServer::start().await;
    let answer = server.grounding().evaluate(request()).await.unwrap().into_inner();
    assert!(answer.provenance.as_ref().unwrap().recorded);
    let query =
        v1::GetEvaluationRequest { evaluation_id: answer.evaluation_id.clone(), redact: false };
    let stored = server.ledger().get_evaluation(query).await.unwrap().into_inner();
    assert_eq!(stored.evaluation.as_ref(), Some(&answer));
    assert_eq!(stored.report, request().report);
    assert_eq!(stored.evidence[0].head, "connection pool size is 20");
    let digest_in_answer = &answer.provenance.as_ref().unwrap().evidence[0];
    assert_eq!(
        (&stored.evidence[0].digest, stored.evidence[0].size),
        (&digest_in_answer.digest, 26)
    );
    assert!(stored.policy_toml.contains("name = \"reference\""));
    let every_evaluation = v1::ListEvaluationsRequest::default();
    let listed =
        server.ledger().list_evaluations(every_evaluation).await.unwrap().into_inner().evaluations;
    assert_eq!(listed[0].evaluation_id, answer.evaluation_id);

    let item = v1::GetEvaluationEvidenceRequest {
        evaluation_id: answer.evaluation_id.clone(),
        evidence_id: request().evidence[0].id.clone(),
    };
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
    let status = server.ledger().get_evaluation(unknown_evaluation).await.expect_err("unknown");
    assert_eq!(status.code(), Code::NotFound);
}

#[tokio::test]
async fn deletes_an_evaluation_with_its_evidence_and_key() {
    let server = TestServer::start().await;
    let keyed = v1::EvaluateRequest { idempotency_key: "k".to_owned(), ..request() };
    let answer = server.grounding().evaluate(keyed.clone()).await.unwrap().into_inner();
    let deletion = v1::DeleteEvaluationRequest { evaluation_id: answer.evaluation_id.clone() };
    server.ledger().delete_evaluation(deletion.clone()).await.unwrap();
    let status = server.ledger().delete_evaluation(deletion).await.expect_err("it is gone");
    assert_eq!(status.code(), Code::NotFound);
    let item = v1::GetEvaluationEvidenceRequest {
        evaluation_id: answer.evaluation_id.clone(),
        evidence_id: request().evidence[0].id.clone(),
    };
    let status = server.ledger().get_evaluation_evidence(item).await.expect_err("it is gone");
    assert_eq!(status.code(), Code::NotFound);
    let repeated = server.grounding().evaluate(keyed).await.unwrap().into_inner();
    assert_ne!(repeated.evaluation_id, answer.evaluation_id);
}

#[tokio::test]
async fn rejects_evidence_requests_if_contents_are_not_stored() {
    let heads = |config: &mut gsar_server::config::Config| {
        config.ledger.evidence = gsar_server::config::EvidenceRetention::Head;
    };
    let server = TestServerOptions::default().start(heads).await;
    let answer = server.grounding().evaluate(request()).await.unwrap().into_inner();
    let item = v1::GetEvaluationEvidenceRequest {
        evaluation_id: answer.evaluation_id,
        evidence_id: request().evidence[0].id.clone(),
    };
    let status = server.ledger().get_evaluation_evidence(item).await.expect_err("heads only");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("ledger.evidence"), "{}", status.message());
}

#[tokio::test]
async fn unknown_policy_or_judge_is_not_found() {
    let server = TestServer::start().await;
    let mut grounding = server.grounding();
    let policy = || v1::EvaluateRequest { policy: "night".to_owned(), ..request() };
    let judge = |request: v1::EvaluateRequest| v1::EvaluateRequest {
        options: Some(v1::EvaluateOptions { judge: "x".to_owned(), ..Default::default() }),
        ..request
    };
    for (request, kind) in [(policy(), "policy"), (judge(request()), "judge")] {
        let status = grounding.evaluate(request).await.unwrap_err();
        assert_eq!(status.code(), Code::NotFound, "{status:?}");
        assert_eq!(status.get_error_details().resource_info().unwrap().resource_type, kind);
    }
    let several = v1::EvaluateRequest { report: None, ..judge(policy()) };
    let status = grounding.evaluate(several).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_error_details();
    let fields = &details.bad_request().unwrap().field_violations;
    let fields: Vec<&str> = fields.iter().map(|found| found.field.as_str()).collect();
    assert_eq!(fields, ["policy", "report", "options.judge"]);

    let score = v1::ScoreRequest { policy: "night".to_owned(), ..Default::default() };
    let status = grounding.score(score).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "the partition is missing too: {status:?}");
    let cap = v1::CapConfidenceRequest { policy: "night".to_owned(), ..Default::default() };
    assert_eq!(server.gate().cap_confidence(cap).await.unwrap_err().code(), Code::InvalidArgument);
    let tried = grounding.try_judges(v1::TryJudgesRequest { judge: "x".to_owned() }).await;
    assert_eq!(tried.unwrap_err().code(), Code::NotFound);
}

#[test]
fn every_error_reason_is_documented() {
    let page = include_str!("../../docs/operations/errors.md");
    let mut undocumented = Vec::new();
    for number in 1.. {
        let Ok(reason) = v1::ErrorReason::try_from(number) else { break };
        if !page.contains(&format!("`{}`", reason.code())) {
            undocumented.push(reason.code());
        }
    }
    assert_eq!(undocumented, Vec::<&str>::new());
}

#[tokio::test]
async fn explanations_are_sent_on_request() {
    let server = TestServer::start().await;
    let mut explained = request();
    explained.options =
        Some(v1::EvaluateOptions { judge: String::new(), explain: true, ..Default::default() });
    let answer = server.grounding().evaluate(explained).await.unwrap().into_inner();
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Proceed);
    let worse = decision.margins.unwrap().worse.unwrap();
    assert_eq!((worse.claims, worse.claim_ids), (1, vec![answer.claims[0].id.clone()]));
    assert_eq!(answer.claims[0].impact.as_ref().unwrap().contribution, 1.0);
}
