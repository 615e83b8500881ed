//! Tests the judge `local/1` with the shipped model and the real ONNX Runtime.

use crate::facts_judge::assert_order_does_not_matter;
use crate::lies::cases::{cases, content};
use crate::support::skip::report_skip;
use crate::support::{TestServer, evaluation, item};
use gsar_core::Class;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, Problems};
use gsar_server::judge::local::LocalJudge;

/// The number of reports that are judged. Judging all reports would take a minute in a debug build.
const CASES: usize = 12;

async fn start_server() -> Option<TestServer> {
    if let Err(error) = gsar_embedding::Runtime::load(None) {
        report_skip("onnxruntime", error);
        return None;
    }
    let change = |config: &mut Config| {
        config.judges.chain = vec![LocalJudge::NAME.to_owned()];
        config.ledger.enabled = false;
    };
    Some(TestServer::with(change).await)
}

#[tokio::test]
async fn decisions_are_correct_and_no_false_report_proceeds() {
    let Some(server) = start_server().await else { return };
    let (mut correct_count, mut decided_count, mut claim_count) = (0, 0, 0);
    for case in cases().into_iter().take(CASES) {
        let answer = server.evaluate(case.request.clone()).await.unwrap();
        let is_faithful = case.honest.iter().all(|honest| honest.class == Class::Grounded);
        let tier = answer.decision.as_ref().unwrap().tier();
        assert!(is_faithful || tier != v1::Tier::Proceed, "{}", case.name);
        claim_count += answer.claims.len();
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            let is_decided = claim.undecided.is_none();
            decided_count += usize::from(is_decided);
            let is_correct = Class::from_number(claim.class) == Some(honest.class);
            correct_count += usize::from(is_decided && is_correct);
            for citation in &claim.citations {
                let cited =
                    case.request.evidence.iter().find(|item| item.id == citation.evidence_id);
                assert!(content(cited.unwrap()).contains(&citation.quote), "{}", claim.text);
            }
        }
    }
    println!(
        "{correct_count} of {decided_count} decided claims are correct, out of {claim_count} claims"
    );
    assert!(decided_count > 4, "only {decided_count} claims are decided");
    assert!(
        correct_count * 10 >= decided_count * 9,
        "only {correct_count} of {decided_count} decided claims are correct"
    );
}

#[tokio::test]
async fn order_of_evidence_does_not_matter() {
    let Some(server) = start_server().await else { return };
    assert_order_does_not_matter(&server, 3).await;
}

#[tokio::test]
async fn explanations_show_the_models_input_and_output() {
    let Some(server) = start_server().await else { return };
    let log = item("log", "10:04:05 ERROR checkout pool exhausted: 50 of 50 connections in use");
    let request = v1::EvaluateRequest {
        options: Some(v1::EvaluateOptions { explain: true, ..Default::default() }),
        ..evaluation("The checkout pool was exhausted.", vec![log])
    };
    let answer = server.evaluate(request).await.unwrap();
    let explanation = &answer.claims[0].considered;
    assert!(
        explanation.iter().any(|line| line.contains("pool exhausted: 50 of 50")),
        "{explanation:?}"
    );
    assert!(
        explanation.iter().any(|line| line.starts_with("the model says grounded ")),
        "{explanation:?}"
    );
}

#[test]
fn missing_model_is_reported_under_its_configuration_key() {
    let mut config = Config::default();
    let folder = tempfile::tempdir().unwrap();
    config.data_dir = folder.path().to_owned();
    config.judges.chain = vec![LocalJudge::NAME.to_owned()];
    config.judges.local.model = Some(folder.path().join("none"));
    let problems = CheckedConfig::check(config.clone(), Vec::new(), Problems::default())
        .unwrap_err()
        .to_string();
    assert!(problems.contains("judges.local: "), "{problems}");
    assert!(!problems.contains("unknown key"), "{problems}");
    config.judges.local.workers = 0;
    let problems =
        CheckedConfig::check(config, Vec::new(), Problems::default()).unwrap_err().to_string();
    assert!(
        problems.contains("judges.local.workers: 0 is not allowed; expected 1 to 64"),
        "{problems}"
    );
}
