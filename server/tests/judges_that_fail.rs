//! Tests that no report proceeds if its judge fails or hangs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::support::chat_models::codes;
use crate::support::judges::judge;
use crate::support::{TestServer, reason, request_for_judge};
use futures_util::{StreamExt as _, stream};
use gsar_proto::v1;
use gsar_server::judge::{Judge, JudgeError, Judgement, ModelCall, Question};
use tokio::sync::watch;
use tonic::{Code, Request};
use tonic_types::StatusExt as _;

const CODES: [&str; 27] = [
    "CONNECT_FAILED",
    "TLS_FAILED",
    "CONNECT_TIMEOUT",
    "FIRST_BYTE_TIMEOUT",
    "TOTAL_TIMEOUT",
    "DEADLINE_PASSED",
    "DEADLINE_BEFORE_START",
    "CONNECTION_LOST",
    "KEY_REFUSED",
    "MODEL_NOT_FOUND",
    "RATE_LIMITED",
    "QUOTA_EXHAUSTED",
    "REQUEST_REFUSED",
    "REQUEST_TOO_LARGE",
    "CONTENT_FILTERED",
    "REDIRECTED",
    "PROVIDER_UNAVAILABLE",
    "UNEXPECTED_STATUS",
    "ERROR_IN_ANSWER",
    "WRONG_CONTENT_TYPE",
    "ANSWER_TOO_LARGE",
    "ANSWER_NOT_JSON",
    "ANSWER_WRONG_SHAPE",
    "ANSWER_EMPTY",
    "MODEL_REFUSED",
    "ANSWER_TRUNCATED",
    "CIRCUIT_OPEN",
];

const LOCAL_LIMITS: [&str; 2] = ["TOO_MANY_CALLS", "RATE_LIMITED_HERE"];

struct HangingCall(watch::Sender<i64>);

impl Drop for HangingCall {
    fn drop(&mut self) {
        self.0.send_modify(|hanging_calls| *hanging_calls -= 1);
    }
}

/// Fails with the code given by the first claim's id.
async fn fail(question: Question) -> Result<Judgement, JudgeError> {
    let code_name = question.claims.first().map_or("", |claim| claim.id.as_str());
    let mut known = CODES.into_iter().chain(LOCAL_LIMITS);
    let code = known.find(|code| *code == code_name).expect("a known code");
    tokio::task::yield_now().await;
    Err(JudgeError::Failed {
        judge: "failing/1".to_owned(),
        code,
        reason: "it is scripted to fail".to_owned(),
        calls: vec![ModelCall { purpose: "judge", attempts: 2, ..ModelCall::default() }],
    })
}

/// Returns a judge that never answers and counts the calls that are hanging.
fn hanging(hanging_calls: watch::Sender<i64>) -> impl Judge + 'static {
    judge("hanging/1", move |_| {
        let hanging_call = HangingCall(hanging_calls.clone());
        hanging_call.0.send_modify(|hanging_calls| *hanging_calls += 1);
        async move {
            let _hanging_call = hanging_call;
            std::future::pending().await
        }
    })
}

async fn start_with_judge(judge: impl Judge + 'static, deadline: Option<Duration>) -> TestServer {
    let chain = vec![judge.name().to_owned(), "rules/2".to_owned()];
    TestServer::with_judges(vec![Arc::new(judge)], |config| {
        config.judges.chain = chain;
        config.ledger.enabled = false;
        if let Some(deadline) = deadline {
            config.limits.max_deadline.0 = deadline;
            config.limits.default_deadline.0 = deadline;
        }
    })
    .await
}

/// Returns a request whose report would proceed under the embedded judge. The report's only claim has this id.
fn request_with_id(id: &str, judge: &str) -> v1::EvaluateRequest {
    let mut request = request_for_judge(judge);
    let report = request.report.as_mut().unwrap();
    let text = report.synthesis.clone();
    report.claims = vec![v1::Claim { id: id.to_owned(), text, span: None }];
    request
}

