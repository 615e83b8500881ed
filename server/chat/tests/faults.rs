//! Tests that every fault has its documented code in every format, and that calls end by their deadlines.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::allow_attributes,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::Duration;

use gsar_chat::{ChatError, Settings, Stop};
use gsar_chat_wire::{ScriptedReply, Wire};
use support::{LONG, PROVIDERS, SECOND, TestChat, without_retries};

/// Faults that end without a timeout, each given as the reply, its code, and `true` if it is retryable.
fn faults() -> Vec<(ScriptedReply, &'static str, bool)> {
    let html = b"<html>\x1b[1mBad gateway</html>".to_vec();
    vec![
        (ScriptedReply::RateLimited("30"), "RATE_LIMITED", true),
        (ScriptedReply::Status(400), "REQUEST_REFUSED", false),
        (ScriptedReply::Status(401), "KEY_REFUSED", false),
        (ScriptedReply::Status(402), "QUOTA_EXHAUSTED", false),
        (ScriptedReply::Status(403), "KEY_REFUSED", false),
        (ScriptedReply::Status(404), "MODEL_NOT_FOUND", false),
        (ScriptedReply::Status(408), "PROVIDER_UNAVAILABLE", true),
        (ScriptedReply::Status(413), "REQUEST_TOO_LARGE", false),
        (ScriptedReply::Status(418), "UNEXPECTED_STATUS", false),
        (ScriptedReply::Status(500), "PROVIDER_UNAVAILABLE", true),
        (ScriptedReply::Status(501), "UNEXPECTED_STATUS", false),
        (ScriptedReply::Status(503), "PROVIDER_UNAVAILABLE", true),
        (ScriptedReply::Status(529), "PROVIDER_UNAVAILABLE", true),
        (
            ScriptedReply::Raw(500, "application/json", vec![b' '; 1 << 20]),
            "PROVIDER_UNAVAILABLE",
            true,
        ),
        (ScriptedReply::Raw(502, "text/html", html), "PROVIDER_UNAVAILABLE", true),
        (ScriptedReply::Redirect, "REDIRECTED", false),
        (ScriptedReply::Close, "CONNECTION_LOST", true),
        (ScriptedReply::Reset, "CONNECTION_LOST", true),
        (ScriptedReply::TruncatedJson, "ANSWER_NOT_JSON", true),
        (ScriptedReply::Raw(200, "application/json", Vec::new()), "ANSWER_NOT_JSON", true),
        (ScriptedReply::Raw(200, "application/json", deeply_nested()), "ANSWER_NOT_JSON", true),
        (ScriptedReply::Raw(200, "application/json", b"[]".to_vec()), "ANSWER_WRONG_SHAPE", false),
        (ScriptedReply::InvalidUtf8, "ANSWER_NOT_JSON", true),
        (ScriptedReply::OtherShape, "ANSWER_WRONG_SHAPE", false),
        (ScriptedReply::Raw(200, "application/json", b"7".to_vec()), "ANSWER_WRONG_SHAPE", false),
        (ScriptedReply::Html, "WRONG_CONTENT_TYPE", false),
        (ScriptedReply::Gzip, "WRONG_CONTENT_TYPE", false),
        (ScriptedReply::Refusal, "MODEL_REFUSED", false),
        (ScriptedReply::ContentFilter, "CONTENT_FILTERED", false),
        (ScriptedReply::Length, "ANSWER_TRUNCATED", false),
        (ScriptedReply::EmptyChoice, "ANSWER_EMPTY", true),
        (ScriptedReply::Endless(100 << 20), "ANSWER_TOO_LARGE", false),
        (ScriptedReply::OmittedBody(100 << 20), "ANSWER_TOO_LARGE", false),
    ]
}

fn deeply_nested() -> Vec<u8> {
    [&b"{\"x\":"[..], &[b'['; 100_000]].concat()
}

fn assert_failure(error: &ChatError, provider: &str, reply: &ScriptedReply, code: &str) {
    assert_eq!(error.code(), code, "{provider}, {reply:.40?}: {error}");
    let message = error.to_string();
    assert!(message.starts_with(&format!("{provider}:m: ")), "{message}");
    assert!(message.contains("; ") && !message.contains(char::is_control), "{message}");
    let attempt = error.attempts.last().unwrap();
    assert_eq!(attempt.failure, Some(error.code()), "{provider}, {reply:.40?}");
}

