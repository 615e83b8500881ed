//! Tests of deadlines, cancellation, retries, the circuit breaker, limits and hedging, with a manual clock.

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
use gsar_chat_wire::{Counts, Play, Wire};
use support::{LONG, SECOND, Still, once};

const DEADLINE: Duration = Duration::from_millis(200);

fn all_gone(counts: &Counts) -> bool {
    counts.open == 0
}

#[tokio::test]
async fn passed_deadlines_release_connections_and_permits() {
    let still = Still::new(Wire::OpenAi, Settings { max_concurrent: 50, ..once() }).await;
    still.server.always(Play::Hang);
    for _ in 0..20 {
        let calls: Vec<_> = (0..50).map(|_| still.start(DEADLINE)).collect();
        still.server.until(|counts| counts.answering == 50).await;
        still.clock.advance(DEADLINE);
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap_err().code(), "DEADLINE_PASSED");
        }
        still.server.until(all_gone).await;
        assert_eq!((still.chat.load().running, still.clock.sleeping()), (0, 0));
    }
    assert_eq!(still.server.counts().requests, 1000);
}

#[tokio::test]
async fn a_dropped_call_releases_its_connection_and_permit() {
    for play in [Play::Hang, Play::Dribble, Play::Announced(1000)] {
        let still = Still::new(Wire::Anthropic, once()).await;
        still.server.always(play);
        let call = still.start(LONG);
        still.server.until(|counts| counts.answering == 1).await;
        assert_eq!(still.chat.load().running, 1);
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        still.server.until(all_gone).await;
        assert_eq!((still.chat.load().running, still.clock.sleeping()), (0, 0));
    }
}

#[tokio::test]
async fn nothing_is_sent_after_the_deadline() {
    let still = Still::new(Wire::Gemini, once()).await;
    let error = still.ask(Duration::ZERO).await.unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("DEADLINE_BEFORE_START", 0));
    assert_eq!(still.server.counts(), Counts::default());
}

#[tokio::test]
async fn waits_for_retry_after() {
    let still = Still::new(Wire::OpenAi, Settings::default()).await;
    still.server.next([Play::RateLimited("30")]);
    let call = still.start(LONG);
    // Retry-After plus the maximum jitter.
    let again = still.within(Duration::from_millis(30_500));
    still.clock.until_someone_sleeps_until(again).await;
    assert_eq!((still.server.counts().requests, still.chat.load().running), (1, 0));
    still.clock.advance(Duration::from_millis(30_499));
    assert!(!call.is_finished() && still.server.counts().requests == 1);
    still.clock.advance(Duration::from_millis(1));
    let reply = call.await.unwrap().unwrap();
    let [first, second] = reply.attempts.as_slice() else { panic!("{:?}", reply.attempts) };
    assert_eq!((first.status, first.failure), (Some(429), Some("RATE_LIMITED")));
    assert_eq!((second.status, second.failure), (Some(200), None));
    assert_eq!(second.waited, Duration::from_millis(30_500));
}

#[tokio::test]
async fn fails_immediately_if_retry_after_exceeds_the_deadline() {
    let still = Still::new(Wire::OpenAi, Settings::default()).await;
    still.server.always(Play::RateLimited("30"));
    let error = still.ask(Duration::from_secs(30)).await.unwrap_err();
    assert_eq!(error.code(), "RATE_LIMITED");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!((error.attempts.len(), still.server.counts().requests), (1, 1));
}

#[tokio::test]
async fn only_transient_failures_are_retried() {
    for (play, requests) in [
        (Play::Status(503), 3),
        (Play::Close, 3),
        (Play::CutJson, 3),
        (Play::EmptyChoice, 3),
        (Play::Status(400), 1),
        (Play::Status(401), 1),
        (Play::Html, 1),
        (Play::ContentFilter, 1),
    ] {
        let settings = Settings {
            retry: Retry { base: Duration::ZERO, ..Retry::default() },
            ..Settings::default()
        };
        let still = Still::new(Wire::OpenAi, settings).await;
        still.server.always(play.clone());
        let error = still.ask(LONG).await.unwrap_err();
        assert_eq!(still.server.counts().requests, requests, "{play:?}");
        assert_eq!(error.attempts.len() as u64, requests);
        assert_eq!(error.to_string().contains(" 3 times)"), requests == 3, "{error}");
    }
}

