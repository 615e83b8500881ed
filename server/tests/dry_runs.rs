//! Tests of dry runs, which judge and explain without deciding.

use gsar_proto::v1;
use tonic::Code;

use crate::support::{TestServer, TestServerOptions, request, wrong_fields};

fn options() -> Option<v1::EvaluateOptions> {
    Some(v1::EvaluateOptions { dry_run: true, explain: true, ..v1::EvaluateOptions::default() })
}

async fn count_recorded(server: &TestServer) -> usize {
    let listed = server.ledger().list_evaluations(v1::ListEvaluationsRequest::default()).await;
    listed.unwrap().into_inner().evaluations.len()
}

#[tokio::test]
async fn dry_run_explains_without_deciding_or_recording() {
    let server = TestServerOptions::default().start(|_| {}).await;
    let dry = v1::EvaluateRequest { options: options(), ..request() };
    let answer = server.grounding().evaluate(dry).await.unwrap().into_inner();
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Abstain);
    assert_eq!(decision.reasons[0].code, "DRY_RUN");
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Grounded);
    assert!(!answer.claims[0].considered.is_empty(), "the answer has explanations");
    assert_eq!((answer.score, answer.guarded_score, answer.action), (None, None, None));
    assert_eq!((answer.evaluation_id.as_str(), answer.is_grounded), ("", false));
    assert!(!answer.provenance.unwrap().recorded);
    assert_eq!(count_recorded(&server).await, 0);

    let with_decision = server.grounding().evaluate(request()).await.unwrap().into_inner();
    assert_eq!(with_decision.decision.unwrap().tier(), v1::Tier::Proceed);
    assert_eq!(count_recorded(&server).await, 1);
}

#[tokio::test]
async fn rejects_dry_runs_that_need_a_decision_or_record() {
    let server = TestServerOptions::default().start(|_| {}).await;
    let keyed =
        v1::EvaluateRequest { idempotency_key: "k".to_owned(), options: options(), ..request() };
    let error = server.grounding().evaluate(keyed).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(wrong_fields(&error), ["idempotency_key"]);

    let v1::EvaluateRequest { report, evidence, .. } = request();
    let best = v1::SelectBestRequest {
        candidates: vec![report.unwrap()],
        evidence,
        options: options(),
        ..v1::SelectBestRequest::default()
    };
    let error = server.grounding().select_best(best).await.unwrap_err();
    assert_eq!(wrong_fields(&error), ["options.dry_run"]);

    let start = v1::StartInvestigationRequest {
        investigation_id: "i".to_owned(),
        options: options(),
        ..v1::StartInvestigationRequest::default()
    };
    let error = server.investigations().start_investigation(start).await.unwrap_err();
    assert_eq!(wrong_fields(&error), ["options.dry_run"]);
    assert_eq!(count_recorded(&server).await, 0);
}
