//! Limits on calls to a model.

use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model_name::Provider;

const HOUR: Duration = Duration::from_secs(3600);

/// The range of timeouts such as [`Settings::total_timeout`].
pub const TIMEOUTS: (Duration, Duration) = (Duration::from_millis(1), HOUR);
/// The maximum value of [`Retry::attempts`].
pub const MAX_ATTEMPTS: u32 = 10;
/// The maximum value of [`Settings::max_concurrent`].
pub const MAX_CONCURRENT: usize = 10_000;

/// Limits on calls to a model. The defaults suit a hosted provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The timeout for connecting, including TLS: up to 1 h, by default 5 s.
    pub connect_timeout: Duration,
    /// The timeout from the start of an attempt to the first byte, which many models send only when the
    /// answer is complete: up to 1 h, by default 60 s.
    pub first_byte_timeout: Duration,
    /// The timeout of an attempt: `first_byte_timeout` to 1 h, by default 90 s.
    pub total_timeout: Duration,
    /// The maximum size of an answer in bytes: 1 KiB to 1 GiB, by default 4 MiB.
    pub max_answer_bytes: usize,
    /// The maximum number of tokens in an answer: at least 1, by default 4096.
    pub max_output_tokens: u32,
    /// The maximum number of concurrent calls: 1 to 10 000, by default 16.
    pub max_concurrent: usize,
    /// The maximum number of calls waiting for a permit: up to 1 000 000, by default 64. Further calls fail.
    pub max_waiting: usize,
    /// The maximum number of requests per minute, with bursts of up to a tenth of that number. Unlimited by
    /// default.
    pub requests_per_minute: Option<NonZeroU32>,
    /// The retry settings.
    pub retry: Retry,
    /// The circuit breaker settings.
    pub circuit: Circuit,
    /// The delay before a hedging attempt, which needs a free permit. Both attempts are charged. By default,
    /// calls are never hedged.
    pub hedge_after: Option<Duration>,
    /// The encoding of a schema for OpenAI-compatible endpoints. For other providers, it must be the default.
    pub structured_output: StructuredOutput,
    /// Ollama's context size in tokens. Ollama silently truncates longer requests. If `None`, Ollama's
    /// default applies.
    pub ollama_context: Option<NonZeroU32>,
}

/// Settings for retries with exponential backoff and full jitter. The wait before a retry is random, with a
/// maximum that starts at `base` and doubles up to `cap`. It is never shorter than the provider's
/// Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The maximum number of attempts: 1 to 10, by default 3.
    pub attempts: u32,
    /// The maximum wait before the second attempt: up to `cap`, by default 500 ms.
    pub base: Duration,
    /// The maximum wait before any attempt: up to 1 h, by default 20 s.
    pub cap: Duration,
    /// The minimum time left before the deadline for another attempt: by default 100 ms.
    pub min_time: Duration,
}

/// Settings of the circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// The number of consecutive failures that open the circuit: at least 1, by default 5.
    pub failures: u32,
    /// The time until a call probes the provider: up to 1 h, by default 30 s.
    pub cool_down: Duration,
}

/// The encoding of a schema in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// A strict `response_format` of type `json_schema`.
    #[default]
    JsonSchema,
    /// vLLM's `guided_json`.
    GuidedJson,
    /// A `response_format` of type `json_object`, which allows any object. The prompt must contain the schema.
    JsonObject,
    /// The schema is not sent. The prompt must contain it.
    Off,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            first_byte_timeout: Duration::from_secs(60),
            total_timeout: Duration::from_secs(90),
            max_answer_bytes: 4 << 20,
            max_output_tokens: 4096,
            max_concurrent: 16,
            max_waiting: 64,
            requests_per_minute: None,
            retry: Retry::default(),
            circuit: Circuit::default(),
            hedge_after: None,
            structured_output: StructuredOutput::default(),
            ollama_context: None,
        }
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 3,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            min_time: Duration::from_millis(100),
        }
    }
}

impl Default for Circuit {
    fn default() -> Self {
        Self { failures: 5, cool_down: Duration::from_secs(30) }
    }
}

