//! Tests that keys do not appear in errors, in `Debug` output or in logs.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::io;
use std::sync::{Arc, Mutex};

use gsar_chat::{Chat, Endpoint, Request};
use gsar_chat_wire::{KEY, ScriptedReply, Server, Wire};
use support::{LONG, TestChat, endpoint, without_retries};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn errors_do_not_contain_a_key_repeated_by_the_server() {
    let server = Server::start().await.unwrap();
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let model = format!("{}:m", support::provider(wire)).parse().unwrap();
        let wrong_key = "wrong-key-of-the-caller";
        let base_url = server.base_url(wire);
        let endpoint = Endpoint::new(model, Some(&base_url), Some(wrong_key.into())).unwrap();
        let chat = Chat::new(&endpoint, without_retries()).unwrap();
        let deadline = std::time::Instant::now() + LONG;
        let error = chat.ask(&support::request(), deadline).await.unwrap_err();
        assert_eq!(error.code(), "KEY_REFUSED");
        let output = format!("{error} {error:?} {endpoint:?} {chat:?}");
        assert!(output.contains("this key is wrong"), "{output}");
        assert!(!output.contains(wrong_key), "{output}");
    }
}

/// Captures the logs of this thread, on which the test's runtime runs.
#[tokio::test]
async fn neither_keys_nor_texts_are_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_writer(log.clone())
        .with_ansi(false)
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    for wire in Wire::ALL {
        let test = TestChat::new(wire, without_retries()).await;
        let question = Request::new("secret system", "secret question");
        test.server.demand_schema(false);
        test.server.enqueue([
            ScriptedReply::answer("secret answer"),
            ScriptedReply::answer(&format!("the key is {KEY}")),
            ScriptedReply::Status(500),
            ScriptedReply::Html,
            ScriptedReply::Length,
            ScriptedReply::Close,
        ]);
        for number in 0..6 {
            let answer = test.chat.ask(&question, test.instant_after(LONG)).await;
            if number == 1 {
                assert_eq!(answer.as_ref().unwrap().text, "the key is ***");
            }
            let output = format!("{answer:?}");
            assert!(!output.contains(KEY) && !output.contains("secret"), "{output}");
        }
    }
    let text = log.text();
    for expected in [
        "gen_ai.request.model=\"m\"",
        "gen_ai.usage.input_tokens=120",
        "error.type=\"PROVIDER_UNAVAILABLE\"",
    ] {
        assert!(text.contains(expected), "{expected} is not in the log");
    }
    for secret in [KEY, "secret"] {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test]
async fn debug_does_not_contain_the_key() {
    let server = Server::start().await.unwrap();
    for wire in Wire::ALL {
        let output = format!(
            "{:?}",
            Chat::new(&endpoint(&server, support::provider(wire), wire), without_retries())
                .unwrap()
        );
        assert!(!output.contains(KEY), "{output}");
    }
}
