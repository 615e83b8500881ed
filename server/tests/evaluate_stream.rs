//! Tests the evaluation of many reports over one stream.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::judges::{OnDrop, judge, panicking_judge, ungrounded};
use crate::support::{TestServer, reason, request, request_for_judge, rounds};
use gsar_proto::v1;
use gsar_proto::v1::evaluate_stream_response::Result as StreamResult;
use gsar_server::config::Config;
use gsar_server::judge::Judge;
use gsar_server::server_phase::Phase;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Status, Streaming};

/// A judge that counts its calls, can wait for a permit, and writes notes of a given size.
#[derive(Clone)]
struct CountingJudge {
    judged_count: Arc<AtomicUsize>,
    started: Arc<Semaphore>,
    release: Arc<Semaphore>,
    cancelled: Arc<Notify>,
    note_size: usize,
}

impl CountingJudge {
    fn with_notes(note_size: usize) -> Self {
        Self {
            release: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
            note_size,
            ..Self::waiting()
        }
    }

    fn waiting() -> Self {
        Self {
            judged_count: Arc::default(),
            started: Arc::new(Semaphore::new(0)),
            release: Arc::new(Semaphore::new(0)),
            cancelled: Arc::default(),
            note_size: 1,
        }
    }

    fn judged_count(&self) -> usize {
        self.judged_count.load(Ordering::SeqCst)
    }

    async fn wait_until_started(&self, reports: u32) {
        self.started.acquire_many(reports).await.unwrap().forget();
    }

    fn judge(&self) -> impl Judge + 'static {
        let counting = self.clone();
        judge("counting/0", move |question| {
            let counting = counting.clone();
            async move {
                let on_drop = OnDrop(counting.cancelled);
                counting.started.add_permits(1);
                counting.release.acquire().await.unwrap().forget();
                std::mem::forget(on_drop);
                counting.judged_count.fetch_add(1, Ordering::SeqCst);
                let mut judgement = ungrounded(&question);
                for judged in &mut judgement.judged {
                    judged.note = "x".repeat(counting.note_size);
                }
                Ok(judgement)
            }
        })
    }
}

fn message(id: &str, request: v1::EvaluateRequest) -> v1::EvaluateStreamRequest {
    v1::EvaluateStreamRequest { correlation_id: id.to_owned(), request: Some(request) }
}

async fn start_server(judge: &CountingJudge, change: impl FnOnce(&mut Config)) -> TestServer {
    let configure = |config: &mut Config| {
        config.judges.chain = ["rules/2", "counting/0", "panicking/0"].map(str::to_owned).to_vec();
        config.ledger.enabled = false;
        change(config);
    };
    TestServer::with_judges(vec![Arc::new(judge.judge()), Arc::new(panicking_judge())], configure)
        .await
}

struct OpenStream {
    requests: mpsc::Sender<v1::EvaluateStreamRequest>,
    answers: Streaming<v1::EvaluateStreamResponse>,
}

impl OpenStream {
    async fn new(server: &TestServer) -> Self {
        let (requests, stream) = mpsc::channel(64);
        let answers = server.grounding().evaluate_stream(ReceiverStream::new(stream)).await;
        Self { requests, answers: answers.unwrap().into_inner() }
    }

    async fn send(&self, message: v1::EvaluateStreamRequest) {
        self.requests.send(message).await.unwrap();
    }

    async fn next(&mut self) -> (String, Result<v1::EvaluateResponse, v1::CallError>) {
        let answer = self.answers.message().await.unwrap().expect("the stream has another answer");
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
        StreamResult::Evaluation(evaluation) => Ok(*evaluation),
        StreamResult::Error(error) => Err(error),
    };
    (answer.correlation_id, result)
}

