//! Clients for fake servers in every wire format.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "each test uses a part of this module, and fails by panicking"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_chat::{
    Chat, ChatError, Clock, Endpoint, ManualClock, MaxJitter, Reply, Request, Retry, Schema,
    Settings,
};
use gsar_chat_wire::{KEY, Server, Wire};

pub const SECOND: Duration = Duration::from_secs(1);

pub const LONG: Duration = Duration::from_secs(600);

pub const PROVIDERS: [(&str, Wire); 6] = [
    ("openai", Wire::OpenAi),
    ("anthropic", Wire::Anthropic),
    ("gemini", Wire::Gemini),
    ("ollama", Wire::Ollama),
    ("openai-compatible", Wire::OpenAi),
    ("oci", Wire::OpenAi),
];

pub fn provider(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "openai",
        Wire::Anthropic => "anthropic",
        Wire::Gemini => "gemini",
        Wire::Ollama => "ollama",
    }
}

pub fn endpoint(server: &Server, provider: &str, wire: Wire) -> Endpoint {
    let model = format!("{provider}:m").parse().unwrap();
    Endpoint::new(model, Some(&server.base_url(wire)), Some(KEY.into())).unwrap()
}

pub fn without_retries() -> Settings {
    Settings { retry: Retry { attempts: 1, ..Retry::default() }, ..Settings::default() }
}

pub fn request() -> Request {
    let mut request = Request::new("Answer in JSON.", "Is the pool exhausted?");
    request.schema = Some(
        Schema::new(
            "answer",
            r#"{"type":"object","additionalProperties":false,"required":["ok"],"properties":{"ok":{"type":"boolean"}}}"#,
        )
        .unwrap(),
    );
    request
}

pub struct TestChat {
    pub server: Server,
    pub chat: Chat,
    pub clock: Arc<ManualClock>,
}

impl TestChat {
    pub async fn new(wire: Wire, settings: Settings) -> Self {
        Self::with_provider(provider(wire), wire, settings).await
    }

    pub async fn with_provider(provider: &str, wire: Wire, settings: Settings) -> Self {
        let server = Server::start().await.unwrap();
        let clock = Arc::new(ManualClock::new());
        let chat = Chat::with_clock(
            &endpoint(&server, provider, wire),
            settings,
            Arc::clone(&clock) as Arc<dyn Clock>,
            Arc::new(MaxJitter),
        )
        .unwrap();
        Self { server, chat, clock }
    }

    pub fn instant_after(&self, time: Duration) -> Instant {
        self.clock.now() + time
    }

    pub async fn ask(&self, time: Duration) -> Result<Reply, ChatError> {
        self.chat.ask(&request(), self.instant_after(time)).await
    }

    pub fn start(&self, time: Duration) -> tokio::task::JoinHandle<Result<Reply, ChatError>> {
        let (chat, deadline) = (self.chat.clone(), self.instant_after(time));
        tokio::spawn(async move { chat.ask(&request(), deadline).await })
    }
}
