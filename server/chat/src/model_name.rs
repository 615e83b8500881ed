//! This module parses names of models, `provider:model`, once. It knows neither settings nor HTTP.

use std::fmt;
use std::str::FromStr;

/// The longest name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Who answers, and so which wire format is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provider {
    /// OpenAI, chat completions.
    OpenAi,
    /// Anthropic, messages.
    Anthropic,
    /// Google Gemini, `generateContent`.
    Gemini,
    /// Ollama, its own `/api/chat`.
    Ollama,
    /// Whatever speaks OpenAI's chat completions: vLLM, LiteLLM, a gateway.
    OpenAiCompatible,
    /// Oracle Cloud, through its endpoint that is compatible with OpenAI.
    Oci,
}

impl Provider {
    /// All of them, in the order in which errors list them.
    pub const ALL: [Self; 6] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::OpenAiCompatible,
        Self::Oci,
    ];

    /// The word in front of the colon.
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

    /// What `gen_ai.provider.name` of the semantic conventions calls it.
    #[must_use]
    pub const fn conventional_name(self) -> &'static str {
        match self {
            Self::Gemini => "gcp.gemini",
            other => other.name(),
        }
    }

    /// Where it is reached unless a base URL is given; `None` where one must be.
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

    /// Whether it answers nobody without a key.
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

/// `provider:model`, such as `openai:gpt-4.1-mini` or `ollama:llama3.1:8b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelName {
    provider: Provider,
    model: Box<str>,
}

impl ModelName {
    /// Who answers.
    #[must_use]
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// The name by which the provider knows the model: 1 to 200 ASCII letters, digits and `. _ - : / @ +`.
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
            .ok_or_else(|| ModelNameError::NoProvider { given: shown(given) })?;
        let provider = Provider::ALL
            .into_iter()
            .find(|known| known.name() == provider)
            .ok_or_else(|| ModelNameError::UnknownProvider { given: shown(provider) })?;
        if model.is_empty() || model.len() > MAX_MODEL_BYTES {
            return Err(ModelNameError::Length { given: model.len() });
        }
        if let Some(character) = model.chars().find(|character| !is_allowed(*character)) {
            return Err(ModelNameError::Character { given: shown(model), character });
        }
        // The name becomes part of a path.
        if model.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(ModelNameError::Segment { given: shown(model) });
        }
        Ok(Self { provider, model: model.into() })
    }
}

const fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '.' | '_' | '-' | ':' | '/' | '@' | '+')
}

fn shown(given: &str) -> String {
    given.chars().take(80).flat_map(char::escape_debug).collect()
}

/// Why a text is no name of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// There is no colon.
    #[error("model: {given:?} names no provider; write provider:model with one of {}", providers())]
    NoProvider {
        /// What was given.
        given: String,
    },
    /// The word in front of the colon is no provider.
    #[error("model: {given:?} is no provider; allowed are {}", providers())]
    UnknownProvider {
        /// What was given.
        given: String,
    },
    /// There is no model behind the colon, or too long a name.
    #[error(
        "model: the name behind the provider has {given} bytes; 1 to {MAX_MODEL_BYTES} are allowed"
    )]
    Length {
        /// Its length in bytes.
        given: usize,
    },
    /// The name has a character that no model has.
    #[error(
        "model: {given:?} has the character {character:?}; allowed are ASCII letters, digits and . _ - : / @ +"
    )]
    Character {
        /// What was given.
        given: String,
        /// The first that is not allowed.
        character: char,
    },
    /// The name has an empty part, or one that leads elsewhere in a path.
    #[error(
        "model: {given:?} has a part between slashes that is empty, `.` or `..`; write the name as the provider lists it"
    )]
    Segment {
        /// What was given.
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
    fn a_model_may_have_colons_and_slashes() {
        for name in ["openai:gpt-4.1-mini", "ollama:llama3.1:8b", "openai-compatible:meta/l-3@1"] {
            assert_eq!(name.parse::<ModelName>().unwrap().to_string(), name);
        }
        let name: ModelName = "ollama:llama3.1:8b".parse().unwrap();
        assert_eq!((name.provider(), name.model()), (Provider::Ollama, "llama3.1:8b"));
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_allowed() {
        for (given, said) in [
            ("gpt-4", "\"gpt-4\" names no provider; write provider:model with one of openai, "),
            ("", "\"\" names no provider"),
            ("mistral:x", "allowed are openai, anthropic, gemini, ollama, openai-compatible, oci"),
            ("OpenAI:x", "\"OpenAI\" is no provider"),
            ("openai:", "has 0 bytes; 1 to 200"),
            ("openai:a b", "has the character ' '"),
            ("openai:a\nb", "has the character '\\n'"),
            ("gemini:../secrets", "`.` or `..`"),
            ("gemini:a//b", "is empty"),
            ("gemini:a?key=b", "has the character '?'"),
        ] {
            let error = given.parse::<ModelName>().unwrap_err().to_string();
            assert!(error.contains(said), "{given:?}: {error}");
        }
        let long = format!("openai:{}", "x".repeat(201));
        assert_eq!(long.parse::<ModelName>(), Err(ModelNameError::Length { given: 201 }));
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_given_back(given in "\\PC{0,40}|(openai|oci):\\PC{0,20}") {
            if let Ok(name) = given.parse::<ModelName>() {
                prop_assert_eq!(name.to_string(), given);
            }
        }
    }
}
