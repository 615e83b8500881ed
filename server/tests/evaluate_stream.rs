//! Tests of evaluating many reports over one stream.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::{TestServer, TestServerOptions, request, rounds};
use async_trait::async_trait;
use gsar_core::{Class, EvidenceType, JudgedClaim};
use gsar_proto::v1;
use gsar_proto::v1::evaluate_stream_response::Result as Answered;
use gsar_server::config::Config;
use gsar_server::judge::{Capabilities, Judge, JudgeError, Judgement, Question};
use gsar_server::server_phase::Phase;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt as _;

/// A judge that counts its calls, can wait for a permit, and writes notes of a given size.
#[derive(Clone)]
struct Counting {
    judged: Arc<AtomicUsize>,
    started: Arc<Semaphore>,
    release: Arc<Semaphore>,
    cancelled: Arc<Notify>,
    note: usize,
}

impl Counting {
    fn with_notes(note: usize) -> Self {
        Self { release: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)), note, ..Self::waiting() }
    }

    fn waiting() -> Self {
        Self {
            judged: Arc::default(),
            started: Arc::new(Semaphore::new(0)),
            release: Arc::new(Semaphore::new(0)),
            cancelled: Arc::default(),
            note: 1,
        }
    }

    fn judged(&self) -> usize {
        self.judged.load(Ordering::SeqCst)
    }

    async fn started(&self, reports: u32) {
        self.started.acquire_many(reports).await.unwrap().forget();
    }
}

struct OnDrop(Arc<Notify>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[async_trait]
impl Judge for Counting {
    fn name(&self) -> &'static str {
        "counting/0"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { classes: Class::ALL.to_vec(), languages: vec![], max_evidence_bytes: None }
    }

    async fn judge(&self, question: &Question) -> Result<Judgement, JudgeError> {
        let on_drop = OnDrop(Arc::clone(&self.cancelled));
        self.started.add_permits(1);
        self.release.acquire().await.unwrap().forget();
        std::mem::forget(on_drop);
        self.judged.fetch_add(1, Ordering::SeqCst);
        let judge_claim = |claim: &gsar_core::Claim| JudgedClaim {
            claim: claim.clone(),
            class: Class::Ungrounded,
            evidence_type: EvidenceType::Inference,
            citations: Vec::new(),
            note: "x".repeat(self.note),
            role: gsar_core::Role::default(),
            rules: Vec::new(),
            undecided: None,
        };
        let judged = question.claims.iter().map(judge_claim).collect();
        Ok(Judgement { judged, ..Judgement::default() })
    }
}

struct Panicking;

#[async_trait]
impl Judge for Panicking {
    fn name(&self) -> &'static str {
        "panicking/0"
    }

    fn is_local(&self) -> bool {
        true
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { classes: Class::ALL.to_vec(), languages: vec![], max_evidence_bytes: None }
    }

    async fn judge(&self, _: &Question) -> Result<Judgement, JudgeError> {
        panic!("a defect of a judge")
    }
}

fn message(id: &str, request: v1::EvaluateRequest) -> v1::EvaluateStreamRequest {
    v1::EvaluateStreamRequest { correlation_id: id.to_owned(), request: Some(request) }
}

fn judged_by(judge: &str) -> v1::EvaluateRequest {
    let options = v1::EvaluateOptions { judge: judge.to_owned(), ..Default::default() };
    v1::EvaluateRequest { options: Some(options), ..request() }
}

async fn start_server(judge: &Counting, change: impl FnOnce(&mut Config)) -> TestServer {
    let chain = |config: &mut Config| {
        config.judges.chain = ["rules/2", "counting/0", "panicking/0"].map(str::to_owned).to_vec();
        config.ledger.enabled = false;
        change(config);
    };
    TestServerOptions::default().judge(judge.clone()).judge(Panicking).start(chain).await
}

struct Open {
    requests: mpsc::Sender<v1::EvaluateStreamRequest>,
    answers: Streaming<v1::EvaluateStreamResponse>,
}

impl Open {
    async fn new(server: &TestServer) -> Self {
        let (requests, stream) = mpsc::channel(64);
        let answers = server.grounding().evaluate_stream(ReceiverStream::new(stream)).await;
        Self { requests, answers: answers.unwrap().into_inner() }
    }

    async fn send(&self, message: v1::EvaluateStreamRequest) {
        self.requests.send(message).await.unwrap();
    }

    async fn next(&mut self) -> (String, Result<v1::EvaluateResponse, v1::CallError>) {
        let answer = self.answers.message().await.unwrap().expect("an answer");
        split(answer)
    }

    async fn status(&mut self) -> Status {
        self.answers.message().await.expect_err("the stream ends with an error")
    }
}