#[tokio::test]
async fn the_circuit_opens_probes_and_closes() {
    let circuit = Circuit { failures: 3, cool_down: Duration::from_secs(30) };
    let still = Still::new(Wire::Gemini, Settings { circuit, ..once() }).await;
    still.server.next(vec![Play::Status(500); 3]);
    for _ in 0..3 {
        assert_eq!(still.ask(LONG).await.unwrap_err().code(), "PROVIDER_UNAVAILABLE");
    }
    let refused = still.ask(LONG).await.unwrap_err();
    assert_eq!((refused.code(), refused.attempts.len()), ("CIRCUIT_OPEN", 0));
    assert_eq!(refused.retry_after(), Some(Duration::from_secs(30)));
    assert_eq!(still.server.counts().requests, 3);

    still.clock.advance(Duration::from_secs(30));
    still.server.next([Play::AnswerWhenReleased(r#"{"ok":true}"#.to_owned())]);
    let trying = still.start(LONG);
    still.server.until(|counts| counts.answering == 1).await;
    assert_eq!(still.chat.load().circuit, CircuitState::HalfOpen);
    assert_eq!(still.ask(LONG).await.unwrap_err().code(), "CIRCUIT_OPEN");
    still.server.release(1);
    trying.await.unwrap().unwrap();
    assert_eq!(still.chat.load().circuit, CircuitState::Closed);
    still.ask(LONG).await.unwrap();
}

#[tokio::test]
async fn retries_end_when_the_circuit_opens_with_the_failure_that_opened_it() {
    let settings = Settings {
        circuit: Circuit { failures: 2, cool_down: Duration::from_secs(30) },
        retry: Retry { attempts: 10, base: Duration::ZERO, ..Retry::default() },
        ..Settings::default()
    };
    let still = Still::new(Wire::OpenAi, settings).await;
    still.server.always(Play::Status(503));
    let error = still.ask(LONG).await.unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("PROVIDER_UNAVAILABLE", 2));
}

#[tokio::test]
async fn passed_deadlines_do_not_open_the_circuit() {
    let circuit = Circuit { failures: 2, cool_down: Duration::from_secs(30) };
    let still = Still::new(Wire::OpenAi, Settings { circuit, ..once() }).await;
    still.server.next([Play::Status(500), Play::Hang, Play::Hang, Play::Status(500)]);
    still.ask(LONG).await.unwrap_err();
    for _ in 0..2 {
        let call = still.start(DEADLINE);
        still.server.until(|counts| counts.answering == 1).await;
        still.clock.advance(DEADLINE);
        assert_eq!(call.await.unwrap().unwrap_err().code(), "DEADLINE_PASSED");
        assert_eq!(still.chat.load().circuit, CircuitState::Closed);
        still.server.until(all_gone).await;
    }
    still.ask(LONG).await.unwrap_err();
    assert_eq!(still.chat.load().circuit, CircuitState::Open);
}

#[tokio::test]
async fn limits_concurrent_and_waiting_calls() {
    let settings = Settings { max_concurrent: 10, max_waiting: 90, ..once() };
    let still = Still::new(Wire::Ollama, settings).await;
    still.server.always(Play::AnswerWhenReleased(r#"{"ok":true}"#.to_owned()));
    let calls: Vec<_> = (0..500).map(|_| still.start(LONG)).collect();
    still.server.until(|counts| counts.answering == 10).await;
    while still.chat.load().waiting < 90 {
        tokio::task::yield_now().await;
    }
    assert_eq!((still.chat.load().running, still.server.counts().open), (10, 10));
    still.server.release(500);
    let (mut answered, mut turned_away) = (0, 0);
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => answered += 1,
            Err(error) => {
                assert_eq!((error.code(), error.is_retryable()), ("TOO_MANY_CALLS", true));
                turned_away += 1;
            }
        }
    }
    assert_eq!((answered, turned_away), (100, 400));
    assert_eq!(still.server.counts().opened, 10, "connections are reused");
    assert_eq!((still.chat.load().running, still.chat.load().waiting), (0, 0));
}

#[tokio::test]
async fn waiting_for_a_permit_ends_at_the_deadline() {
    let still = Still::new(Wire::Ollama, Settings { max_concurrent: 1, ..once() }).await;
    still.server.always(Play::Hang);
    let first = still.start(LONG);
    still.server.until(|counts| counts.answering == 1).await;
    let second = still.start(SECOND);
    still.clock.until_someone_sleeps_until(still.within(SECOND)).await;
    still.clock.advance(SECOND);
    let error = second.await.unwrap().unwrap_err();
    assert_eq!((error.code(), error.attempts.len()), ("DEADLINE_PASSED", 0));
    assert!(error.to_string().contains("waiting for a permit"), "{error}");
    first.abort();
}

#[tokio::test]
async fn limits_requests_per_minute_and_fails_early() {
    let per_minute = NonZeroU32::new(60);
    let settings = Settings { requests_per_minute: per_minute, ..once() };
    let still = Still::new(Wire::Anthropic, settings).await;
    for _ in 0..6 {
        still.ask(SECOND).await.unwrap();
    }
    let error = still.ask(SECOND).await.unwrap_err();
    assert_eq!(error.code(), "RATE_LIMITED_HERE");
    assert_eq!(error.retry_after(), Some(SECOND));
    assert_eq!((still.server.counts().requests, still.chat.load().running), (6, 0));
    let call = still.start(LONG);
    still.clock.until_someone_sleeps_until(still.within(SECOND)).await;
    still.clock.advance(SECOND);
    let reply = call.await.unwrap().unwrap();
    assert_eq!(reply.attempts[0].waited, SECOND);
}

fn hedged() -> Settings {
    Settings { hedge_after: Some(SECOND), ..once() }
}

#[tokio::test]
async fn a_slow_call_is_hedged_and_the_first_answer_counts() {
    let still = Still::new(Wire::OpenAi, hedged()).await;
    still.server.next([Play::Hang]);
    let call = still.start(LONG);
    still.server.until(|counts| counts.answering == 1).await;
    still.clock.until_someone_sleeps_until(still.within(SECOND)).await;
    still.clock.advance(SECOND);
    let reply = call.await.unwrap().unwrap();
    let [answered, lost] = reply.attempts.as_slice() else { panic!("{:?}", reply.attempts) };
    assert_eq!((answered.hedge, answered.status), (true, Some(200)));
    assert_eq!((lost.hedge, lost.failure, lost.took), (false, Some("ABANDONED"), SECOND));
    still.server.until(|counts| counts.answering == 0).await;
    assert_eq!((still.chat.load().running, still.clock.sleeping()), (0, 0));
}

#[tokio::test]
async fn a_failed_attempt_waits_for_the_other() {
    let still = Still::new(Wire::OpenAi, hedged()).await;
    still.server.next([Play::AnswerWhenReleased(r#"{"ok":true}"#.to_owned()), Play::Status(500)]);
    let call = still.start(LONG);
    still.server.until(|counts| counts.answering == 1).await;
    still.clock.until_someone_sleeps_until(still.within(SECOND)).await;
    still.clock.advance(SECOND);
    still.server.until(|counts| counts.requests == 2 && counts.answering == 1).await;
    still.server.release(1);
    let reply = call.await.unwrap().unwrap();
    let codes: Vec<_> = reply.attempts.iter().map(|attempt| attempt.failure).collect();
    assert_eq!(codes, [Some("PROVIDER_UNAVAILABLE"), None]);
}

#[tokio::test]
async fn does_not_hedge_without_a_free_permit() {
    let still = Still::new(Wire::OpenAi, Settings { max_concurrent: 1, ..hedged() }).await;
    still.server.next([Play::AnswerWhenReleased(r#"{"ok":true}"#.to_owned())]);
    let call = still.start(LONG);
    still.server.until(|counts| counts.answering == 1).await;
    let hedge = still.within(SECOND);
    still.clock.until_someone_sleeps_until(hedge).await;
    still.clock.advance(SECOND);
    while still.clock.now() < hedge {
        tokio::task::yield_now().await;
    }
    still.server.release(1);
    assert_eq!(call.await.unwrap().unwrap().attempts.len(), 1);
    assert_eq!(still.server.counts().requests, 1);
}