fn fields(error: &v1::CallError) -> Vec<&str> {
    error.field_violations.iter().map(|found| found.field.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streamed_reports_are_answered_individually() {
    let reports = rounds(1_000, 10_000);
    let server = TestServer::with(|config| config.ledger.durable = false).await;
    let requests = (0..reports).map(|index| {
        let mut request = request();
        if index % 100 == 7 {
            request.evidence[0].kind = 99;
        }
        message(&index.to_string(), request)
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
        let index: usize = id.parse().unwrap();
        assert!(seen.insert(index), "{index} was answered twice");
        match result {
            Ok(answer) => {
                assert_ne!(index % 100, 7);
                assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
                assert!(answer.provenance.unwrap().recorded);
                evaluations.insert(answer.evaluation_id);
            }
            Err(error) => {
                errors += 1;
                assert_eq!(index % 100, 7);
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
async fn evaluation_does_not_run_far_ahead_of_a_slow_reader() {
    const IN_FLIGHT: usize = 4;
    const REPORTS: usize = 300;
    const NOTE_SIZE: usize = 64 << 10;
    /// One answer is in the channel, and three are in the buffers of the transport.
    const BUFFERED_ANSWERS: usize = 1 + 3;
    let judge = CountingJudge::with_notes(NOTE_SIZE);
    let server = start_server(&judge, |config| config.limits.stream_in_flight = IN_FLIGHT).await;
    let endpoint = Endpoint::from_shared(format!("unix://{}", server.socket().display())).unwrap();
    let channel = endpoint.initial_stream_window_size(65_535).connect().await.unwrap();
    let mut client = v1::grounding_service_client::GroundingServiceClient::new(channel);
    let requests: Vec<_> = (0..REPORTS)
        .map(|index| message(&index.to_string(), request_for_judge("counting/0")))
        .collect();
    let mut answers =
        client.evaluate_stream(tokio_stream::iter(requests)).await.unwrap().into_inner();
    judge.wait_until_started(u32::try_from(IN_FLIGHT).unwrap()).await;
    for _ in 0..200 {
        server.grounding().evaluate(request_for_judge("rules/2")).await.unwrap();
    }
    let judged_before_reading = judge.judged_count();
    println!(
        "{judged_before_reading} of {REPORTS} reports were evaluated before any answer was read"
    );
    assert!(judged_before_reading <= IN_FLIGHT + BUFFERED_ANSWERS, "{judged_before_reading}");
    let mut read = 0;
    while answers.message().await.unwrap().is_some() {
        read += 1;
        let unread = judge.judged_count() - read;
        assert!(
            unread <= IN_FLIGHT + BUFFERED_ANSWERS,
            "{unread} answers were unread after {read} were read"
        );
    }
    assert_eq!((read, judge.judged_count()), (REPORTS, REPORTS));
}

#[tokio::test]
async fn invalid_report_does_not_end_the_stream() {
    let judge = CountingJudge::with_notes(1);
    let server = start_server(&judge, |_| {}).await;
    let mut stream = OpenStream::new(&server).await;
    stream.send(message("boom", request_for_judge("panicking/0"))).await;
    let (id, error) = stream.next().await;
    let error = error.unwrap_err();
    assert_eq!((id.as_str(), error.code_name.as_str()), ("boom", "INTERNAL"));
    assert!(!error.message.contains("a defect of a judge"), "the cause is not disclosed");

    stream.send(message("", request())).await;
    assert_eq!(fields(&stream.next().await.1.unwrap_err()), ["correlation_id"]);
    stream.send(message(&"i".repeat(257), request())).await;
    let (id, error) = stream.next().await;
    assert_eq!((id.len(), fields(&error.unwrap_err())), (257, vec!["correlation_id"]));
    let without_request = v1::EvaluateStreamRequest { request: None, ..message("none", request()) };
    stream.send(without_request).await;
    assert_eq!(fields(&stream.next().await.1.unwrap_err()), ["request"]);
    stream
        .send(message("policy", v1::EvaluateRequest { policy: "x".to_owned(), ..request() }))
        .await;
    let error = stream.next().await.1.unwrap_err();
    assert_eq!((error.code, error.reason.as_str()), (5, "UNKNOWN_RESOURCE"));

    for _ in 0..2 {
        stream.send(message("same", request())).await;
    }
    for _ in 0..2 {
        let (id, answer) = stream.next().await;
        assert!(id == "same" && answer.is_ok());
    }
    drop(stream.requests);
    assert!(stream.answers.message().await.unwrap().is_none(), "the stream ends without an error");
}

#[tokio::test]
async fn deadline_applies_to_each_report_in_a_stream() {
    let judge = CountingJudge::waiting();
    let set_short_deadline =
        |config: &mut Config| config.limits.default_deadline.0 = Duration::from_millis(50);
    let server = start_server(&judge, set_short_deadline).await;
    let mut stream = OpenStream::new(&server).await;
    for id in ["first", "second"] {
        stream.send(message(id, request_for_judge("counting/0"))).await;
        let (answered_id, error) = stream.next().await;
        let error = error.unwrap_err();
        assert_eq!((answered_id.as_str(), error.reason.as_str()), (id, "DEADLINE_EXCEEDED"));
    }
    stream.send(message("third", request())).await;
    assert!(stream.next().await.1.is_ok());
}

#[tokio::test]
async fn open_stream_holds_no_permit() {
    let judge = CountingJudge::waiting();
    let server = start_server(&judge, |config| config.limits.calls_in_flight = 1).await;
    let mut stream = OpenStream::new(&server).await;
    let mut other = OpenStream::new(&server).await;
    assert!(server.grounding().evaluate(request()).await.is_ok(), "an open stream holds no permit");

    for index in 0..3 {
        stream.send(message(&index.to_string(), request_for_judge("counting/0"))).await;
    }
    judge.wait_until_started(1).await;
    other.send(message("waits", request_for_judge("rules/2"))).await;
    let error = server.grounding().evaluate(request()).await.unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted, "a report in a stream holds the permit");
    assert_eq!(judge.started.available_permits(), 0, "the second report waits");
    judge.release.add_permits(3);
    for _ in 0..3 {
        assert!(stream.next().await.1.is_ok());
    }
    assert!(other.next().await.1.is_ok());
    assert!(server.grounding().evaluate(request()).await.is_ok());
}

#[tokio::test]
async fn draining_server_answers_received_reports() {
    let judge = CountingJudge::waiting();
    let mut server = start_server(&judge, |_| {}).await;
    let mut stream = OpenStream::new(&server).await;
    for id in ["one", "two"] {
        stream.send(message(id, request_for_judge("counting/0"))).await;
    }
    judge.wait_until_started(2).await;
    server.begin_shutdown();
    server.phase.wait_for(Phase::Draining).await;
    stream.send(message("late", request())).await;
    judge.release.add_permits(2);
    let mut answered_ids = [stream.next().await, stream.next().await].map(|(id, answer)| {
        assert!(answer.is_ok(), "{answer:?}");
        id
    });
    answered_ids.sort();
    assert_eq!(answered_ids, ["one", "two"]);
    let status = stream.status().await;
    assert_eq!(status.code(), Code::Unavailable);
    assert_eq!(reason(&status), "NOT_SERVING");
    drop(stream);
    server.wait_until_stopped().await.unwrap();
}

#[tokio::test]
async fn disconnect_cancels_reports_and_releases_permits() {
    let judge = CountingJudge::waiting();
    let server = start_server(&judge, |config| config.limits.calls_in_flight = 1).await;
    let stream = OpenStream::new(&server).await;
    stream.send(message("left", request_for_judge("counting/0"))).await;
    judge.wait_until_started(1).await;
    drop(stream);
    judge.cancelled.notified().await;
    let mut next = OpenStream::new(&server).await;
    next.send(message("next", request())).await;
    assert!(next.next().await.1.is_ok());
}

#[tokio::test]
async fn malformed_message_ends_the_stream() {
    let server = TestServer::start().await;
    // An encoded claim contains a string where the request message should be.
    let claim =
        |text: &str| v1::Claim { id: "c".to_owned(), text: text.to_owned(), ..Default::default() };
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
    assert_eq!(reason(&status), "MALFORMED_MESSAGE");
}
