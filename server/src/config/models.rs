//! The tables `[judges.models."provider:model"]` and `[judges.panels.name]`. They never contain keys themselves.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::values::{Bytes, Duration};

/// How a chat model is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// Its base URL; absent for the provider's own. Required for openai-compatible and oci.
    pub base_url: Option<String>,
    /// The environment variable that contains the key; absent for the provider's usual one.
    pub key_env: Option<String>,
    /// The file that contains the key; takes precedence over the variable.
    pub key_file: Option<PathBuf>,
    /// The maximum evidence per request; more is sent in parts.
    pub max_evidence: Bytes,
    /// The size above which the model chooses which lines of an item are shown; absent for never.
    pub outline_above: Option<Bytes>,
    /// The maximum tokens of an answer.
    pub max_output_tokens: u32,
    /// `true` to request a temperature of 0; off for models that accept none.
    pub temperature: bool,
    /// The time limit of one attempt.
    pub timeout: Duration,
    /// The total number of attempts, 1 to 10.
    pub attempts: u32,
    /// The maximum number of concurrent calls. Up to four times as many wait; more are refused.
    pub max_concurrent: usize,
    /// The maximum number of requests per minute; absent for no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// The delay before a hedged second request; absent for never.
    pub hedge_after: Option<Duration>,
    /// How openai-compatible and oci endpoints are asked for structured output.
    pub structured_output: StructuredOutput,
    /// The context length of Ollama in tokens; it silently truncates longer prompts.
    pub ollama_context: Option<NonZeroU32>,
    /// A file with the prompt template; absent for the built-in one.
    pub prompt: Option<PathBuf>,
    /// A file with the prompt template for members that disprove; absent for the built-in one.
    pub refute_prompt: Option<PathBuf>,
    /// The number of human-graded claims shown as examples, 0 to 20.
    pub examples: usize,
    /// The number of samples per report, 1 to 10; the answers vote.
    pub samples: u32,
    /// `true` to hide secrets and personal data; absent: unless it runs on this machine.
    pub hide: Option<bool>,
    /// `true` to add a claim to each call that nothing can support.
    pub canary: bool,
    /// Price of a million input tokens, in millionths of a dollar; absent if unknown.
    pub input_price: Option<u64>,
    /// Price of a million output tokens, in millionths of a dollar.
    pub output_price: Option<u64>,
    /// Price of a million cached input tokens, in millionths of a dollar; absent for the input price.
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
    /// The weight of its vote, 1 to 100.
    #[serde(default = "one")]
    pub weight: u32,
    /// `true` if it is asked to disprove, so that only contradictions are votes; chat models only.
    #[serde(default)]
    pub refutes: bool,
}

const fn one() -> u32 {
    1
}

/// How structured output is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// `response_format` with the schema.
    JsonSchema,
    /// `guided_json`, for vLLM.
    GuidedJson,
    /// `response_format` without the schema.
    JsonObject,
    /// In the prompt only.
    Off,
}
