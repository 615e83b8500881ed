//! The tables `[judges.models."provider:model"]` and `[judges.panels.name]`. They never contain API keys.

use std::num::NonZeroU32;
use std::path::PathBuf;

use gsar_chat::StructuredOutput;
use serde::{Deserialize, Serialize};

use super::values::{Bytes, Duration};

/// The settings of a chat model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// The base URL. Defaults to the provider's own URL. Required for openai-compatible and oci.
    pub base_url: Option<String>,
    /// The environment variable that contains the API key. Defaults to the provider's usual variable.
    pub key_env: Option<String>,
    /// A file that contains the API key. Takes precedence over the variable.
    pub key_file: Option<PathBuf>,
    /// The maximum size of the evidence in one request. Larger evidence is sent in several requests.
    pub max_evidence: Bytes,
    /// The size of an item above which the model first chooses which of its lines to read. If absent, every
    /// item is sent whole.
    pub outline_above: Option<Bytes>,
    /// The maximum number of tokens in an answer.
    pub max_output_tokens: u32,
    /// `true` if requests set the temperature to 0. Turn this off for models that reject it.
    pub temperature: bool,
    /// The timeout of one attempt.
    pub timeout: Duration,
    /// The total number of attempts, 1 to 10.
    pub attempts: u32,
    /// The maximum number of concurrent calls. Up to four times as many can wait.
    pub max_concurrent: usize,
    /// The maximum number of requests per minute. Unlimited if absent.
    pub requests_per_minute: Option<NonZeroU32>,
    /// The delay before a hedged second request is sent. If absent, no second request is sent.
    pub hedge_after: Option<Duration>,
    /// How structured output is requested. Only for openai-compatible and oci.
    pub structured_output: StructuredOutput,
    /// Ollama's context length in tokens. Ollama silently truncates longer prompts.
    pub ollama_context: Option<NonZeroU32>,
    /// A file with the prompt template. Defaults to the built-in template.
    pub prompt: Option<PathBuf>,
    /// A file with the prompt template for refuting members. Defaults to the built-in template.
    pub refute_prompt: Option<PathBuf>,
    /// The number of graded claims included as examples, 0 to 20.
    pub examples: usize,
    /// The number of samples per report, 1 to 10. The samples vote on each claim.
    pub samples: u32,
    /// `true` if secrets and personal data are redacted. Defaults to `true` unless the model runs on this
    /// machine.
    pub hide: Option<bool>,
    /// `true` if each call includes a canary, a claim that no evidence supports.
    pub canary: bool,
    /// The price of a million input tokens, in millionths of a dollar. If absent, costs are unknown.
    pub input_price: Option<u64>,
    /// The price of a million output tokens, in millionths of a dollar.
    pub output_price: Option<u64>,
    /// The price of a million cached input tokens, in millionths of a dollar. Defaults to the input price.
    pub cached_price: Option<u64>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            base_url: None,
            key_env: None,
            key_file: None,
            max_evidence: Bytes(256 << 10),
            outline_above: None,
            max_output_tokens: 8_192,
            temperature: true,
            timeout: Duration(std::time::Duration::from_secs(90)),
            attempts: 3,
            max_concurrent: 16,
            requests_per_minute: None,
            hedge_after: None,
            structured_output: StructuredOutput::JsonSchema,
            ollama_context: None,
            prompt: None,
            refute_prompt: None,
            examples: 0,
            samples: 1,
            hide: None,
            canary: true,
            input_price: None,
            output_price: None,
            cached_price: None,
        }
    }
}

/// A panel of judges that vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// The members.
    pub members: Vec<Member>,
}

/// A member of a panel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// `embedded`, `local/1`, `rules/2`, or a chat model as `provider:model`.
    pub judge: String,
    /// The weight of the vote, 1 to 100.
    #[serde(default = "default_weight")]
    pub weight: u32,
    /// `true` if the member tries to disprove claims, so that it only votes for contradictions. Only for
    /// chat models.
    #[serde(default)]
    pub refutes: bool,
}

const fn default_weight() -> u32 {
    1
}
