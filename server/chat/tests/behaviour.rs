//! Tests for deadlines, cancellation, retries, the circuit breaker, limits and hedging, with a manual clock.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

mod support;

use std::num::NonZeroU32;
use std::time::Duration;

use gsar_chat::{Circuit, CircuitState, Clock, Retry, Settings};
use gsar_chat_wire::{Counts, ScriptedReply, Wire};
use support::{LONG, SECOND, TestChat, without_retries};

const DEADLINE: Duration = Duration::from_millis(200);

fn all_closed(counts: &Counts) -> bool {
    counts.open == 0
}

#[tokio::test]
async fn expired_calls_release_connections_and_permits() {
    let test =
        TestChat::new(Wire::OpenAi, Settings { max_concurrent: 50, ..without_retries() }).await;
    test.server.always(ScriptedReply::Hang);
    for _ in 0..20 {
        let calls: Vec<_> = (0..50).map(|_| test.start(DEADLINE)).collect();
        test.server.wait_until(|counts| counts.answering == 50).await;
        test.clock.advance(DEADLINE);
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap_err().code(), "DEADLINE_PASSED");
        }
        test.server.wait_until(all_closed).await;
        assert_eq!((test.chat.load().running, test.clock.sleeping()), (0, 0));
    }
    assert_eq!(test.server.counts().requests, 1000);
}

#[tokio::test]
async fn a_dropped_call_releases_its_connection_and_permit() {
    for reply in [ScriptedReply::Hang, ScriptedReply::Dribble, ScriptedReply::OmittedBody(1000)] {
        let test = TestChat::new(Wire::Anthropic, without_retries()).await;
        test.server.always(reply);
        let call = test.start(LONG);
        test.server.wait_until(|counts| counts.answering == 1).await;
        assert_eq!(test.chat.load().running, 1);
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        test.server.wait_until(all_closed).await;
        assert_eq!((test.chat.load().running, test.clock.sleeping()), (0, 0));
    }
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let test = TestChat::new(Wire::Gemini, without_retries()).await;
    let error = test.ask(Duration::ZERO).await.unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("DEADLINE_BEFORE_START", 0));
    assert_eq!(test.server.counts(), Counts::default());
}

#[tokio::test]
async fn waits_for_retry_after() {
    let test = TestChat::new(Wire::OpenAi, Settings::default()).await;
    test.server.enqueue([ScriptedReply::RateLimited("30")]);
    let call = test.start(LONG);
    // The sum of Retry-After and the maximum jitter.
    let retry_at = test.instant_after(Duration::from_millis(30_500));
    test.clock.wait_for_sleeper(retry_at).await;
    assert_eq!((test.server.counts().requests, test.chat.load().running), (1, 0));
    test.clock.advance(Duration::from_millis(30_499));
    assert!(!call.is_finished() && test.server.counts().requests == 1);
    test.clock.advance(Duration::from_millis(1));
    let reply = call.await.unwrap().unwrap();
    let [first, second] = reply.attempts.as_slice() else { panic!("{:?}", reply.attempts) };
    assert_eq!((first.status, first.failure), (Some(429), Some("RATE_LIMITED")));
    assert_eq!((second.status, second.failure), (Some(200), None));
    assert_eq!(second.waited, Duration::from_millis(30_500));
}

