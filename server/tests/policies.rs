//! Tests of allowed policies and of shadow mode.

use crate::support::{self, TestServer, TestServerOptions, item, request};
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

fn request_policy(policy: &str) -> v1::EvaluateRequest {
    v1::EvaluateRequest { policy: policy.to_owned(), ..request() }
}

fn request_with_overrides(policy: &str, overrides: v1::PolicyOverrides) -> v1::EvaluateRequest {
    v1::EvaluateRequest { policy_overrides: Some(overrides), ..request_policy(policy) }
}

fn rho(rho: f64) -> v1::PolicyOverrides {
    v1::PolicyOverrides { rho: Some(rho), ..Default::default() }
}

async fn evaluate(
    server: &TestServer,
    request: v1::EvaluateRequest,
) -> Result<v1::EvaluateResponse, Status> {
    server.grounding().evaluate(request).await.map(tonic::Response::into_inner)
}

fn expect_refused_fields(result: Result<v1::EvaluateResponse, Status>) -> Vec<String> {
    let status = result.expect_err("must be refused");
    assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.reason, "NOT_ALLOWED");
    let failure = status.get_details_precondition_failure().unwrap();
    failure.violations.into_iter().map(|violation| violation.subject).collect()
}

async fn start_server(change: impl FnOnce(&mut Config)) -> TestServer {
    TestServerOptions::default().start(change).await
}

