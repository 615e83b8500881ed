//! Tests which policies callers may use, and shadow mode.

use crate::support::{self, TestServer, evaluation, item, request};
use gsar_proto::v1;
use gsar_server::config::AllowOverrides;
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

async fn rejected_fields(server: &TestServer, request: v1::EvaluateRequest) -> Vec<String> {
    let status = server.evaluate(request).await.expect_err("must be rejected");
    rejected_fields_of(&status)
}

fn rejected_fields_of(status: &Status) -> Vec<String> {
    assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.reason, "NOT_ALLOWED");
    let failure = status.get_details_precondition_failure().unwrap();
    failure.violations.into_iter().map(|violation| violation.subject).collect()
}

#[tokio::test]
async fn callers_may_use_the_default_and_stricter_policies() {
    let server = TestServer::start().await;
    for policy in ["", "reference", "strict"] {
        server.evaluate(request_policy(policy)).await.expect(policy);
    }
    let status = server.evaluate(request_policy("paper")).await.unwrap_err();
    let message = status.message();
    for words in [
        "policy `paper` is looser than the default `reference`",
        "verification is observe, compared with enforce; allowed: enforce",
        "add `paper` to policies.allowed",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let fields = rejected_fields_of(&status);
    for field in ["verification", "guards.contradiction_blocks", "guards.min_coverage"] {
        assert!(fields.iter().any(|rejected_field| rejected_field == field), "{field}: {fields:?}");
    }
    // The same rule applies to the gate.
    let gate = v1::GateInputs::default();
    let request = v1::EvaluateGateRequest { gate: Some(gate), policy: "paper".to_owned() };
    let status =
        server.gate().evaluate_gate(request).await.expect_err("a looser policy must be rejected");
    assert_eq!(status.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn callers_may_use_allowed_policies_and_stricter_overrides() {
    let server = TestServer::with(|config| {
        config.policies.default = "strict".to_owned();
        config.policies.allowed = vec!["paper".to_owned()];
    })
    .await;
    server.evaluate(request_policy("paper")).await.expect("an allowed policy must be accepted");
    server
        .evaluate(request_with_overrides("paper", rho(1.0)))
        .await
        .expect("overrides stricter than an allowed policy must be accepted");
    assert_eq!(rejected_fields(&server, request_policy("reference")).await[0], "rho");
    let rejected_fields = rejected_fields(&server, request_with_overrides("paper", rho(0.1))).await;
    assert!(rejected_fields.contains(&"rho".to_owned()), "{rejected_fields:?}");
}

#[tokio::test]
async fn overrides_may_only_be_stricter_by_default() {
    let server = TestServer::start().await;
    server
        .evaluate(request_with_overrides("reference", rho(0.6)))
        .await
        .expect("stricter overrides must be accepted");
    server
        .evaluate(request_with_overrides("strict", rho(0.6)))
        .await
        .expect("overrides no looser than the default policy must be accepted");
    let looser = request_with_overrides("reference", rho(0.4));
    assert_eq!(rejected_fields(&server, looser).await, ["rho"]);
    let looser = v1::PolicyOverrides {
        verification: v1::VerificationMode::Off.into(),
        tau_proceed: Some(0.7),
        ..Default::default()
    };
    let looser = request_with_overrides("", looser);
    assert_eq!(rejected_fields(&server, looser).await, ["tau_proceed", "verification"]);

    let any_allowed =
        TestServer::with(|config| config.policies.allow_overrides = AllowOverrides::Any).await;
    any_allowed
        .evaluate(request_with_overrides("reference", rho(0.1)))
        .await
        .expect("any override must be accepted");
    // Overrides cannot change guards, so a policy with looser guards is still rejected.
    let with_looser_guards = request_with_overrides("paper", rho(1.0));
    assert!(!rejected_fields(&any_allowed, with_looser_guards).await.is_empty());

    let none_allowed =
        TestServer::with(|config| config.policies.allow_overrides = AllowOverrides::None).await;
    let stricter = request_with_overrides("reference", rho(0.6));
    let status = none_allowed.evaluate(stricter).await.expect_err("overrides must be rejected");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("does not allow policy_overrides"), "{}", status.message());
}

#[tokio::test]
async fn score_accepts_any_policy_and_marks_looser_ones() {
    let server =
        TestServer::with(|config| config.policies.allow_overrides = AllowOverrides::None).await;
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

async fn start_with_default_policy(file: &str) -> (TestServer, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("own.toml"), file).unwrap();
    let dir = folder.path().to_owned();
    let server = TestServer::with(|config| {
        config.policies.default = "own".to_owned();
        config.policies.dir = Some(dir);
    })
    .await;
    (server, folder)
}

fn false_report() -> v1::EvaluateRequest {
    let evidence = vec![item("pool", r#"{"name": "checkout", "pool_size": 20}"#)];
    let policy = String::new();
    v1::EvaluateRequest { policy, ..evaluation("The pool size of checkout is 50.", evidence) }
}

#[tokio::test]
async fn shadow_decision_does_not_block() {
    let file = "name = \"own\"\n[rollout]\ndecision = \"shadow\"\n";
    let (server, _folder) = start_with_default_policy(file).await;
    let answer = server.evaluate(false_report()).await.unwrap();
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
    assert_eq!(server.list_evaluations(list_request).await[0].evaluation_id, answer.evaluation_id);
    let stored = server.get_evaluation(&answer.evaluation_id).await;
    assert_eq!(stored.evaluation.unwrap(), answer);

    // Callers may use the enforced policy, which is stricter than the policy in shadow mode.
    let enforced_request = v1::EvaluateRequest { policy: "reference".to_owned(), ..false_report() };
    let answer = server.evaluate(enforced_request).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Replan);
    assert_eq!(answer.shadow, None);
}

#[tokio::test]
async fn callers_cannot_select_shadow_mode() {
    let folder = tempfile::tempdir().unwrap();
    let file = "name = \"own\"\nbase = \"strict\"\n[rollout]\ndecision = \"shadow\"\n";
    std::fs::write(folder.path().join("own.toml"), file).unwrap();
    let dir = folder.path().to_owned();
    let server = TestServer::with(|config| config.policies.dir = Some(dir)).await;
    assert_eq!(rejected_fields(&server, request_policy("own")).await, ["rollout.decision"]);
}

#[tokio::test]
async fn server_with_a_strict_default_starts() {
    let server = TestServer::with(|config| config.policies.default = "strict".to_owned()).await;
    let trials = server.grounding().try_judges(v1::TryJudgesRequest::default()).await.unwrap();
    assert_eq!(trials.into_inner().trials[0].tier(), v1::Tier::Proceed);
    let answer = server.evaluate(request_policy("")).await.unwrap();
    assert_ne!(answer.claims[0].r#type(), v1::EvidenceType::ToolMatch);
}
