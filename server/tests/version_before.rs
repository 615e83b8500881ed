//! What version 0.1 left behind opens and works: its configuration, its policies, and a ledger that its server wrote.
//! The files in `fixtures/version_0_1` are as that version made them and are never written anew.

use std::path::{Path, PathBuf};

use crate::support::{Running, Wanted};
use gsar_core::fixed::Millionths;
use gsar_core::policy::{DecisionRollout, Policy, RolloutMode, preset};
use gsar_core::{EvidenceType, Preset};
use gsar_proto::json::from_json;
use gsar_proto::v1;
use gsar_server::config::{AllowOverrides, Config, Sources};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version_0_1").join(name)
}

fn lines<T: prost::Message + Default + gsar_proto::json::Named>(name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    text.lines().map(|line| from_json(line).unwrap()).collect()
}

/// The configuration of then; the policies lie beside it.
fn configuration(allow_overrides: Option<&str>) -> Config {
    let policies = fixture("policies").to_string_lossy().into_owned();
    let mut environment = vec![("GSAR_POLICIES__DIR".to_owned(), policies)];
    environment.extend(
        allow_overrides.map(|value| ("GSAR_POLICIES__ALLOW_OVERRIDES".to_owned(), value.into())),
    );
    let sources = Sources { file: Some(fixture("gsar.toml")), environment, ..Sources::default() };
    sources.load().unwrap().config
}

/// A server on a copy of the ledger of then.
async fn started() -> Running {
    let before = configuration(None);
    Wanted::default()
        .start(|config| {
            config.policies = before.policies;
            config.judges = before.judges;
            config.ledger = before.ledger;
            std::fs::create_dir_all(&config.data_dir).unwrap();
            let ledger = config.data_dir.join("ledger.sqlite3");
            std::fs::copy(fixture("ledger.sqlite3"), ledger).unwrap();
        })
        .await
}

#[test]
fn its_configuration_loads_and_its_switch_for_overrides_means_what_it_meant() {
    let config = configuration(None);
    assert_eq!(config.policies.allow_overrides, AllowOverrides::Any);
    assert_eq!(config.policies.allowed, Vec::<String>::new());
    assert_eq!(config.policies.default, "reference");
    for (value, meant) in [
        ("true", AllowOverrides::Any),
        ("false", AllowOverrides::None),
        ("none", AllowOverrides::None),
        ("stricter", AllowOverrides::Stricter),
        ("any", AllowOverrides::Any),
    ] {
        assert_eq!(configuration(Some(value)).policies.allow_overrides, meant, "{value}");
    }
}

#[test]
fn its_policies_load_with_every_value_that_they_set() {
    let text = std::fs::read_to_string(fixture("policies/every-field.toml")).unwrap();
    let policy = Policy::from_toml(&text).unwrap();
    let millionths = Millionths::new;
    assert_eq!(policy.tau_proceed, millionths(850_000));
    assert_eq!(policy.rho, millionths(3_000_000));
    assert_eq!(policy.weights.of(EvidenceType::Domain), millionths(180_000));
    assert_eq!(policy.guards.min_grounded, 2);
    assert_eq!(policy.guards.complementary_limit, Some(millionths(400_000)));
    assert_eq!(policy.gate.max_identical_calls, 2);
    assert_eq!(policy.cap.ungrounded, millionths(630_000));
    assert_eq!(policy.ladder.pull_request, millionths(860_000));
    assert_eq!(policy.rollout.gate, RolloutMode::Shadow);
    assert_eq!(policy.rollout.ladder, RolloutMode::Off);
    // What did not exist then comes from the base.
    assert_eq!(policy.rollout.decision, DecisionRollout::Active);
    assert_eq!(policy.second_look, preset(Preset::Strict).second_look);
    let retired: Vec<&str> =
        policy.retired_keys().iter().map(|warning| warning.field.as_str()).collect();
    assert_eq!(retired, ["guards.absence_needs_search"]);
}

#[tokio::test]
async fn its_ledger_opens_and_gives_back_every_answer() {
    let server = started().await;
    let policies = server.policies().list_policies(v1::ListPoliciesRequest {}).await.unwrap();
    assert_eq!(policies.into_inner().policies.len(), 5);
    let answers: Vec<v1::EvaluateResponse> = lines("answers.jsonl");
    let list = v1::ListEvaluationsRequest::default();
    let listed = server.ledger().list_evaluations(list).await.unwrap().into_inner().evaluations;
    let newest_first: Vec<&str> = answers.iter().rev().map(|a| a.evaluation_id.as_str()).collect();
    let found: Vec<&str> = listed.iter().map(|summary| summary.evaluation_id.as_str()).collect();
    assert_eq!(found, newest_first);
    for answer in answers {
        let get =
            v1::GetEvaluationRequest { evaluation_id: answer.evaluation_id.clone(), redact: false };
        let stored = server.ledger().get_evaluation(get).await.unwrap().into_inner();
        assert!(Policy::from_record(&stored.policy_toml).is_ok(), "{}", stored.policy_toml);
        assert!(!answer.decision.as_ref().unwrap().in_shadow);
        // Read back from JSON like the answer, since that reads a double less exactly than it is written.
        let stored = gsar_proto::json::to_json(&stored.evaluation.unwrap()).unwrap();
        assert_eq!(from_json::<v1::EvaluateResponse>(&stored).unwrap(), answer);
    }
}

#[tokio::test]
async fn its_idempotency_keys_give_the_same_answers_and_its_requests_are_decided() {
    let server = started().await;
    let answers: Vec<v1::EvaluateResponse> = lines("answers.jsonl");
    let requests: Vec<v1::EvaluateRequest> = lines("requests.jsonl");
    for (request, before) in requests.into_iter().zip(answers) {
        let (key, policy) = (request.idempotency_key.clone(), request.policy.clone());
        let id = request.report.as_ref().unwrap().id.clone();
        let answer = server.grounding().evaluate(request).await;
        if !key.is_empty() {
            // Under its key even what would be refused now.
            assert_eq!(answer.unwrap().into_inner(), before, "{id}");
            continue;
        }
        match policy.as_str() {
            // Looser than the default: the operator has to name it in policies.allowed.
            "relaxed" => {
                assert!(answer.unwrap_err().message().contains("policies.allowed"), "{id}")
            }
            // Its caps and limits of the gate are not those of the default.
            "every-field" => {
                assert!(answer.unwrap_err().message().contains("gate.max_turns"), "{id}")
            }
            _ => assert!(answer.unwrap().into_inner().decision.is_some(), "{id}"),
        }
    }
}