impl Settings {
    pub(crate) fn check(&self, provider: Provider) -> Result<(), SettingsError> {
        let (milli, _) = TIMEOUTS;
        duration("connect_timeout", self.connect_timeout, milli, HOUR)?;
        duration("first_byte_timeout", self.first_byte_timeout, milli, HOUR)?;
        duration("total_timeout", self.total_timeout, self.first_byte_timeout, HOUR)?;
        number("max_answer_bytes", self.max_answer_bytes, 1 << 10, 1 << 30)?;
        number("max_output_tokens", self.max_output_tokens as usize, 1, u32::MAX as usize)?;
        number("max_concurrent", self.max_concurrent, 1, MAX_CONCURRENT)?;
        number("max_waiting", self.max_waiting, 0, 1_000_000)?;
        number("retry.attempts", self.retry.attempts as usize, 1, MAX_ATTEMPTS as usize)?;
        duration("retry.cap", self.retry.cap, Duration::ZERO, HOUR)?;
        duration("retry.base", self.retry.base, Duration::ZERO, self.retry.cap)?;
        duration("retry.min_time", self.retry.min_time, Duration::ZERO, HOUR)?;
        number("circuit.failures", self.circuit.failures as usize, 1, u32::MAX as usize)?;
        duration("circuit.cool_down", self.circuit.cool_down, Duration::ZERO, HOUR)?;
        if let Some(after) = self.hedge_after {
            duration("hedge_after", after, milli, self.total_timeout)?;
        }
        let compatible = matches!(provider, Provider::OpenAiCompatible | Provider::Oci);
        if self.structured_output != StructuredOutput::JsonSchema && !compatible {
            return Err(SettingsError::StructuredOutput {
                given: self.structured_output,
                provider,
            });
        }
        Ok(())
    }
}

fn duration(
    field: &'static str,
    given: Duration,
    min: Duration,
    max: Duration,
) -> Result<(), SettingsError> {
    if (min..=max).contains(&given) {
        Ok(())
    } else {
        Err(SettingsError::Duration { field, given, min, max })
    }
}

fn number(field: &'static str, given: usize, min: usize, max: usize) -> Result<(), SettingsError> {
    if (min..=max).contains(&given) {
        Ok(())
    } else {
        Err(SettingsError::Number { field, given, min, max })
    }
}

/// An error in the settings or the endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A duration is out of range.
    #[error("{field}: {given:?} is out of range; expected {min:?} to {max:?}")]
    Duration {
        /// The setting.
        field: &'static str,
        /// The given value.
        given: Duration,
        /// The minimum.
        min: Duration,
        /// The maximum.
        max: Duration,
    },
    /// A number is out of range.
    #[error("{field}: {given} is out of range; expected {min} to {max}")]
    Number {
        /// The setting.
        field: &'static str,
        /// The given value.
        given: usize,
        /// The minimum.
        min: usize,
        /// The maximum.
        max: usize,
    },
    /// The provider does not support this kind of structured output.
    #[error(
        "structured_output: {given:?} is not supported for {provider}; remove it, or use openai-compatible or oci"
    )]
    StructuredOutput {
        /// The given value.
        given: StructuredOutput,
        /// The provider.
        provider: Provider,
    },
    /// The provider has no default base URL.
    #[error(
        "base_url: {provider} has no default address; set base_url or --judge-url to the URL before /chat/completions"
    )]
    NoBaseUrl {
        /// The provider.
        provider: Provider,
    },
    /// The URL is invalid. The message omits it, because it may contain a password.
    #[error("base_url: {reason}; expected http://host[:port][/path] or https://host[:port][/path]")]
    Url {
        /// The cause.
        reason: String,
    },
    /// A key would be sent unencrypted.
    #[error("base_url: the key of {provider} would be sent unencrypted over http://; use https://")]
    KeyInTheClear {
        /// The provider.
        provider: Provider,
    },
    /// The provider requires a key.
    #[error("key: {provider} requires a key; set one")]
    NoKey {
        /// The provider.
        provider: Provider,
    },
    /// The key is not valid in a header. The message omits it.
    #[error(
        "key: the value has characters that are not allowed in a header; check for a trailing line break"
    )]
    InvalidKey,
    /// The certificates are unusable.
    #[error("certificate authorities: {reason}; expected certificates in PEM")]
    Certificates {
        /// The cause.
        reason: String,
    },
    /// The HTTP client cannot be built.
    #[error("failed to build the HTTP client: {reason}")]
    Client {
        /// The cause.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_for_every_provider() {
        for provider in Provider::ALL {
            assert_eq!(Settings::default().check(provider), Ok(()));
        }
    }

    #[test]
    fn errors_name_the_setting_and_its_range() {
        let changed = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check(Provider::OpenAi).unwrap_err().to_string()
        };
        assert_eq!(
            changed(|settings| settings.max_answer_bytes = 1),
            "max_answer_bytes: 1 is out of range; expected 1024 to 1073741824"
        );
        assert_eq!(
            changed(|settings| settings.total_timeout = Duration::from_secs(59)),
            "total_timeout: 59s is out of range; expected 60s to 3600s"
        );
        assert!(changed(|settings| settings.retry.attempts = 0).starts_with("retry.attempts: 0"));
        assert!(changed(|settings| settings.retry.base = HOUR).starts_with("retry.base: 3600s"));
        assert!(changed(|settings| settings.max_concurrent = 0).contains("1 to 10000"));
        assert!(
            changed(|settings| settings.structured_output = StructuredOutput::GuidedJson)
                .contains("not supported for openai")
        );
        let guided =
            Settings { structured_output: StructuredOutput::GuidedJson, ..Settings::default() };
        assert_eq!(guided.check(Provider::OpenAiCompatible), Ok(()));
    }
}
