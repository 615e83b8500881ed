//! Tests that failing, panicking and hanging judges never let a report proceed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::support::{TestServer, TestServerOptions, request};
use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use gsar_core::Class;
use gsar_proto::v1;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, ModelCall, Question};
use tokio::sync::watch;
use tonic::{Code, Request, Status};
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

const OUR_OWN_LIMITS: [&str; 2] = ["TOO_MANY_CALLS", "RATE_LIMITED_HERE"];

/// Fails with the code that is the first claim's id.
struct Failing;

/// Panics before or after its first await, as the first claim's id says.
struct Panicking {
    is_local: bool,
}

/// Never returns. Counts the questions in progress.
struct Hanging {
    hanging_calls: watch::Sender<i64>,
}

struct Held(watch::Sender<i64>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.send_modify(|hanging_calls| *hanging_calls -= 1);
    }
}

fn capabilities() -> Capabilities {
    Capabilities { classes: Class::ALL.to_vec(), languages: vec!["en"], max_evidence_bytes: None }
}

fn first_claim(question: &Question) -> &str {
    question.claims.first().map_or("", |claim| claim.id.as_str())
}

#[async_trait]
impl Judge for Failing {
    fn name(&self) -> &'static str {
        "failing/1"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let code_name = first_claim(question);
        let mut known = CODES.into_iter().chain(OUR_OWN_LIMITS);
        let code = known.find(|code| *code == code_name).expect("a known code");
        tokio::task::yield_now().await;
        Err(JudgeError::Failed {
            judge: "failing/1".to_owned(),
            code,
            reason: "it is scripted to fail".to_owned(),
            calls: vec![ModelCall { purpose: "judge", attempts: 2, ..ModelCall::default() }],
        })
    }
}

#[async_trait]
impl Judge for Panicking {
    fn name(&self) -> &'static str {
        "panicking/1"
    }

    fn is_local(&self) -> bool {
        self.is_local
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        assert_ne!(first_claim(question), "at-once", "a defect of a judge");
        let waits = !self.is_local;
        if waits {
            tokio::task::yield_now().await;
        }
        panic!("a defect of a judge")
    }
}

#[async_trait]
impl Judge for Hanging {
    fn name(&self) -> &'static str {
        "hanging/1"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        capabilities()
    }

    async fn judge(&self, _: &Question) -> Result<Judgement, JudgeError> {
        self.hanging_calls.send_modify(|hanging_calls| *hanging_calls += 1);
        let hanging_calls = Held(self.hanging_calls.clone());
        let _held = hanging_calls;
        std::future::pending().await
    }
}

async fn start_with_judge(
    judge: impl Judge + 'static,
    name: &str,
    deadline: Option<Duration>,
) -> TestServer {
    let chain = |config: &mut gsar_server::config::Config| {
        config.judges.chain = vec![name.to_owned(), "rules/2".to_owned()];
        config.ledger.enabled = false;
        if let Some(deadline) = deadline {
            config.limits.max_deadline.0 = deadline;
            config.limits.default_deadline.0 = deadline;
        }
    };
    TestServerOptions::default().judge(judge).start(chain).await
}

/// Returns a report that the embedded judge would let proceed, with this claim id.
fn request_with_id(id: &str, judge: &str) -> v1::EvaluateRequest {
    let mut request = request();
    let report = request.report.as_mut().unwrap();
    let text = report.synthesis.clone();
    report.claims = vec![v1::Claim { id: id.to_owned(), text, span: None }];
    request.options =
        Some(v1::EvaluateOptions { judge: judge.to_owned(), explain: false, ..Default::default() });
    request
}

async fn evaluate(
    server: &TestServer,
    request: v1::EvaluateRequest,
) -> Result<v1::EvaluateResponse, Status> {
    server.grounding().evaluate(request).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn h33_no_judge_failure_proceeds() {
    const RUNS: usize = 1_000;
    let server = start_with_judge(Failing, "failing/1", None).await;
    let codes = CODES.iter().cycle().take(RUNS);
    let answers = stream::iter(codes)
        .map(|code| {
            let answer = evaluate(&server, request_with_id(code, "failing/1"));
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
    let server = start_with_judge(Failing, "failing/1", None).await;
    for code in OUR_OWN_LIMITS {
        let status = evaluate(&server, request_with_id(code, "failing/1")).await.unwrap_err();
        assert_eq!(status.code(), Code::ResourceExhausted, "{code}");
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "JUDGES_BUSY");
        assert!(details.retry_info().unwrap().retry_delay.is_some());
        let mut chain = request_with_id(code, "");
        chain.options = None;
        let answer = evaluate(&server, chain).await.unwrap();
        assert_eq!(
            answer.provenance.unwrap().judges[0].code,
            code,
            "the next judge must have judged"
        );
    }
}

#[tokio::test]
async fn h13_fallback_judge_is_reported() {
    let server = start_with_judge(Failing, "failing/1", None).await;
    for code in CODES {
        let mut request = request_with_id(code, "");
        request.options = None;
        let answer = evaluate(&server, request).await.unwrap();
        assert!(answer.warnings.iter().any(|warning| warning.code == "FALLBACK_JUDGE"), "{code}");
        let links = answer.provenance.unwrap().judges;
        let codes: Vec<&str> = links.iter().map(|link| link.code.as_str()).collect();
        assert_eq!(codes, [code, ""]);
    }
}

#[tokio::test]
async fn panicking_judge_fails_only_its_call() {
    for is_local in [false, true] {
        let chain = |config: &mut gsar_server::config::Config| {
            // The chain's first judge answers the self-test at startup.
            config.judges.chain = vec!["rules/2".to_owned(), "panicking/1".to_owned()];
        };
        let server = TestServerOptions::default().judge(Panicking { is_local }).start(chain).await;
        for id in ["at-once", "later"] {
            let status = evaluate(&server, request_with_id(id, "panicking/1")).await.unwrap_err();
            assert_eq!(status.code(), Code::Internal, "{id}: {status}");
            assert!(!status.message().contains("defect of a judge"), "{status}");
            let answer = evaluate(&server, request_with_id(id, "rules/2")).await.unwrap();
            assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed, "{id}");
        }
    }
}

#[tokio::test]
async fn hanging_judge_is_dropped_at_the_deadline() {
    const AT_ONCE: usize = 200;
    let (hanging_calls, mut hanging_count) = watch::channel(0);
    let deadline = Some(Duration::from_secs(2));
    let server = start_with_judge(Hanging { hanging_calls }, "hanging/1", deadline).await;
    let calls = (0..AT_ONCE).map(|number| {
        let mut call = Request::new(request_with_id(&format!("c{number}"), "hanging/1"));
        // Longer than the server's limit, so that the server ends the call.
        call.metadata_mut().insert("grpc-timeout", "60S".parse().unwrap());
        let mut grounding = server.grounding();
        async move { grounding.evaluate(call).await }
    });
    let answers = stream::iter(calls).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await;
    assert_eq!(answers.len(), AT_ONCE);
    for answer in answers {
        assert_eq!(answer.unwrap_err().code(), Code::DeadlineExceeded);
    }
    assert!(hanging_count.has_changed().unwrap(), "a judge was asked");
    hanging_count.wait_for(|hanging_calls| *hanging_calls == 0).await.unwrap();
}
