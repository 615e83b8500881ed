//! Asks a chat model of any provider over HTTP, and behaves when it misbehaves.
//!
//! A call ends by its deadline with a [`Reply`] or with a typed [`ChatError`], reads no more than it may, gives back
//! all that it took when it is dropped, and tells everything it did in [`Attempt`]s. It knows nothing of what is
//! asked.
//!
//! ```no_run
//! use std::time::{Duration, Instant};
//!
//! use gsar_chat::{Chat, Endpoint, Request, Schema, Settings};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::new("ollama:llama3.1:8b".parse()?, None, None)?;
//! let chat = Chat::new(&endpoint, Settings::default())?;
//! let mut request = Request::new("Answer in JSON.", "Is the pool exhausted?");
//! request.schema = Some(Schema::new("answer", r#"{"type":"object","properties":{"yes":{"type":"boolean"}}}"#)?);
//! let reply = chat.ask(&request, Instant::now() + Duration::from_secs(30)).await?;
//! println!("{} ({:?})", reply.text, reply.usage);
//! # Ok(())
//! # }
//! ```
//!
//! | module | subject |
//! |---|---|
//! | `model_name` | `provider:model` |
//! | `endpoint` | base URL, key, headers, certificate authorities |
//! | `settings` | limits |
//! | `request`, `reply`, `error` | what goes in and what comes out |
//! | `chat` | one call: attempts, hedging |
//! | `admission`, `circuit`, `retry` | who may send, whether the provider is asked, when again |
//! | `transport` | one POST |
//! | `providers` | wire formats |
//! | `interpret` | what an answer means |
//! | `excerpt` | what came, for messages |
//! | `clock` | time and chance |
//! | `price` | what answers cost |
//!
//! How each provider is told the schema: OpenAI and what is compatible `response_format` (or [`StructuredOutput`]),
//! Anthropic one tool that it must use, Gemini `responseSchema` in its own words, Ollama `format`.
//!
//! # Why no library for many providers
//!
//! The one that fits best, `genai` 0.7, reads bodies of any size (of errors too) and writes them into the log at the
//! trace level; neither can be changed from outside, as it keeps the response to itself. What is left of it are wire
//! formats, which are the smaller part of this crate.

mod admission;
mod chat;
mod circuit;
mod clock;
mod endpoint;
mod error;
mod excerpt;
mod interpret;
mod model_name;
mod price;
mod providers;
mod reply;
mod request;
mod retry;
mod settings;
mod transport;

pub use chat::{Chat, Load};
pub use circuit::CircuitState;
pub use clock::{Clock, EvenJitter, Jitter, LongestWait, ManualClock, Sleep, SystemClock};
pub use endpoint::Endpoint;
pub use error::{ChatError, Failure, Phase};
pub use excerpt::Excerpt;
pub use model_name::{ModelName, ModelNameError, Provider};
pub use price::{Price, PriceTable};
pub use reply::{Attempt, Reply, Stop, Usage};
pub use request::{Request, RequestError, Role, Schema, Temperature, Turn};
/// Keys and values of headers.
pub use secrecy::SecretString;
pub use settings::{Circuit, Retry, Settings, SettingsError, StructuredOutput};