#[tokio::test]
async fn callers_may_use_the_default_and_stricter_policies() {
    let server = start_server(|_| {}).await;
    for policy in ["", "reference", "strict"] {
        evaluate(&server, request_policy(policy)).await.expect(policy);
    }
    let result = evaluate(&server, request_policy("paper")).await;
    let message = result.as_ref().unwrap_err().message().to_owned();
    for words in [
        "policy `paper` is looser than the default `reference`",
        "verification is observe against enforce; allowed is enforce",
        "have `paper` added to policies.allowed",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let fields = expect_refused_fields(result);
    for field in ["verification", "guards.contradiction_blocks", "guards.min_coverage"] {
        assert!(fields.iter().any(|refused_field| refused_field == field), "{field}: {fields:?}");
    }
    // The gate follows the same rule.
    let gate = v1::GateInputs::default();
    let request = v1::EvaluateGateRequest { gate: Some(gate), policy: "paper".to_owned() };
    let status = server.gate().evaluate_gate(request).await.expect_err("looser");
    assert_eq!(status.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn allowed_policies_and_stricter_ones_may_be_used() {
    let server = start_server(|config| {
        config.policies.default = "strict".to_owned();
        config.policies.allowed = vec!["paper".to_owned()];
    })
    .await;
    evaluate(&server, request_policy("paper")).await.expect("allowed");
    evaluate(&server, request_with_overrides("paper", rho(1.0)))
        .await
        .expect("stricter than an allowed policy");
    assert_eq!(
        expect_refused_fields(evaluate(&server, request_policy("reference")).await)[0],
        "rho"
    );
    let refused_fields =
        expect_refused_fields(evaluate(&server, request_with_overrides("paper", rho(0.1))).await);
    assert!(refused_fields.contains(&"rho".to_owned()), "{refused_fields:?}");
}

#[tokio::test]
async fn overrides_may_only_be_stricter_by_default() {
    let server = start_server(|_| {}).await;
    evaluate(&server, request_with_overrides("reference", rho(0.6))).await.expect("stricter");
    evaluate(&server, request_with_overrides("strict", rho(0.6)))
        .await
        .expect("no looser than the default");
    assert_eq!(
        expect_refused_fields(
            evaluate(&server, request_with_overrides("reference", rho(0.4))).await
        ),
        ["rho"]
    );
    let looser = v1::PolicyOverrides {
        verification: v1::VerificationMode::Off.into(),
        tau_proceed: Some(0.7),
        ..Default::default()
    };
    let result = evaluate(&server, request_with_overrides("", looser)).await;
    assert_eq!(expect_refused_fields(result), ["tau_proceed", "verification"]);

    let any_allowed =
        start_server(|config| config.policies.allow_overrides = AllowOverrides::Any).await;
    evaluate(&any_allowed, request_with_overrides("reference", rho(0.1)))
        .await
        .expect("any override");
    // Overrides cannot change guards, and so cannot imitate a looser policy.
    assert!(
        !expect_refused_fields(
            evaluate(&any_allowed, request_with_overrides("paper", rho(1.0))).await
        )
        .is_empty()
    );

    let none_allowed =
        start_server(|config| config.policies.allow_overrides = AllowOverrides::None).await;
    let status = evaluate(&none_allowed, request_with_overrides("reference", rho(0.6)))
        .await
        .expect_err("none");
    assert!(status.message().contains("does not allow policy_overrides"), "{}", status.message());
}

#[tokio::test]
async fn score_accepts_any_policy_and_marks_looser_ones() {
    let server =
        start_server(|config| config.policies.allow_overrides = AllowOverrides::None).await;
    let claims = [(v1::ClaimClass::Grounded, v1::EvidenceType::ToolMatch, 3)];
    for (policy, overrides, hypothetical) in [
        ("", None, false),
        ("strict", None, false),
        ("paper", None, true),
        ("reference", Some(rho(0.1)), true),
    ] {
        let request = v1::ScoreRequest {
            policy: policy.to_owned(),
            policy_overrides: overrides,
            ..support::counts(&claims)
        };
        let answer = server.grounding().score(request).await.unwrap().into_inner();
        assert_eq!(answer.hypothetical, hypothetical, "{policy}");
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    }
}

async fn with_default(file: &str) -> (TestServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.toml"), file).unwrap();
    let dir = folder.path().to_owned();
    let server = start_server(|config| {
        config.policies.default = "own".to_owned();
        config.policies.dir = Some(dir);
    })
    .await;
    (server, folder)
}

fn false_report() -> v1::EvaluateRequest {
    let mut report = request().report.unwrap();
    report.synthesis = "The pool size of checkout is 50.".to_owned();
    let evidence = vec![item("pool", r#"{"name": "checkout", "pool_size": 20}"#)];
    v1::EvaluateRequest { report: Some(report), evidence, ..request_policy("") }
}

#[tokio::test]
async fn shadow_decision_does_not_block() {
    let file = "name = \"own\"\n[rollout]\ndecision = \"shadow\"\n";
    let (server, _folder) = with_default(file).await;
    let answer = evaluate(&server, false_report()).await.unwrap();
    let decision = answer.decision.clone().unwrap();
    assert!(decision.in_shadow);
    assert_eq!(decision.tier(), v1::Tier::Proceed);
    assert_eq!(decision.reasons[0].code, "DECISION_IN_SHADOW");
    assert!(decision.reasons[0].sentence.contains("replan was decided"), "{decision:?}");
    let shadow_decision = answer.shadow.clone().unwrap().decision.unwrap();
    assert_eq!(shadow_decision.tier(), v1::Tier::Replan);
    assert!(!shadow_decision.in_shadow && !shadow_decision.reasons.is_empty());
    let hold_codes: Vec<String> =
        answer.action.clone().unwrap().held_by.into_iter().map(|reason| reason.code).collect();
    assert!(hold_codes.contains(&"NO_DECISION".to_owned()), "{hold_codes:?}");

    let list_request =
        v1::ListEvaluationsRequest { tier: v1::Tier::Replan.into(), ..Default::default() };
    let list = server.ledger().list_evaluations(list_request).await.unwrap().into_inner();
    assert_eq!(list.evaluations[0].evaluation_id, answer.evaluation_id);
    let get_request =
        v1::GetEvaluationRequest { evaluation_id: answer.evaluation_id.clone(), redact: false };
    let stored = server.ledger().get_evaluation(get_request).await.unwrap().into_inner();
    assert_eq!(stored.evaluation.unwrap(), answer);

    // The enforced policy is stricter than the shadow policy.
    let enforced_request = v1::EvaluateRequest { policy: "reference".to_owned(), ..false_report() };
    let answer = evaluate(&server, enforced_request).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Replan);
    assert_eq!(answer.shadow, None);
}

#[tokio::test]
async fn callers_cannot_select_shadow_mode() {
    let folder = tempfile::tempdir().unwrap();
    let file = "name = \"own\"\nbase = \"strict\"\n[rollout]\ndecision = \"shadow\"\n";
    std::fs::write(folder.path().join("own.toml"), file).unwrap();
    let dir = folder.path().to_owned();
    let server = start_server(|config| config.policies.dir = Some(dir)).await;
    let result = evaluate(&server, request_policy("own")).await;
    assert_eq!(expect_refused_fields(result), ["rollout.decision"]);
}

#[tokio::test]
async fn server_with_a_strict_default_starts() {
    let server = start_server(|config| config.policies.default = "strict".to_owned()).await;
    let trials = server.grounding().try_judges(v1::TryJudgesRequest::default()).await.unwrap();
    assert_eq!(trials.into_inner().trials[0].tier(), v1::Tier::Proceed);
    let answer = evaluate(&server, request_policy("")).await.unwrap();
    assert_ne!(answer.claims[0].r#type(), v1::EvidenceType::ToolMatch);
}
