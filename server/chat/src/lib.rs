//! A client for the chat models of several providers, which limits the effects of a misbehaving provider.
//!
//! A call ends by its deadline with a [`Reply`] or a [`ChatError`], reads a limited number of bytes, and
//! reports every request it sent. Dropping a call releases its resources.
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
//! The schema is sent to OpenAI and compatible providers as `response_format` (see [`StructuredOutput`]), to
//! Anthropic as a mandatory tool, to Gemini as a converted `responseSchema`, and to Ollama as `format`.
//!
//! [`Failure`] lists the possible failures, and [`Failure::code`] returns their codes.
//!
//! Multi-provider libraries such as `genai` 0.7 are not used, because they read bodies without a size limit
//! and log them at trace level.

mod admission;
mod chat;
mod circuit;
mod clock;
mod endpoint;
mod error;
mod excerpt;
mod failure;
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
pub use clock::{Clock, Jitter, ManualClock, MaxJitter, Sleep, SystemClock, UniformJitter};
pub use endpoint::Endpoint;
pub use error::ChatError;
pub use excerpt::Excerpt;
pub use failure::{Failure, Phase};
pub use model_name::{ModelName, ModelNameError, Provider};
pub use price::Price;
pub use reply::{Attempt, Reply, Stop, Usage};
pub use request::{Request, RequestError, Role, Schema, Temperature, Trace, Turn};
/// API keys.
pub use secrecy::SecretString;
pub use settings::{
    Circuit, MAX_ATTEMPTS, MAX_CONCURRENT, Retry, Settings, SettingsError, StructuredOutput,
    TIMEOUTS,
};