#[tokio::test]
async fn every_fault_has_its_code() {
    for (provider, wire) in PROVIDERS {
        let settings = Settings { circuit: never_opening_circuit(), ..without_retries() };
        let test = TestChat::with_provider(provider, wire, settings).await;
        for (reply, code, retryable) in faults() {
            if !reply.exists_in(wire) {
                continue;
            }
            test.server.enqueue([reply.clone()]);
            let error = test.ask(LONG).await.unwrap_err();
            assert_failure(&error, provider, &reply, code);
            assert_eq!(error.failure.is_retryable(), retryable, "{provider}, {reply:.40?}");
            assert_eq!(error.attempts.len(), 1);
        }
        // The next call succeeds with the same connections and limits.
        assert_eq!(test.ask(LONG).await.unwrap().stop, Stop::Complete);
        assert_eq!((test.chat.load().running, test.chat.load().waiting), (0, 0));
        assert_eq!(test.clock.sleeping(), 0);
    }
}

#[tokio::test]
async fn a_transient_error_in_an_answer_is_retryable() {
    for (wire, transient) in
        [(Wire::OpenAi, true), (Wire::Anthropic, true), (Wire::Gemini, true), (Wire::Ollama, false)]
    {
        let test = TestChat::new(wire, without_retries()).await;
        test.server.always(ScriptedReply::ErrorInAnswer);
        let error = test.ask(LONG).await.unwrap_err();
        assert_failure(
            &error,
            support::provider(wire),
            &ScriptedReply::ErrorInAnswer,
            "ERROR_IN_ANSWER",
        );
        assert_eq!(error.failure.is_retryable(), transient, "{wire:?}");
    }
}

#[tokio::test]
async fn hanging_responses_end_at_a_timeout_or_at_the_deadline() {
    for (provider, wire) in PROVIDERS {
        for (reply, timeout, code) in [
            (ScriptedReply::Hang, Duration::from_secs(60), "FIRST_BYTE_TIMEOUT"),
            (ScriptedReply::HangInHead, Duration::from_secs(60), "FIRST_BYTE_TIMEOUT"),
            (ScriptedReply::Dribble, Duration::from_secs(90), "TOTAL_TIMEOUT"),
            (ScriptedReply::OmittedBody(1000), Duration::from_secs(90), "TOTAL_TIMEOUT"),
        ] {
            for (deadline, duration, code) in
                [(LONG, timeout, code), (SECOND, SECOND, "DEADLINE_PASSED")]
            {
                let test = TestChat::with_provider(provider, wire, without_retries()).await;
                test.server.always(reply.clone());
                let end = test.instant_after(duration);
                let call = test.start(deadline);
                test.server.wait_until(|counts| counts.answering == 1).await;
                test.clock.wait_for_sleeper(end).await;
                test.clock.advance(end - gsar_chat::Clock::now(&*test.clock));
                let error = call.await.unwrap().unwrap_err();
                assert_failure(&error, provider, &reply, code);
                test.server.wait_until(|counts| counts.open == 0).await;
                assert_eq!(test.chat.load().running, 0);
            }
        }
    }
}

#[tokio::test]
async fn faults_do_not_affect_other_providers() {
    let hanging = TestChat::new(Wire::OpenAi, without_retries()).await;
    hanging.server.always(ScriptedReply::Hang);
    let calls: Vec<_> = (0..16).map(|_| hanging.start(LONG)).collect();
    hanging.server.wait_until(|counts| counts.answering == 16).await;
    for wire in Wire::ALL {
        let other = TestChat::new(wire, without_retries()).await;
        assert_eq!(other.ask(LONG).await.unwrap().text, r#"{"ok":true}"#);
    }
    hanging.clock.advance(LONG);
    for call in calls {
        assert!(matches!(call.await.unwrap().unwrap_err().code(), "FIRST_BYTE_TIMEOUT"));
    }
}

#[tokio::test]
async fn errors_contain_incomplete_replies() {
    for wire in Wire::ALL {
        let test = TestChat::new(wire, without_retries()).await;
        test.server.always(ScriptedReply::Length);
        let error = test.ask(LONG).await.unwrap_err();
        assert_eq!(error.reply().unwrap().usage.unwrap().output, 30, "{wire:?}");
        let mut without_schema = support::request();
        without_schema.schema = None;
        test.server.demand_schema(false);
        let reply = test.chat.ask(&without_schema, test.instant_after(LONG)).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.stop), ("{\"ok\": tr", Stop::Length), "{wire:?}");
    }
}

const fn never_opening_circuit() -> gsar_chat::Circuit {
    gsar_chat::Circuit { failures: u32::MAX, cool_down: Duration::ZERO }
}