#[tokio::test]
async fn h33_no_report_proceeds_after_a_judge_failure() {
    const RUNS: usize = 1_000;
    let server = start_with_judge(judge("failing/1", fail), None).await;
    let codes = CODES.iter().cycle().take(RUNS);
    let answers = stream::iter(codes)
        .map(|code| {
            let answer = server.evaluate(request_with_id(code, "failing/1"));
            async move { (*code, answer.await.unwrap()) }
        })
        .buffer_unordered(32)
        .collect::<Vec<_>>()
        .await;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (code, answer) in &answers {
        assert_eq!(answer.outcome(), v1::Outcome::Failed, "{code}");
        let decision = answer.decision.as_ref().unwrap();
        assert_eq!(decision.tier(), v1::Tier::Abstain, "{code}");
        assert!(answer.score.is_none() && answer.guarded_score.is_none(), "{code}");
        assert!(decision.reasons.iter().any(|reason| reason.code == "JUDGE_FAILED"), "{code}");
        assert_eq!(answer.action.as_ref().unwrap().action(), v1::Action::Notify, "{code}");
        let links = &answer.provenance.as_ref().unwrap().judges;
        let [link] = links.as_slice() else { panic!("{code}: {links:?}") };
        assert_eq!((link.code.as_str(), link.result.as_str()), (*code, "failed"));
        assert_eq!(link.calls.len(), 1, "{code}");
        *counts.entry(code).or_default() += 1;
    }
    assert_eq!((answers.len(), counts.len()), (RUNS, CODES.len()));
}

#[tokio::test]
async fn busy_judges_ask_the_caller_to_retry() {
    let server = start_with_judge(judge("failing/1", fail), None).await;
    for code in LOCAL_LIMITS {
        let status = server.evaluate(request_with_id(code, "failing/1")).await.unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted, "{code}");
        assert_eq!(reason(&status), "JUDGES_BUSY");
        let details = status.get_error_details();
        assert!(details.retry_info().unwrap().retry_delay.is_some());
        let answer = server.evaluate(request_with_id(code, "")).await.unwrap();
        assert_eq!(codes(&answer)[0], code, "the next judge must have judged the report");
    }
}

#[tokio::test]
async fn h13_fallback_judge_is_reported() {
    let server = start_with_judge(judge("failing/1", fail), None).await;
    for code in CODES {
        let answer = server.evaluate(request_with_id(code, "")).await.unwrap();
        assert!(answer.warnings.iter().any(|warning| warning.code == "FALLBACK_JUDGE"), "{code}");
        let links = answer.provenance.unwrap().judges;
        let links: Vec<(&str, &str)> =
            links.iter().map(|link| (link.code.as_str(), link.result.as_str())).collect();
        assert_eq!(links, [(code, "failed"), ("", "judged")]);
    }
}

#[tokio::test]
async fn call_to_a_hanging_judge_is_dropped_at_the_deadline() {
    const CONCURRENCY: usize = 200;
    let (hanging_calls, mut hanging_count) = watch::channel(0);
    let deadline = Some(Duration::from_secs(2));
    let server = start_with_judge(hanging(hanging_calls), deadline).await;
    let calls = (0..CONCURRENCY).map(|number| {
        let mut call = Request::new(request_with_id(&format!("c{number}"), "hanging/1"));
        // This is longer than the server's limit, so the server ends the call.
        call.metadata_mut().insert("grpc-timeout", "60S".parse().unwrap());
        server.evaluate(call)
    });
    let answers = stream::iter(calls).buffer_unordered(CONCURRENCY).collect::<Vec<_>>().await;
    assert_eq!(answers.len(), CONCURRENCY);
    for answer in answers {
        let status = answer.unwrap_err();
        assert_eq!(status.code(), Code::DeadlineExceeded);
        assert_eq!(reason(&status), "DEADLINE_EXCEEDED");
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().metadata["step"], "judge");
    }
    assert!(hanging_count.has_changed().unwrap(), "the judge must have been called");
    hanging_count.wait_for(|hanging_calls| *hanging_calls == 0).await.unwrap();
}
