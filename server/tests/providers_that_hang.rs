//! Tests slow and hanging chat providers: deadlines, queues and retries.

use std::sync::Arc;
use std::time::Duration;

use crate::support::chat_models::{
    HONEST, Models, codes, evaluate, failure_code, proceeds, request_for,
};
use crate::support::process::Process;
use crate::support::{TestServer, connect, health, item, reason};
use futures_util::stream::FuturesUnordered;
use futures_util::{StreamExt as _, stream};
use gsar_chat::{Chat, Clock, Endpoint, ManualClock, MaxJitter, Settings};
use gsar_chat_wire::{KEY, ScriptedReply, Server, Wire};
use gsar_proto::v1;
use gsar_server::config::Bytes;
use gsar_server::judge::model::{ModelJudge, ModelOptions, Prompt, Purpose};
use gsar_server::telemetry::metrics;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_types::StatusExt as _;

const SLOW: &str = "openai:slow";

async fn start_impatient_server(provider: &Server, max_concurrent: usize) -> TestServer {
    let models = Models::new().with(SLOW, provider, |model| model.max_concurrent = max_concurrent);
    let deadline = |config: &mut gsar_server::config::Config| {
        config.limits.max_deadline.0 = Duration::from_millis(200);
        config.limits.default_deadline.0 = Duration::from_millis(200);
    };
    models.start(deadline).await
}

/// Sets a deadline beyond the server's limit, so that the server ends the call.
fn with_long_deadline(request: v1::EvaluateRequest) -> Request<v1::EvaluateRequest> {
    let mut request = Request::new(request);
    request.metadata_mut().insert("grpc-timeout", "60S".parse().unwrap());
    request
}

fn alive_task_count() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

fn calls_in_flight() -> String {
    let text = metrics::recorder().unwrap().render();
    let value = text.lines().find_map(|line| line.strip_prefix("gsar_calls_in_flight "));
    value.unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_expired_deadlines_leave_no_tasks_behind() {
    const CALLS: usize = 1_000;
    const CONCURRENCY: usize = 50;
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::Hang);
    let server = start_impatient_server(&provider, CONCURRENCY).await;
    evaluate(&server.channel, request_for("rules/2")).await.unwrap();
    let tasks_before = alive_task_count();
    let calls = (0..CALLS).map(|_| {
        let mut grounding = server.grounding();
        async move { grounding.evaluate(with_long_deadline(request_for(SLOW))).await.unwrap_err() }
    });
    let errors = stream::iter(calls).buffer_unordered(CONCURRENCY).collect::<Vec<_>>().await;
    assert_eq!(errors.len(), CALLS);
    for status in errors {
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
        assert_eq!(reason(&status), "DEADLINE_EXCEEDED");
    }
    provider.wait_until(|counts| counts.open == 0 && counts.answering == 0).await;
    println!(
        "{} of {CALLS} calls reached the provider before their deadline",
        provider.counts().requests
    );
    assert!(provider.counts().requests > 0);
    while calls_in_flight() != "0" || alive_task_count() > tasks_before {
        tokio::task::yield_now().await;
    }
    assert!(proceeds(&evaluate(&server.channel, request_for("rules/2")).await.unwrap()));
}

const CALLERS: usize = 500;
const ADMITTED: usize = 256;

fn all_callers(
    channels: &[Channel],
    request: &v1::EvaluateRequest,
) -> FuturesUnordered<impl Future<Output = Result<v1::EvaluateResponse, Status>> + use<>> {
    let channels = channels.iter().cycle().take(CALLERS).cloned();
    let calls = channels.map(|channel| {
        let request = request.clone();
        async move { evaluate(&channel, request).await }
    });
    calls.collect()
}

async fn open_channels(socket: &std::path::Path) -> Vec<Channel> {
    let mut channels = Vec::new();
    for _ in 0..5 {
        channels.push(connect(socket).await);
    }
    channels
}

