//! Tests dry runs, which judge and explain a report but make no decision.

use gsar_proto::v1;
use tonic::Code;

use crate::support::investigations::start;
use crate::support::{TestServer, invalid_fields, request};

fn options() -> Option<v1::EvaluateOptions> {
    Some(v1::EvaluateOptions { dry_run: true, explain: true, ..Default::default() })
}

#[tokio::test]
async fn dry_run_explains_without_deciding_or_recording() {
    let server = TestServer::start().await;
    let dry_run = v1::EvaluateRequest { options: options(), ..request() };
    let answer = server.evaluate(dry_run).await.unwrap();
    let decision = answer.decision.unwrap();
    assert_eq!(decision.tier(), v1::Tier::Abstain);
    assert_eq!(decision.reasons[0].code, "DRY_RUN");
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Grounded);
    assert!(!answer.claims[0].considered.is_empty(), "the answer contains explanations");
    assert_eq!((answer.score, answer.guarded_score, answer.action), (None, None, None));
    assert_eq!((answer.evaluation_id.as_str(), answer.is_grounded), ("", false));
    assert!(!answer.provenance.unwrap().recorded);
    assert_eq!(server.list_evaluations(v1::ListEvaluationsRequest::default()).await.len(), 0);

    let answer = server.evaluate(request()).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    assert_eq!(server.list_evaluations(v1::ListEvaluationsRequest::default()).await.len(), 1);
}

#[tokio::test]
async fn rejects_dry_runs_that_need_a_decision_or_record() {
    let server = TestServer::start().await;
    let keyed_request =
        v1::EvaluateRequest { idempotency_key: "k".to_owned(), options: options(), ..request() };
    let error = server.evaluate(keyed_request).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert_eq!(invalid_fields(&error), ["idempotency_key"]);

    let v1::EvaluateRequest { report, evidence, .. } = request();
    let best = v1::SelectBestRequest {
        candidates: vec![report.unwrap()],
        evidence,
        options: options(),
        ..Default::default()
    };
    let error = server.grounding().select_best(best).await.unwrap_err();
    assert_eq!(invalid_fields(&error), ["options.dry_run"]);

    let start = v1::StartInvestigationRequest { options: options(), ..start("i") };
    let error = server.investigations().start_investigation(start).await.unwrap_err();
    assert_eq!(invalid_fields(&error), ["options.dry_run"]);
    assert_eq!(server.list_evaluations(v1::ListEvaluationsRequest::default()).await.len(), 0);
}
