//! A fake chat provider on loopback, for tests and benchmarks. It supports every wire format, validates
//! requests, and misbehaves as configured.
//!
//! ```
//! # async fn example() -> std::io::Result<()> {
//! use gsar_chat_wire::{ScriptedReply, Server, Wire};
//!
//! let server = Server::start().await?;
//! server.enqueue([ScriptedReply::Status(503), ScriptedReply::answer(r#"{"ok":true}"#)]);
//! let base_url = server.base_url(Wire::OpenAi);
//! // Send requests to this URL, with the key gsar_chat_wire::KEY …
//! assert_eq!(server.counts().requests, 0);
//! # Ok(())
//! # }
//! ```

mod bodies;
mod connection;
mod prompt;
mod request;
mod scripted_reply;
mod server;

pub use prompt::{Prompt, Purpose, Question, Verdict, citation};
pub use request::{ReceivedRequest, Wire};
pub use scripted_reply::ScriptedReply;
pub use server::{Counts, Server};

/// The only valid key.
pub const KEY: &str = "wire-key-0123456789abcdef";
/// The model name in answers, which differs from the requested name.
pub const ANSWERING_MODEL: &str = "wire-model-2026-11-21";
