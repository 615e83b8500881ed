//! This module holds the limits of time, size and number for a provider. Its address is in [`crate::Endpoint`].

use std::num::NonZeroU32;
use std::time::Duration;

use crate::model_name::Provider;

const HOUR: Duration = Duration::from_secs(3600);

/// The least and the most of every limit of time, such as [`Settings::total_timeout`].
pub const TIMEOUTS: (Duration, Duration) = (Duration::from_millis(1), HOUR);
/// The most attempts of [`Retry::attempts`].
pub const MAX_ATTEMPTS: u32 = 10;
/// The most calls at once of [`Settings::max_concurrent`].
pub const MAX_CONCURRENT: usize = 10_000;

/// Limits of the calls to one model. [`Default`] suits a hosted provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// For a connection, TLS included: up to an hour; 5 s.
    pub connect_timeout: Duration,
    /// From the start of an attempt to the first byte of its answer, which models give when they are done writing:
    /// up to an hour; 60 s.
    pub first_byte_timeout: Duration,
    /// For a whole attempt: from `first_byte_timeout` to an hour; 90 s.
    pub total_timeout: Duration,
    /// The most bytes of an answer, 1 KiB to 1 GiB; 4 MiB.
    pub max_answer_bytes: usize,
    /// The most tokens of an answer, unless the request says, at least 1; 4096.
    pub max_output_tokens: u32,
    /// The most calls that run at once, 1 to 10 000; 16.
    pub max_concurrent: usize,
    /// The most calls that wait for a permit, up to 1 000 000; 64. More are refused.
    pub max_waiting: usize,
    /// The most requests in a minute, evenly, a tenth of them at once; `None`, the default, for no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// When a call is repeated.
    pub retry: Retry,
    /// When a provider is left alone.
    pub circuit: Circuit,
    /// After how long the same question is asked a second time, beside the first, where a permit is free; the first
    /// answer counts and both are paid for. `None`, the default, for never.
    pub hedge_after: Option<Duration>,
    /// How a schema is handed to an endpoint that is compatible with OpenAI's; for other providers the default.
    pub structured_output: StructuredOutput,
    /// How many tokens Ollama reads: it cuts longer questions without a word. `None` leaves it at its own default.
    pub ollama_context: Option<NonZeroU32>,
}

/// When a call is repeated: exponential backoff with full jitter. The wait is random, from 0 to `base`, doubled each time
/// up to `cap`, and never before the provider's Retry-After.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Attempts in all: 1 to 10; 3.
    pub attempts: u32,
    /// The longest wait before the second: up to `cap`; 500 ms.
    pub base: Duration,
    /// The longest wait: up to an hour; 20 s.
    pub cap: Duration,
    /// An attempt that would have less time before the deadline is not begun: 100 ms.
    pub least_time: Duration,
}

/// When a provider is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// Failed attempts in a row before it opens: at least 1; 5.
    pub failures: u32,
    /// For so long, then one call tries: up to an hour; 30 s.
    pub cool_down: Duration,
}

/// How a schema is handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StructuredOutput {
    /// `response_format` of type `json_schema`, strict.
    #[default]
    JsonSchema,
    /// `guided_json`, as vLLM has it.
    GuidedJson,
    /// `response_format` of type `json_object`: JSON of any shape. The prompt must hold the schema.
    JsonObject,
    /// Not at all. The prompt must hold the schema.
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
            least_time: Duration::from_millis(100),
        }
    }
}

impl Default for Circuit {
    fn default() -> Self {
        Self { failures: 5, cool_down: Duration::from_secs(30) }
    }
}

impl Settings {
    /// Checks every value.
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
        duration("retry.least_time", self.retry.least_time, Duration::ZERO, HOUR)?;
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
    least: Duration,
    most: Duration,
) -> Result<(), SettingsError> {
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(SettingsError::Duration { field, given, least, most })
    }
}