#[tokio::test]
async fn fails_immediately_if_retry_after_exceeds_the_deadline() {
    let test = TestChat::new(Wire::OpenAi, Settings::default()).await;
    test.server.always(ScriptedReply::RateLimited("30"));
    let error = test.ask(Duration::from_secs(30)).await.unwrap_err();
    assert_eq!(error.code(), "RATE_LIMITED");
    assert_eq!(error.failure.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!((error.attempts.len(), test.server.counts().requests), (1, 1));
}

#[tokio::test]
async fn only_transient_failures_are_retried() {
    for (reply, requests) in [
        (ScriptedReply::Status(503), 3),
        (ScriptedReply::Close, 3),
        (ScriptedReply::TruncatedJson, 3),
        (ScriptedReply::EmptyChoice, 3),
        (ScriptedReply::Status(400), 1),
        (ScriptedReply::Status(401), 1),
        (ScriptedReply::Html, 1),
        (ScriptedReply::ContentFilter, 1),
    ] {
        let settings = Settings {
            retry: Retry { base: Duration::ZERO, ..Retry::default() },
            ..Settings::default()
        };
        let test = TestChat::new(Wire::OpenAi, settings).await;
        test.server.always(reply.clone());
        let error = test.ask(LONG).await.unwrap_err();
        assert_eq!(test.server.counts().requests, requests, "{reply:?}");
        assert_eq!(error.attempts.len() as u64, requests);
        assert_eq!(error.to_string().contains(" 3 times)"), requests == 3, "{error}");
    }
}

#[tokio::test]
async fn the_circuit_opens_after_failures_and_closes_after_a_successful_probe() {
    let circuit = Circuit { failures: 3, cool_down: Duration::from_secs(30) };
    let test = TestChat::new(Wire::Gemini, Settings { circuit, ..without_retries() }).await;
    test.server.enqueue(vec![ScriptedReply::Status(500); 3]);
    for _ in 0..3 {
        assert_eq!(test.ask(LONG).await.unwrap_err().code(), "PROVIDER_UNAVAILABLE");
    }
    let refused = test.ask(LONG).await.unwrap_err();
    assert_eq!((refused.code(), refused.attempts.len()), ("CIRCUIT_OPEN", 0));
    assert_eq!(refused.failure.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!(test.server.counts().requests, 3);

    test.clock.advance(Duration::from_secs(30));
    test.server.enqueue([ScriptedReply::AnswerWhenReleased(r#"{"ok":true}"#.to_owned())]);
    let probe = test.start(LONG);
    test.server.wait_until(|counts| counts.answering == 1).await;
    assert_eq!(test.chat.load().circuit, CircuitState::HalfOpen);
    assert_eq!(test.ask(LONG).await.unwrap_err().code(), "CIRCUIT_OPEN");
    test.server.release(1);
    probe.await.unwrap().unwrap();
    assert_eq!(test.chat.load().circuit, CircuitState::Closed);
    test.ask(LONG).await.unwrap();
}

#[tokio::test]
async fn opening_the_circuit_stops_retries() {
    let settings = Settings {
        circuit: Circuit { failures: 2, cool_down: Duration::from_secs(30) },
        retry: Retry { attempts: 10, base: Duration::ZERO, ..Retry::default() },
        ..Settings::default()
    };
    let test = TestChat::new(Wire::OpenAi, settings).await;
    test.server.always(ScriptedReply::Status(503));
    let error = test.ask(LONG).await.unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("PROVIDER_UNAVAILABLE", 2));
}

#[tokio::test]
async fn expired_calls_do_not_open_the_circuit() {
    let circuit = Circuit { failures: 2, cool_down: Duration::from_secs(30) };
    let test = TestChat::new(Wire::OpenAi, Settings { circuit, ..without_retries() }).await;
    test.server.enqueue([
        ScriptedReply::Status(500),
        ScriptedReply::Hang,
        ScriptedReply::Hang,
        ScriptedReply::Status(500),
    ]);
    test.ask(LONG).await.unwrap_err();
    for _ in 0..2 {
        let call = test.start(DEADLINE);
        test.server.wait_until(|counts| counts.answering == 1).await;
        test.clock.advance(DEADLINE);
        assert_eq!(call.await.unwrap().unwrap_err().code(), "DEADLINE_PASSED");
        assert_eq!(test.chat.load().circuit, CircuitState::Closed);
        test.server.wait_until(all_closed).await;
    }
    test.ask(LONG).await.unwrap_err();
    assert_eq!(test.chat.load().circuit, CircuitState::Open);
}

#[tokio::test]
async fn limits_concurrent_and_waiting_calls() {
    let settings = Settings { max_concurrent: 10, max_waiting: 90, ..without_retries() };
    let test = TestChat::new(Wire::Ollama, settings).await;
    test.server.always(ScriptedReply::AnswerWhenReleased(r#"{"ok":true}"#.to_owned()));
    let calls: Vec<_> = (0..500).map(|_| test.start(LONG)).collect();
    test.server.wait_until(|counts| counts.answering == 10).await;
    while test.chat.load().waiting < 90 {
        tokio::task::yield_now().await;
    }
    assert_eq!((test.chat.load().running, test.server.counts().open), (10, 10));
    test.server.release(500);
    let (mut answered, mut rejected) = (0, 0);
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => answered += 1,
            Err(error) => {
                assert_eq!((error.code(), error.failure.is_retryable()), ("TOO_MANY_CALLS", true));
                assert!(error.to_string().contains("10 calls are running and 90 are waiting"));
                rejected += 1;
            }
        }
    }
    assert_eq!((answered, rejected), (100, 400));
    assert_eq!(test.server.counts().opened, 10, "connections are reused");
    assert_eq!((test.chat.load().running, test.chat.load().waiting), (0, 0));
}

#[tokio::test]
async fn waiting_for_a_permit_ends_at_the_deadline() {
    let test =
        TestChat::new(Wire::Ollama, Settings { max_concurrent: 1, ..without_retries() }).await;
    test.server.always(ScriptedReply::Hang);
    let first = test.start(LONG);
    test.server.wait_until(|counts| counts.answering == 1).await;
    let second = test.start(SECOND);
    test.clock.wait_for_sleeper(test.instant_after(SECOND)).await;
    test.clock.advance(SECOND);
    let error = second.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("DEADLINE_PASSED", 0));
    assert!(error.to_string().contains("waiting for a permit"), "{error}");
    first.abort();
}

#[tokio::test]
async fn limits_requests_per_minute_and_fails_early() {
    let per_minute = NonZeroU32::new(60);
    let settings = Settings { requests_per_minute: per_minute, ..without_retries() };
    let test = TestChat::new(Wire::Anthropic, settings).await;
    for _ in 0..6 {
        test.ask(SECOND).await.unwrap();
    }
    let error = test.ask(SECOND).await.unwrap_err();
    assert_eq!(error.code(), "RATE_LIMITED_HERE");
    assert_eq!(error.failure.retry_after(), Some(SECOND));
    assert_eq!((test.server.counts().requests, test.chat.load().running), (6, 0));
    let call = test.start(LONG);
    test.clock.wait_for_sleeper(test.instant_after(SECOND)).await;
    test.clock.advance(SECOND);
    let reply = call.await.unwrap().unwrap();
    assert_eq!(reply.attempts[0].waited, SECOND);
}

fn hedged() -> Settings {
    Settings { hedge_after: Some(SECOND), ..without_retries() }
}

#[tokio::test]
async fn a_slow_call_is_hedged_and_the_first_answer_wins() {
    let test = TestChat::new(Wire::OpenAi, hedged()).await;
    test.server.enqueue([ScriptedReply::Hang]);
    let call = test.start(LONG);
    test.server.wait_until(|counts| counts.answering == 1).await;
    test.clock.wait_for_sleeper(test.instant_after(SECOND)).await;
    test.clock.advance(SECOND);
    let reply = call.await.unwrap().unwrap();
    let [answered, abandoned] = reply.attempts.as_slice() else { panic!("{:?}", reply.attempts) };
    assert_eq!((answered.hedge, answered.status), (true, Some(200)));
    assert_eq!(
        (abandoned.hedge, abandoned.failure, abandoned.took),
        (false, Some("ABANDONED"), SECOND)
    );
    test.server.wait_until(|counts| counts.answering == 0).await;
    assert_eq!((test.chat.load().running, test.clock.sleeping()), (0, 0));
}

#[tokio::test]
async fn after_a_failed_attempt_the_concurrent_attempt_can_still_answer() {
    let test = TestChat::new(Wire::OpenAi, hedged()).await;
    test.server.enqueue([
        ScriptedReply::AnswerWhenReleased(r#"{"ok":true}"#.to_owned()),
        ScriptedReply::Status(500),
    ]);
    let call = test.start(LONG);
    test.server.wait_until(|counts| counts.answering == 1).await;
    test.clock.wait_for_sleeper(test.instant_after(SECOND)).await;
    test.clock.advance(SECOND);
    test.server.wait_until(|counts| counts.requests == 2 && counts.answering == 1).await;
    test.server.release(1);
    let reply = call.await.unwrap().unwrap();
    let codes: Vec<_> = reply.attempts.iter().map(|attempt| attempt.failure).collect();
    assert_eq!(codes, [Some("PROVIDER_UNAVAILABLE"), None]);
}

#[tokio::test]
async fn does_not_hedge_without_a_free_permit() {
    let test = TestChat::new(Wire::OpenAi, Settings { max_concurrent: 1, ..hedged() }).await;
    test.server.enqueue([ScriptedReply::AnswerWhenReleased(r#"{"ok":true}"#.to_owned())]);
    let call = test.start(LONG);
    test.server.wait_until(|counts| counts.answering == 1).await;
    let hedge_at = test.instant_after(SECOND);
    test.clock.wait_for_sleeper(hedge_at).await;
    test.clock.advance(SECOND);
    while test.clock.now() < hedge_at {
        tokio::task::yield_now().await;
    }
    test.server.release(1);
    assert_eq!(call.await.unwrap().unwrap().attempts.len(), 1);
    assert_eq!(test.server.counts().requests, 1);
}
