//! Model names, written `provider:model`.

use std::fmt;
use std::str::FromStr;

const MAX_MODEL_BYTES: usize = 200;

/// A chat model provider, which determines the wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI, chat completions.
    OpenAi,
    /// Anthropic, messages.
    Anthropic,
    /// Google Gemini, `generateContent`.
    Gemini,
    /// Ollama, `/api/chat`.
    Ollama,
    /// Any server with OpenAI's chat completions API, such as vLLM, LiteLLM or a gateway.
    OpenAiCompatible,
    /// Oracle Cloud, through its OpenAI-compatible endpoint.
    Oci,
}

impl Provider {
    /// All providers, in the order in which error messages list them.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::OpenAiCompatible,
        Self::Oci,
    ];

    /// Returns the name before the colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::OpenAiCompatible => "openai-compatible",
            Self::Oci => "oci",
        }
    }

    /// Returns the value of `gen_ai.provider.name` in the OpenTelemetry semantic conventions.
    #[must_use]
    pub const fn conventional_name(self) -> &'static str {
        match self {
            Self::Gemini => "gcp.gemini",
            other => other.name(),
        }
    }

    /// Returns the default base URL, or `None` if a base URL must be configured.
    #[must_use]
    pub const fn default_base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
            Self::OpenAiCompatible | Self::Oci => None,
        }
    }

    /// Returns `true` if the provider requires a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        match self {
            Self::OpenAi | Self::Anthropic | Self::Gemini | Self::Oci => true,
            Self::Ollama | Self::OpenAiCompatible => false,
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A model name such as `openai:gpt-4.1-mini` or `ollama:llama3.1:8b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    provider: Provider,
    model: Box<str>,
}

impl ModelName {
    /// Returns the provider.
    #[must_use]
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// Returns the provider's name for the model: 1 to 200 ASCII letters, digits and `. _ - : / @ +`.
    #[must_use]
    pub const fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.provider, self.model)
    }
}

impl FromStr for ModelName {
    type Err = ModelNameError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let (provider, model) = given
            .split_once(':')
            .ok_or_else(|| ModelNameError::NoProvider { given: escape(given) })?;
        let provider = Provider::ALL
            .into_iter()
            .find(|known| known.name() == provider)
            .ok_or_else(|| ModelNameError::UnknownProvider { given: escape(provider) })?;
        if model.is_empty() || model.len() > MAX_MODEL_BYTES {
            return Err(ModelNameError::Length { given: model.len() });
        }
        if let Some(character) = model.chars().find(|character| !is_allowed(*character)) {
            return Err(ModelNameError::Character { given: escape(model), character });
        }
        // The name becomes part of the URL's path.
        if model.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(ModelNameError::Segment { given: escape(model) });
        }
        Ok(Self { provider, model: model.into() })
    }
}

const fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '.' | '_' | '-' | ':' | '/' | '@' | '+')
}

fn escape(given: &str) -> String {
    given.chars().take(80).flat_map(char::escape_debug).collect()
}

/// An error from parsing a model name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// The name has no colon.
    #[error(
        "model: {given:?} has no provider; write provider:model, where provider is one of {}",
        providers()
    )]
    NoProvider {
        /// The given value.
        given: String,
    },
    /// The provider is unknown.
    #[error("model: unknown provider {given:?}; expected one of {}", providers())]
    UnknownProvider {
        /// The given value.
        given: String,
    },
    /// The part after the colon is empty or too long.
    #[error(
        "model: the name after the provider has {given} bytes; expected 1 to {MAX_MODEL_BYTES}"
    )]
    Length {
        /// The length of the name in bytes.
        given: usize,
    },
    /// The name has an invalid character.
    #[error(
        "model: {given:?} has the character {character:?}; only ASCII letters, digits and . _ - : / @ + are allowed"
    )]
    Character {
        /// The given value.
        given: String,
        /// The first invalid character.
        character: char,
    },
    /// A path segment is empty, `.` or `..`.
    #[error(
        "model: {given:?} has a part between slashes that is empty, `.` or `..`; write the name as the provider lists it"
    )]
    Segment {
        /// The given value.
        given: String,
    },
}

fn providers() -> String {
    Provider::ALL.map(Provider::name).join(", ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn model_names_may_have_colons_and_slashes() {
        for name in ["openai:gpt-4.1-mini", "ollama:llama3.1:8b", "openai-compatible:meta/l-3@1"] {
            assert_eq!(name.parse::<ModelName>().unwrap().to_string(), name);
        }
        let name: ModelName = "ollama:llama3.1:8b".parse().unwrap();
        assert_eq!((name.provider(), name.model()), (Provider::Ollama, "llama3.1:8b"));
    }

    #[test]
    fn errors_contain_given_and_allowed_values() {
        for (given, expected) in [
            (
                "gpt-4",
                "\"gpt-4\" has no provider; write provider:model, where provider is one of openai, ",
            ),
            ("", "\"\" has no provider"),
            (
                "mistral:x",
                "expected one of openai, anthropic, gemini, ollama, openai-compatible, oci",
            ),
            ("OpenAI:x", "unknown provider \"OpenAI\""),
            ("openai:", "has 0 bytes; expected 1 to 200"),
            ("openai:a b", "has the character ' '"),
            ("openai:a\nb", "has the character '\\n'"),
            ("gemini:../secrets", "`.` or `..`"),
            ("gemini:a//b", "is empty"),
            ("gemini:a?key=b", "has the character '?'"),
        ] {
            let error = given.parse::<ModelName>().unwrap_err().to_string();
            assert!(error.contains(expected), "{given:?}: {error}");
        }
        let long = format!("openai:{}", "x".repeat(201));
        assert_eq!(long.parse::<ModelName>(), Err(ModelNameError::Length { given: 201 }));
    }

    proptest! {
        #[test]
        fn valid_names_round_trip(given in "\\PC{0,40}|(openai|oci):\\PC{0,20}") {
            if let Ok(name) = given.parse::<ModelName>() {
                prop_assert_eq!(name.to_string(), given);
            }
        }
    }
}
