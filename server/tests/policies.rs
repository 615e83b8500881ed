//! Tests of allowed policies and of shadow mode.

use crate::support::{self, TestServer, TestServerOptions, item, request};
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

fn of(policy: &str) -> v1::EvaluateRequest {
    v1::EvaluateRequest { policy: policy.to_owned(), ..request() }
}

fn with(policy: &str, overrides: v1::PolicyOverrides) -> v1::EvaluateRequest {
    v1::EvaluateRequest { policy_overrides: Some(overrides), ..of(policy) }
}

fn rho(rho: f64) -> v1::PolicyOverrides {
    v1::PolicyOverrides { rho: Some(rho), ..Default::default() }
}

async fn evaluated(
    server: &TestServer,
    request: v1::EvaluateRequest,
) -> Result<v1::EvaluateResponse, Status> {
    server.grounding().evaluate(request).await.map(tonic::Response::into_inner)
}

fn refused_for(refused: Result<v1::EvaluateResponse, Status>) -> Vec<String> {
    let status = refused.expect_err("must be refused");
    assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
    let info = status.get_details_error_info().unwrap();
    assert_eq!(info.reason, "NOT_ALLOWED");
    let failure = status.get_details_precondition_failure().unwrap();
    failure.violations.into_iter().map(|violation| violation.subject).collect()
}

async fn start(change: impl FnOnce(&mut Config)) -> TestServer {
    TestServerOptions::default().start(change).await
}

#[tokio::test]
async fn callers_may_use_the_default_and_stricter_policies() {
    let server = start(|_| {}).await;
    for policy in ["", "reference", "strict"] {
        evaluated(&server, of(policy)).await.expect(policy);
    }
    let refused = evaluated(&server, of("paper")).await;
    let message = refused.as_ref().unwrap_err().message().to_owned();
    for words in [
        "policy `paper` is looser than the default `reference`",
        "verification is observe against enforce; allowed is enforce",
        "have `paper` added to policies.allowed",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
    let fields = refused_for(refused);
    for field in ["verification", "guards.contradiction_blocks", "guards.min_coverage"] {
        assert!(fields.iter().any(|named| named == field), "{field}: {fields:?}");
    }
    // The gate follows the same rule.
    let gate = v1::GateInputs::default();
    let request = v1::EvaluateGateRequest { gate: Some(gate), policy: "paper".to_owned() };
    let status = server.gate().evaluate_gate(request).await.expect_err("looser");
    assert_eq!(status.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn allowed_policies_and_stricter_ones_may_be_used() {
    let server = start(|config| {
        config.policies.default = "strict".to_owned();
        config.policies.allowed = vec!["paper".to_owned()];
    })
    .await;
    evaluated(&server, of("paper")).await.expect("allowed");
    evaluated(&server, with("paper", rho(1.0))).await.expect("stricter than an allowed policy");
    assert_eq!(refused_for(evaluated(&server, of("reference")).await)[0], "rho");
    let loosened = refused_for(evaluated(&server, with("paper", rho(0.1))).await);
    assert!(loosened.contains(&"rho".to_owned()), "{loosened:?}");
}

#[tokio::test]
async fn overrides_may_only_be_stricter_by_default() {
    let server = start(|_| {}).await;
    evaluated(&server, with("reference", rho(0.6))).await.expect("stricter");
    evaluated(&server, with("strict", rho(0.6))).await.expect("no looser than the default");
    assert_eq!(refused_for(evaluated(&server, with("reference", rho(0.4))).await), ["rho"]);
    let off = v1::PolicyOverrides {
        verification: v1::VerificationMode::Off.into(),
        tau_proceed: Some(0.7),
        ..Default::default()
    };
    let refused = evaluated(&server, with("", off)).await;
    assert_eq!(refused_for(refused), ["tau_proceed", "verification"]);

    let any = start(|config| config.policies.allow_overrides = AllowOverrides::Any).await;
    evaluated(&any, with("reference", rho(0.1))).await.expect("any override");
    // Overrides cannot change guards, and so cannot imitate a looser policy.
    assert!(!refused_for(evaluated(&any, with("paper", rho(1.0))).await).is_empty());

    let none = start(|config| config.policies.allow_overrides = AllowOverrides::None).await;
    let status = evaluated(&none, with("reference", rho(0.6))).await.expect_err("none");
    assert!(status.message().contains("does not allow policy_overrides"), "{}", status.message());
}

#[tokio::test]
async fn score_accepts_any_policy_and_marks_looser_ones() {
    let server = start(|config| config.policies.allow_overrides = AllowOverrides::None).await;
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
    let server = start(|config| {
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
    v1::EvaluateRequest { report: Some(report), evidence, ..of("") }
}

#[tokio::test]
async fn shadow_decision_does_not_block() {
    let file = "name = \"own\"\n[rollout]\ndecision = \"shadow\"\n";
    let (server, _folder) = with_default(file).await;
    let answer = evaluated(&server, false_report()).await.unwrap();
    let decision = answer.decision.clone().unwrap();
    assert!(decision.in_shadow);
    assert_eq!(decision.tier(), v1::Tier::Proceed);
    assert_eq!(decision.reasons[0].code, "DECISION_IN_SHADOW");
    assert!(decision.reasons[0].sentence.contains("replan was decided"), "{decision:?}");
    let decided = answer.shadow.clone().unwrap().decision.unwrap();
    assert_eq!(decided.tier(), v1::Tier::Replan);
    assert!(!decided.in_shadow && !decided.reasons.is_empty());
    let held: Vec<String> =
        answer.action.clone().unwrap().held_by.into_iter().map(|reason| reason.code).collect();
    assert!(held.contains(&"NO_DECISION".to_owned()), "{held:?}");

    let list = v1::ListEvaluationsRequest { tier: v1::Tier::Replan.into(), ..Default::default() };
    let listed = server.ledger().list_evaluations(list).await.unwrap().into_inner();
    assert_eq!(listed.evaluations[0].evaluation_id, answer.evaluation_id);
    let get =
        v1::GetEvaluationRequest { evaluation_id: answer.evaluation_id.clone(), redact: false };
    let stored = server.ledger().get_evaluation(get).await.unwrap().into_inner();
    assert_eq!(stored.evaluation.unwrap(), answer);

    // The enforced policy is stricter than the shadow policy.
    let enforced = v1::EvaluateRequest { policy: "reference".to_owned(), ..false_report() };
    let answer = evaluated(&server, enforced).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Replan);
    assert_eq!(answer.shadow, None);
}

#[tokio::test]
async fn callers_cannot_select_shadow_mode() {
    let folder = tempfile::tempdir().unwrap();
    let file = "name = \"own\"\nbase = \"strict\"\n[rollout]\ndecision = \"shadow\"\n";
    std::fs::write(folder.path().join("own.toml"), file).unwrap();
    let dir = folder.path().to_owned();
    let server = start(|config| config.policies.dir = Some(dir)).await;
    let refused = evaluated(&server, of("own")).await;
    assert_eq!(refused_for(refused), ["rollout.decision"]);
}

#[tokio::test]
async fn server_with_a_strict_default_starts() {
    let server = start(|config| config.policies.default = "strict".to_owned()).await;
    let trials = server.grounding().try_judges(v1::TryJudgesRequest::default()).await.unwrap();
    assert_eq!(trials.into_inner().trials[0].tier(), v1::Tier::Proceed);
    let unattested = evaluated(&server, of("")).await.unwrap();
    assert_ne!(unattested.claims[0].r#type(), v1::EvidenceType::ToolMatch);
}