fn number(
    field: &'static str,
    given: usize,
    least: usize,
    most: usize,
) -> Result<(), SettingsError> {
    if (least..=most).contains(&given) {
        Ok(())
    } else {
        Err(SettingsError::Number { field, given, least, most })
    }
}

/// Why a model cannot be asked with these settings, at this endpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A duration is out of range.
    #[error("{field}: {given:?} is not allowed; allowed is {least:?} to {most:?}")]
    Duration {
        /// The setting.
        field: &'static str,
        /// What was given.
        given: Duration,
        /// The least.
        least: Duration,
        /// The most.
        most: Duration,
    },
    /// A number is out of range.
    #[error("{field}: {given} is not allowed; allowed is {least} to {most}")]
    Number {
        /// The setting.
        field: &'static str,
        /// What was given.
        given: usize,
        /// The least that is allowed.
        least: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// The provider has one way only.
    #[error(
        "structured_output: {given:?} is not for {provider}, which has a way of its own; leave it out, or use openai-compatible or oci"
    )]
    StructuredOutput {
        /// What was given.
        given: StructuredOutput,
        /// For whom.
        provider: Provider,
    },
    /// The provider has no address that is known.
    #[error(
        "base_url: {provider} has no address of its own; give the URL in front of /chat/completions as base_url or --judge-url"
    )]
    NoBaseUrl {
        /// Who.
        provider: Provider,
    },
    /// The text is no URL that can be used. It is not repeated here: it may hold a password.
    #[error("{field}: {reason}; give http://host[:port][/path] or https://host[:port][/path]")]
    Url {
        /// The setting.
        field: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A key would be sent where everybody on the way can read it.
    #[error(
        "base_url: {provider} is sent a key, and http:// to another host shows it to everybody on the way; use https://"
    )]
    KeyInTheClear {
        /// Who.
        provider: Provider,
    },
    /// There is no key.
    #[error("key: {provider} answers nobody without one; give one")]
    NoKey {
        /// Who.
        provider: Provider,
    },
    /// The value cannot be sent in a header. It is not repeated here.
    #[error("{field}: it holds characters that no header can; check for a line break at its end")]
    HeaderValue {
        /// The setting or the header.
        field: String,
    },
    /// The name is no name of a header, or of one that is set here.
    #[error(
        "headers: {given:?} is not allowed; allowed are names of headers that are not set here already"
    )]
    HeaderName {
        /// What was given.
        given: String,
    },
    /// The certificates cannot be used.
    #[error("certificate authorities: {reason}; give certificates in PEM")]
    Certificates {
        /// What is wrong.
        reason: String,
    },
    /// The client for HTTP cannot be built.
    #[error("the client for HTTP cannot be built: {reason}")]
    Client {
        /// What it said.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_allowed_everywhere() {
        for provider in Provider::ALL {
            assert_eq!(Settings::default().check(provider), Ok(()));
        }
    }

    #[test]
    fn what_is_out_of_range_is_named_with_its_range() {
        let changed = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings.check(Provider::OpenAi).unwrap_err().to_string()
        };
        assert_eq!(
            changed(|settings| settings.max_answer_bytes = 1),
            "max_answer_bytes: 1 is not allowed; allowed is 1024 to 1073741824"
        );
        assert_eq!(
            changed(|settings| settings.total_timeout = Duration::from_secs(59)),
            "total_timeout: 59s is not allowed; allowed is 60s to 3600s"
        );
        assert!(changed(|settings| settings.retry.attempts = 0).starts_with("retry.attempts: 0"));
        assert!(changed(|settings| settings.retry.base = HOUR).starts_with("retry.base: 3600s"));
        assert!(changed(|settings| settings.max_concurrent = 0).contains("1 to 10000"));
        assert!(
            changed(|settings| settings.structured_output = StructuredOutput::GuidedJson)
                .contains("not for openai")
        );
        let guided =
            Settings { structured_output: StructuredOutput::GuidedJson, ..Settings::default() };
        assert_eq!(guided.check(Provider::OpenAiCompatible), Ok(()));
    }
}
