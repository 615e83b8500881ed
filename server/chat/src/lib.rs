//! This crate asks a chat model of any provider over HTTP and bounds what a misbehaving provider can do.
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
//! | `request`, `reply`, `error`, `failure` | what goes in and what comes out |
//! | `chat` | one call: attempts, hedging |
//! | `admission`, `circuit`, `retry` | who may send, whether the provider is asked, when again |
//! | `transport` | one POST |
//! | `providers` | wire formats |
//! | `interpret` | what an answer means |
//! | `excerpt` | what came, for messages |
//! | `clock` | time and chance |
//! | `price` | what answers cost |
//!
//! How each provider receives the schema: OpenAI and what is compatible `response_format` (or [`StructuredOutput`]),
//! Anthropic one tool that it must use, Gemini `responseSchema` in its own words, Ollama `format`.
//!
//! What ends in which code ([`Failure::code`]):
//!
//! | what happens | code | asked again |
//! |---|---|---|
//! | nobody listens, no address | `CONNECT_FAILED` | yes |
//! | certificate not trusted, no TLS | `TLS_FAILED` | no |
//! | a limit of the settings | `CONNECT_TIMEOUT`, `FIRST_BYTE_TIMEOUT`, `TOTAL_TIMEOUT` | yes |
//! | the caller's deadline | `DEADLINE_PASSED`, `DEADLINE_BEFORE_START` | no |
//! | connection lost before or in the answer | `CONNECTION_LOST` | yes |
//! | 401, 403 | `KEY_REFUSED` | no |
//! | 404 | `MODEL_NOT_FOUND` | no |
//! | 429 | `RATE_LIMITED` | yes, not before Retry-After |
//! | 402, or no credit in the provider's words | `QUOTA_EXHAUSTED` | no |
//! | 400, 422 | `REQUEST_REFUSED`, `REQUEST_TOO_LARGE`, `CONTENT_FILTERED` | no |
//! | 413 | `REQUEST_TOO_LARGE` | no |
//! | 3xx | `REDIRECTED` | no |
//! | 408, 5xx | `PROVIDER_UNAVAILABLE` | yes, not before Retry-After |
//! | 501, 505, any other status | `UNEXPECTED_STATUS` | no |
//! | 200 with an error in it | `ERROR_IN_ANSWER` | if the provider calls it passing |
//! | not JSON by its type, or compressed | `WRONG_CONTENT_TYPE` | no |
//! | too many bytes | `ANSWER_TOO_LARGE` | no |
//! | broken JSON, no UTF-8 | `ANSWER_NOT_JSON` | yes |
//! | JSON of another kind | `ANSWER_WRONG_SHAPE` | no |
//! | no choice, no text | `ANSWER_EMPTY` | yes |
//! | no text but reasoning that is no JSON document | `ANSWER_IN_REASONING` | no |
//! | refusal, content filter, too few tokens, with a schema | `MODEL_REFUSED`, `CONTENT_FILTERED`, `ANSWER_TRUNCATED` | no |
//! | failures in a row | `CIRCUIT_OPEN` | by the caller |
//! | our own limits | `RATE_LIMITED_HERE`, `TOO_MANY_CALLS` | by the caller |
//! | a schema that Gemini cannot follow | `SCHEMA_UNSUPPORTED` | no |
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
pub use clock::{Clock, EvenJitter, Jitter, LongestWait, ManualClock, Sleep, SystemClock};
pub use endpoint::Endpoint;
pub use error::ChatError;
pub use excerpt::Excerpt;
pub use failure::{Failure, Phase};
pub use model_name::{ModelName, ModelNameError, Provider};
pub use price::{Price, PriceTable};
pub use reply::{Attempt, Reply, Stop, Usage};
pub use request::{Request, RequestError, Role, Schema, Temperature, Trace, Turn};
/// Keys and values of headers.
pub use secrecy::SecretString;
pub use settings::{
    Circuit, MAX_ATTEMPTS, MAX_CONCURRENT, Retry, Settings, SettingsError, StructuredOutput,
    TIMEOUTS,
};
