//! Tests of the judge `local/1` with the shipped model and the real ONNX Runtime.

use crate::lies::cases::{Case, cases};
use crate::support::skip::skipped;
use crate::support::{TestServer, TestServerOptions, item};
use gsar_core::Class;
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, Problems};
use gsar_server::judge::local::LocalJudge;

/// The number of reports. All would take a minute in a debug build.
const CASES: usize = 12;

async fn start_server() -> Option<TestServer> {
    if let Err(error) = gsar_embedding::Runtime::load(None) {
        skipped("onnxruntime", error);
        return None;
    }
    let change = |config: &mut Config| {
        config.judges.chain = vec![LocalJudge::NAME.to_owned()];
        config.ledger.enabled = false;
    };
    Some(TestServerOptions::default().start(change).await)
}

async fn evaluate(server: &TestServer, case: &Case) -> v1::EvaluateResponse {
    server.grounding().evaluate(case.request.clone()).await.unwrap().into_inner()
}

#[tokio::test]
async fn decisions_are_correct_and_no_false_report_proceeds() {
    let Some(server) = start_server().await else { return };
    let (mut correct_count, mut decided_count, mut claim_count) = (0, 0, 0);
    for case in cases().into_iter().take(CASES) {
        let answer = evaluate(&server, &case).await;
        let is_faithful = case.honest.iter().all(|honest| honest.class == Class::Grounded);
        let tier = answer.decision.as_ref().unwrap().tier();
        assert!(is_faithful || tier != v1::Tier::Proceed, "{}", case.name);
        claim_count += answer.claims.len();
        for (claim, honest) in answer.claims.iter().zip(&case.honest) {
            let is_decided = claim.undecided.is_none();
            decided_count += usize::from(is_decided);
            let is_right = Class::from_number(claim.class) == Some(honest.class);
            correct_count += usize::from(is_decided && is_right);
            for citation in &claim.citations {
                let cited =
                    case.request.evidence.iter().find(|item| item.id == citation.evidence_id);
                assert!(content(cited.unwrap()).contains(&citation.quote), "{}", claim.text);
            }
        }
    }
    println!("{correct_count} of {decided_count} decided claims are right, of {claim_count}");
    assert!(decided_count > 4, "{decided_count} claims are decided");
    assert!(
        correct_count * 10 >= decided_count * 9,
        "{correct_count} of {decided_count} are right"
    );
}

fn content(item: &v1::EvidenceItem) -> &str {
    match item.content.as_ref().unwrap() {
        v1::evidence_item::Content::Text(text) | v1::evidence_item::Content::Json(text) => text,
        v1::evidence_item::Content::CheckRun(run) => &run.output,
    }
}

#[tokio::test]
async fn order_of_evidence_does_not_matter() {
    let Some(server) = start_server().await else { return };
    for mut case in cases().into_iter().take(3) {
        let expected = evaluate(&server, &case).await.claims;
        case.request.evidence.reverse();
        assert_eq!(evaluate(&server, &case).await.claims, expected, "{}", case.name);
    }
}

#[tokio::test]
async fn explanations_show_the_models_input_and_output() {
    let Some(server) = start_server().await else { return };
    let request = v1::EvaluateRequest {
        report: Some(v1::Report {
            id: "r1".to_owned(),
            synthesis: "The checkout pool was exhausted.".to_owned(),
            ..v1::Report::default()
        }),
        evidence: vec![item(
            "log",
            "10:04:05 ERROR checkout pool exhausted: 50 of 50 connections in use",
        )],
        options: Some(v1::EvaluateOptions { explain: true, ..v1::EvaluateOptions::default() }),
        ..v1::EvaluateRequest::default()
    };
    let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
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
fn missing_model_is_named_with_the_fix() {
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
        problems.contains("judges.local.workers: 0 is not allowed; give 1 to 64"),
        "{problems}"
    );
}