/// Returns `true` if the call was rejected with this reason because no permit was free, and the error contains a
/// retry delay.
fn is_overload_error(status: &Status, expected_reason: &str) -> bool {
    let details = status.get_error_details();
    status.code() == Code::ResourceExhausted
        && reason(status) == expected_reason
        && details.retry_info().is_some_and(|retry| retry.retry_delay.is_some())
        && details.quota_failure().is_some()
}

/// Checks the server's health until it is stopped, and counts the checks. Panics if a check fails.
struct Pulse {
    stop: tokio::sync::oneshot::Sender<()>,
    checks: tokio::task::JoinHandle<usize>,
}

impl Pulse {
    fn start(channel: Channel) -> Self {
        let (stop, mut stopped) = tokio::sync::oneshot::channel();
        let checks = tokio::spawn(async move {
            let mut count = 0;
            loop {
                assert_eq!(health(channel.clone(), "").await, ServingStatus::Serving);
                count += 1;
                if stopped.try_recv() != Err(tokio::sync::oneshot::error::TryRecvError::Empty) {
                    return count;
                }
            }
        });
        Self { stop, checks }
    }

    async fn stop(self) -> usize {
        drop(self.stop);
        self.checks.await.unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn excess_callers_of_a_slow_model_are_rejected() {
    const ROUNDS: usize = 2;
    let provider = Server::start().await.unwrap();
    provider.forget_requests();
    provider.always(ScriptedReply::AnswerWhenReleased(HONEST.to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let model = provider.model_table(SLOW, folder.path()).unwrap();
    // The model runs 64 calls and queues 256, which is enough for every admitted call.
    let config = format!(
        r#"
            evidence.embeddings = "off"
            limits.default_deadline = "5m"
            judges.chain = ["{SLOW}"]
            judges.second_look = "off"
            {model}
            max_concurrent = 64
            canary = false
        "#
    );
    let process = Process::with_config(folder.path(), &config);
    let socket = folder.path().join("gsar.sock");
    let channels = open_channels(&socket).await;
    let pulse = Pulse::start(connect(&socket).await);
    let mut request = request_for(SLOW);
    request.evidence.push(item("more", &"nothing happened in this minute\n".repeat(512)));
    let mut peaks = vec![process.peak_memory()];
    for _ in 0..ROUNDS {
        let mut calls = all_callers(&channels, &request);
        for _ in ADMITTED..CALLERS {
            let error = calls.next().await.unwrap().unwrap_err();
            assert!(is_overload_error(&error, "TOO_MANY_CALLS"), "{error:?}");
        }
        provider.wait_until(|counts| counts.answering == 64).await;
        let checked = health(connect(&socket).await, "gsar.v1.GroundingService").await;
        assert_eq!(checked, ServingStatus::Serving);
        provider.release(ADMITTED);
        let answers: Vec<_> = calls.map(Result::unwrap).collect().await;
        assert_eq!(answers.len(), ADMITTED);
        assert!(answers.iter().all(proceeds));
        peaks.push(process.peak_memory());
    }
    assert!(pulse.stop().await > ROUNDS);
    println!("peak memory idle and after each round of {CALLERS} callers, KiB: {peaks:?}");
    // Only admitted calls use memory.
    let growth = peaks[ROUNDS] - peaks[0];
    assert!(growth < ADMITTED as u64 * 512, "{peaks:?}");
    let list_request = v1::ListEvaluationsRequest { page_size: 1_000, ..Default::default() };
    let mut ledger = v1::ledger_service_client::LedgerServiceClient::new(channels[0].clone());
    let evaluations = ledger.list_evaluations(list_request).await.unwrap().into_inner().evaluations;
    assert_eq!(
        evaluations.len(),
        ROUNDS * ADMITTED,
        "the ledger must contain exactly the answered calls"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_model_queue_falls_back_to_the_next_judge() {
    const ANSWERED: usize = 80;
    for has_next in [false, true] {
        let provider = Server::start().await.unwrap();
        provider.always(ScriptedReply::AnswerWhenReleased(HONEST.to_owned()));
        let models = Models::new().with(SLOW, &provider, |_| {});
        let server = models
            .start(|config| {
                if !has_next {
                    config.judges.chain = vec![SLOW.to_owned()];
                }
            })
            .await;
        let channels = open_channels(&server.socket()).await;
        let mut calls = all_callers(&channels, &request_for(""));
        let (mut rejected, mut fallbacks) = (0, 0);
        for _ in ANSWERED..CALLERS {
            match calls.next().await.unwrap() {
                Err(status) if !has_next && is_overload_error(&status, "JUDGES_BUSY") => {
                    fallbacks += 1
                }
                Err(status) => {
                    assert!(is_overload_error(&status, "TOO_MANY_CALLS"), "{status:?}");
                    rejected += 1;
                }
                Ok(answer) if has_next => {
                    assert_eq!(codes(&answer), ["TOO_MANY_CALLS", ""]);
                    let warned = |warning: &v1::Reason| warning.code == "FALLBACK_JUDGE";
                    assert!(answer.warnings.iter().any(warned));
                    fallbacks += 1;
                }
                Ok(answer) => panic!("the queue was not full: {answer:?}"),
            }
        }
        assert_eq!(health(server.channel.clone(), "").await, ServingStatus::Serving);
        provider.release(ANSWERED);
        let answers: Vec<_> = calls.map(Result::unwrap).collect().await;
        assert_eq!(answers.len(), ANSWERED);
        assert!(answers.iter().all(|answer| proceeds(answer) && codes(answer) == [""]));
        println!(
            "with a next judge ({has_next}): {ANSWERED} judged, {fallbacks} did not fit in the queue, {rejected} rejected"
        );
        assert_eq!(provider.counts().requests, ANSWERED as u64);
    }
}

#[tokio::test]
async fn unavailable_model_is_retried() {
    let provider = Server::start().await.unwrap();
    let models = Models::new().with(SLOW, &provider, |model| model.attempts = 3);
    let server = models.start(|_| {}).await;
    provider.enqueue([
        ScriptedReply::Status(503),
        ScriptedReply::Status(503),
        ScriptedReply::answer(HONEST),
    ]);
    let answer = evaluate(&server.channel, request_for(SLOW)).await.unwrap();
    assert!(proceeds(&answer));
    let links = answer.provenance.unwrap().judges;
    let [call] = links[0].calls.as_slice() else { panic!("{links:?}") };
    assert_eq!((call.attempts, links[0].result.as_str()), (3, "judged"));
    assert_eq!(provider.counts().requests, 3);
    // The deadline does not allow a retry.
    provider.enqueue([ScriptedReply::RateLimited("3600")]);
    let answer = evaluate(&server.channel, request_for(SLOW)).await.unwrap();
    assert_eq!(failure_code(&answer), "RATE_LIMITED");
    assert_eq!(answer.provenance.unwrap().judges[0].calls[0].attempts, 1);
    assert_eq!(provider.counts().requests, 4);
}

/// Builds the judge as the server does, but with a manual clock.
fn judge_with_clock(provider: &Server, clock: &Arc<ManualClock>) -> ModelJudge {
    let base_url = provider.base_url(Wire::OpenAi);
    let name = SLOW.parse().unwrap();
    let endpoint = Endpoint::new(name, Some(&base_url), Some(KEY.into())).unwrap();
    let clock: Arc<dyn Clock> = Arc::<ManualClock>::clone(clock);
    let chat = Chat::with_clock(&endpoint, Settings::default(), clock, Arc::new(MaxJitter));
    let options = ModelOptions {
        prompt: Prompt::built_in(Purpose::Judge),
        purpose: Purpose::Judge,
        redactor: None,
        max_evidence: 1 << 18,
        outline_above: None,
        examples: 0,
        temperature: None,
        max_output_tokens: 1_000,
        price: None,
        canary: false,
        spending: None,
    };
    ModelJudge::new(chat.unwrap(), options).unwrap()
}

#[tokio::test]
async fn waits_for_the_providers_retry_after() {
    let provider = Server::start().await.unwrap();
    let clock = Arc::new(ManualClock::new());
    let started_at = clock.now();
    let server =
        TestServer::with_judges(vec![Arc::new(judge_with_clock(&provider, &clock))], |config| {
            config.judges.chain = vec![SLOW.to_owned()];
            config.judges.second_look = gsar_server::config::NO_READER.to_owned();
        })
        .await;
    provider.enqueue([ScriptedReply::RateLimited("7"), ScriptedReply::answer(HONEST)]);
    let channel = server.channel.clone();
    let answer = tokio::spawn(async move { evaluate(&channel, request_for(SLOW)).await });
    // The maximum jitter of half a second is added to the provider's 7 s.
    let delay = Duration::from_millis(7_500);
    clock.wait_for_sleeper(started_at + delay).await;
    assert_eq!(provider.counts().requests, 1);
    clock.advance(delay);
    let answer = answer.await.unwrap().unwrap();
    assert!(proceeds(&answer));
    assert_eq!(answer.provenance.unwrap().judges[0].calls[0].attempts, 2);
    assert_eq!(provider.counts().requests, 2);
}

#[tokio::test]
async fn hanging_model_leaves_time_for_the_next_judge() {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::Hang);
    let server = Models::new().with(SLOW, &provider, |_| {}).start(|_| {}).await;
    let mut request = tonic::Request::new(request_for(""));
    request.set_timeout(Duration::from_secs(2));
    let answer = server.grounding().evaluate(request).await.unwrap().into_inner();
    assert!(proceeds(&answer));
    assert_eq!(codes(&answer), ["DEADLINE_EXCEEDED", ""]);
    assert!(answer.warnings.iter().any(|warning| warning.code == "FALLBACK_JUDGE"));
    let calls = &answer.provenance.unwrap().judges[0].calls;
    let chat_calls: Vec<_> =
        calls.iter().map(|call| (call.purpose.as_str(), call.attempts)).collect();
    assert_eq!(chat_calls, [("judge", 1)], "the cancelled call must be listed");
    provider.wait_until(|counts| counts.open == 0).await;
}

#[tokio::test]
async fn cancelled_calls_are_listed() {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::Hang);
    provider.enqueue([ScriptedReply::Status(401)]);
    let models = Models::new().with(SLOW, &provider, |model| model.max_evidence = Bytes(1 << 10));
    let server = models.start(|_| {}).await;
    let mut long_request = request_for("");
    long_request.evidence.push(item("more", &"a line\n".repeat(146)));
    let answer = evaluate(&server.channel, long_request).await.unwrap();
    assert_eq!(codes(&answer), ["KEY_REFUSED", ""]);
    assert_eq!(answer.provenance.unwrap().judges[0].calls.len(), 2);
    // The connection of the rejected call may stay in the pool.
    provider.wait_until(|counts| counts.open <= 1).await;
}

#[tokio::test]
async fn long_evidence_does_not_take_every_permit() {
    const PARTS: usize = 9;
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::AnswerWhenReleased(HONEST.to_owned()));
    let models = Models::new().with(SLOW, &provider, |model| model.max_evidence = Bytes(1 << 10));
    let server = models.start(|_| {}).await;
    let mut long_request = request_for(SLOW);
    long_request
        .evidence
        .extend((1..PARTS).map(|part| item(&format!("log-{part}"), &"a line\n".repeat(146))));
    let channel = server.channel.clone();
    let answer = tokio::spawn(async move { evaluate(&channel, long_request).await });
    for released in 0..PARTS {
        let expected_requests = PARTS.min(released + 4) as u64;
        provider.wait_until(|counts| counts.requests >= expected_requests).await;
        assert_eq!(provider.counts().requests, expected_requests);
        provider.release(1);
    }
    assert!(proceeds(&answer.await.unwrap().unwrap()));
}
