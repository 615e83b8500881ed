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
//! [`Failure::code`] by failure:
//!
//! | failure | code | retried |
//! |---|---|---|
//! | connection refused, unknown host | `CONNECT_FAILED` | yes |
//! | untrusted certificate, no TLS | `TLS_FAILED` | no |
//! | a timeout in the settings | `CONNECT_TIMEOUT`, `FIRST_BYTE_TIMEOUT`, `TOTAL_TIMEOUT` | yes |
//! | the caller's deadline | `DEADLINE_PASSED`, `DEADLINE_BEFORE_START` | no |
//! | connection lost before or during the answer | `CONNECTION_LOST` | yes |
//! | 401, 403 | `KEY_REFUSED` | no |
//! | 404 | `MODEL_NOT_FOUND` | no |
//! | 429 | `RATE_LIMITED` | yes, not before Retry-After |
//! | 402, or an error about credit | `QUOTA_EXHAUSTED` | no |
//! | 400, 422 | `REQUEST_REFUSED`, `REQUEST_TOO_LARGE`, `CONTENT_FILTERED` | no |
//! | 413 | `REQUEST_TOO_LARGE` | no |
//! | 3xx | `REDIRECTED` | no |
//! | 408, 5xx | `PROVIDER_UNAVAILABLE` | yes, not before Retry-After |
//! | 501, 505, any other status | `UNEXPECTED_STATUS` | no |
//! | 200 with an error in the body | `ERROR_IN_ANSWER` | if the error is transient |
//! | content type other than JSON, or compressed | `WRONG_CONTENT_TYPE` | no |
//! | too many bytes | `ANSWER_TOO_LARGE` | no |
//! | invalid JSON or UTF-8 | `ANSWER_NOT_JSON` | yes |
//! | JSON in another format | `ANSWER_WRONG_SHAPE` | no |
//! | no choice, no text | `ANSWER_EMPTY` | yes |
//! | only reasoning that is not a JSON document | `ANSWER_IN_REASONING` | no |
//! | with a schema: refusal, content filter, too few tokens | `MODEL_REFUSED`, `CONTENT_FILTERED`, `ANSWER_TRUNCATED` | no |
//! | repeated failures | `CIRCUIT_OPEN` | by the caller |
//! | limits of this client | `RATE_LIMITED_HERE`, `TOO_MANY_CALLS` | by the caller |
//! | a schema that Gemini does not support | `SCHEMA_UNSUPPORTED` | no |
//!
//! The crate does not use a multi-provider library such as `genai` 0.7, because that reads bodies without a
//! size limit and logs them at trace level.

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
pub use price::{Price, PriceTable};
pub use reply::{Attempt, Reply, Stop, Usage};
pub use request::{Request, RequestError, Role, Schema, Temperature, Trace, Turn};
/// API keys and header values.
pub use secrecy::SecretString;
pub use settings::{
    Circuit, MAX_ATTEMPTS, MAX_CONCURRENT, Retry, Settings, SettingsError, StructuredOutput,
    TIMEOUTS,
};