fn split(
    answer: v1::EvaluateStreamResponse,
) -> (String, Result<v1::EvaluateResponse, v1::CallError>) {
    let result = match answer.result.unwrap() {
        Answered::Evaluation(evaluation) => Ok(*evaluation),
        Answered::Error(error) => Err(error),
    };
    (answer.correlation_id, result)
}

fn fields(error: &v1::CallError) -> Vec<&str> {
    error.field_violations.iter().map(|found| found.field.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streamed_reports_are_answered_individually() {
    let reports = rounds(1_000, 10_000);
    let server = TestServerOptions::default().start(|config| config.ledger.durable = false).await;
    let requests = (0..reports).map(|number| {
        let mut request = request();
        if number % 100 == 7 {
            request.evidence[0].kind = 99;
        }
        message(&number.to_string(), request)
    });
    let requests: Vec<_> = requests.collect();
    let started = std::time::Instant::now();
    let mut answers = server
        .grounding()
        .evaluate_stream(tokio_stream::iter(requests))
        .await
        .unwrap()
        .into_inner();
    let (mut seen, mut evaluations) = (BTreeSet::new(), BTreeSet::new());
    let mut errors = 0;
    while let Some(answer) = answers.message().await.unwrap() {
        let (id, result) = split(answer);
        let number: usize = id.parse().unwrap();
        assert!(seen.insert(number), "{number} was answered twice");
        match result {
            Ok(answer) => {
                assert_ne!(number % 100, 7);
                assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
                assert!(answer.provenance.unwrap().recorded);
                evaluations.insert(answer.evaluation_id);
            }
            Err(error) => {
                errors += 1;
                assert_eq!(number % 100, 7);
                assert_eq!((error.code, error.code_name.as_str()), (3, "INVALID_ARGUMENT"));
                assert_eq!(error.reason, "INVALID_FIELDS");
                assert_eq!(fields(&error), ["evidence[0].kind"]);
            }
        }
    }
    println!("{reports} reports in {:?}", started.elapsed());
    assert_eq!((errors, evaluations.len()), (reports / 100, reports - reports / 100));
    assert_eq!(seen.len(), reports);
}

#[tokio::test]
async fn slow_reader_limits_evaluations() {
    const IN_FLIGHT: usize = 4;
    const REPORTS: usize = 300;
    const NOTE: usize = 64 << 10;
    /// One answer in the channel, and three in the transport's buffers.
    const UNDERWAY: usize = 1 + 3;
    let judge = Counting::with_notes(NOTE);
    let server = start_server(&judge, |config| config.limits.stream_in_flight = IN_FLIGHT).await;
    let endpoint = Endpoint::from_shared(format!("unix://{}", server.socket().display())).unwrap();
    let channel = endpoint.initial_stream_window_size(65_535).connect().await.unwrap();
    let mut client = v1::grounding_service_client::GroundingServiceClient::new(channel);
    let requests: Vec<_> =
        (0..REPORTS).map(|number| message(&number.to_string(), judged_by("counting/0"))).collect();
    let mut answers =
        client.evaluate_stream(tokio_stream::iter(requests)).await.unwrap().into_inner();
    judge.started(u32::try_from(IN_FLIGHT).unwrap()).await;
    for _ in 0..200 {
        server.grounding().evaluate(judged_by("rules/2")).await.unwrap();
    }
    let judged_before_reading = judge.judged();
    println!("{judged_before_reading} of {REPORTS} reports were evaluated while nobody read");
    assert!(judged_before_reading <= IN_FLIGHT + UNDERWAY, "{judged_before_reading}");
    let mut read = 0;
    while answers.message().await.unwrap().is_some() {
        read += 1;
        let unread = judge.judged() - read;
        assert!(unread <= IN_FLIGHT + UNDERWAY, "{unread} evaluated but not read after {read}");
    }
    assert_eq!((read, judge.judged()), (REPORTS, REPORTS));
}

#[tokio::test]
async fn invalid_report_does_not_end_the_stream() {
    let judge = Counting::with_notes(1);
    let server = start_server(&judge, |_| {}).await;
    let mut open = Open::new(&server).await;
    open.send(message("boom", judged_by("panicking/0"))).await;
    let (id, error) = open.next().await;
    let error = error.unwrap_err();
    assert_eq!((id.as_str(), error.code_name.as_str()), ("boom", "INTERNAL"));
    assert!(!error.message.contains("a defect of a judge"), "the cause is not disclosed");

    open.send(message("", request())).await;
    assert_eq!(fields(&open.next().await.1.unwrap_err()), ["correlation_id"]);
    open.send(message(&"i".repeat(257), request())).await;
    let (id, error) = open.next().await;
    assert_eq!((id.len(), fields(&error.unwrap_err())), (257, vec!["correlation_id"]));
    let without_request = v1::EvaluateStreamRequest { request: None, ..message("none", request()) };
    open.send(without_request).await;
    assert_eq!(fields(&open.next().await.1.unwrap_err()), ["request"]);
    open.send(message("policy", v1::EvaluateRequest { policy: "x".to_owned(), ..request() })).await;
    let error = open.next().await.1.unwrap_err();
    assert_eq!((error.code, error.reason.as_str()), (5, "UNKNOWN_RESOURCE"));

    for _ in 0..2 {
        open.send(message("same", request())).await;
    }
    for _ in 0..2 {
        let (id, answer) = open.next().await;
        assert!(id == "same" && answer.is_ok());
    }
    drop(open.requests);
    assert!(open.answers.message().await.unwrap().is_none(), "the stream ends without an error");
}

#[tokio::test]
async fn each_report_has_the_deadline_of_the_stream() {
    let judge = Counting::waiting();
    let set_short_deadline =
        |config: &mut Config| config.limits.default_deadline.0 = Duration::from_millis(50);
    let server = start_server(&judge, set_short_deadline).await;
    let mut open = Open::new(&server).await;
    for id in ["first", "second"] {
        open.send(message(id, judged_by("counting/0"))).await;
        let (answered_id, error) = open.next().await;
        let error = error.unwrap_err();
        assert_eq!((answered_id.as_str(), error.reason.as_str()), (id, "DEADLINE_EXCEEDED"));
    }
    open.send(message("third", request())).await;
    assert!(open.next().await.1.is_ok());
}

#[tokio::test]
async fn open_stream_holds_no_permit() {
    let judge = Counting::waiting();
    let server = start_server(&judge, |config| config.limits.calls_in_flight = 1).await;
    let mut open = Open::new(&server).await;
    let mut other = Open::new(&server).await;
    assert!(server.grounding().evaluate(request()).await.is_ok(), "an open stream holds no permit");

    for number in 0..3 {
        open.send(message(&number.to_string(), judged_by("counting/0"))).await;
    }
    judge.started(1).await;
    other.send(message("waits", judged_by("rules/2"))).await;
    let refused = server.grounding().evaluate(request()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "a report in a stream holds the permit");
    assert_eq!(judge.started.available_permits(), 0, "the second report waits");
    judge.release.add_permits(3);
    for _ in 0..3 {
        assert!(open.next().await.1.is_ok());
    }
    assert!(other.next().await.1.is_ok());
    assert!(server.grounding().evaluate(request()).await.is_ok());
}

#[tokio::test]
async fn draining_server_answers_received_reports() {
    let judge = Counting::waiting();
    let mut server = start_server(&judge, |_| {}).await;
    let mut open = Open::new(&server).await;
    for id in ["one", "two"] {
        open.send(message(id, judged_by("counting/0"))).await;
    }
    judge.started(2).await;
    server.tell_to_stop();
    server.phase.wait_for(Phase::Draining).await;
    open.send(message("late", request())).await;
    judge.release.add_permits(2);
    let mut answered = [open.next().await, open.next().await].map(|(id, answer)| {
        assert!(answer.is_ok(), "{answer:?}");
        id
    });
    answered.sort();
    assert_eq!(answered, ["one", "two"]);
    let status = open.status().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "NOT_SERVING");
    drop(open);
    server.stopped().await.unwrap();
}

#[tokio::test]
async fn disconnect_cancels_reports_and_releases_permits() {
    let judge = Counting::waiting();
    let server = start_server(&judge, |config| config.limits.calls_in_flight = 1).await;
    let open = Open::new(&server).await;
    open.send(message("left", judged_by("counting/0"))).await;
    judge.started(1).await;
    drop(open);
    judge.cancelled.notified().await;
    let mut next = Open::new(&server).await;
    next.send(message("next", request())).await;
    assert!(next.next().await.1.is_ok());
}

#[tokio::test]
async fn malformed_message_ends_the_stream() {
    let server = TestServer::start().await;
    // A claim has a string in place of the request message.
    let claim = |text: &str| v1::Claim {
        id: "c".to_owned(),
        text: text.to_owned(),
        ..v1::Claim::default()
    };
    let mut grpc = tonic::client::Grpc::new(server.channel.clone());
    grpc.ready().await.unwrap();
    let path = http::uri::PathAndQuery::from_static("/gsar.v1.GroundingService/EvaluateStream");
    let codec = gsar_proto::codec::Codec::<v1::Claim, v1::EvaluateStreamResponse>::default();
    let claims = tokio_stream::iter([claim(""), claim("\u{7f}\u{7f}\u{7f}")]);
    let answers = grpc.streaming(tonic::Request::new(claims), path, codec).await.unwrap();
    let mut answers = answers.into_inner();
    let first = answers.message().await.unwrap().unwrap();
    assert_eq!(fields(&split(first).1.unwrap_err()), ["request"]);
    let status = answers.message().await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.get_error_details().error_info().unwrap().reason, "MALFORMED_MESSAGE");
}
