//! How chat models are asked, and which judges vote together: the tables `[judges.models."provider:model"]` and
//! `[judges.panels.name]`. Keys themselves are never in it.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::values::{Bytes, Duration};

/// How a chat model is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Model {
    /// Where it listens; absent for the provider's own address. Required for openai-compatible and oci.
    pub base_url: Option<String>,
    /// The environment variable that holds the key; absent for the provider's usual one.
    pub key_env: Option<String>,
    /// The file that holds the key; before the variable.
    pub key_file: Option<PathBuf>,
    /// The most evidence that is shown at once; more is shown in parts.
    pub max_evidence: Bytes,
    /// Above how much text of an item the model chooses which of its lines are shown; absent for never.
    pub outline_above: Option<Bytes>,
    /// The most tokens of an answer.
    pub max_output_tokens: u32,
    /// Whether a temperature of 0 is asked for; off for models that take none.
    pub temperature: bool,
    /// For one attempt.
    pub timeout: Duration,
    /// Attempts in all, 1 to 10.
    pub attempts: u32,
    /// Calls at once; four times as many wait, more are refused.
    pub max_concurrent: usize,
    /// Requests a minute; absent for no limit.
    pub requests_per_minute: Option<NonZeroU32>,
    /// After how long a second request is sent beside the first; absent for never.
    pub hedge_after: Option<Duration>,
    /// How the shape of the answer is asked for, of openai-compatible and oci endpoints.
    pub structured_output: StructuredOutput,
    /// Tokens that Ollama shall read; it cuts longer questions without a word.
    pub ollama_context: Option<NonZeroU32>,
    /// A file with the prompt template; absent for the built-in one.
    pub prompt: Option<PathBuf>,
    /// A file with the prompt template of panels that ask it to disprove; absent for the built-in one.
    pub refute_prompt: Option<PathBuf>,
    /// How many claims that people graded it is shown as examples, 0 to 20.
    pub examples: usize,
    /// How often it is asked about each report, 1 to 10; the answers vote.
    pub samples: u32,
    /// Whether secrets and personal data are hidden; absent: unless it listens on this machine.
    pub hide: Option<bool>,
    /// Whether each call has a claim beside the others that nothing can support.
    pub canary: bool,
    /// Millionths of a dollar for a million tokens read; absent where no price is known.
    pub input_price: Option<u64>,
    /// Millionths of a dollar for a million tokens written.
    pub output_price: Option<u64>,
    /// Millionths of a dollar for a million tokens read from the provider's cache; absent for the input price.
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

/// Judges that vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Panel {
    /// Who votes.
    pub members: Vec<Member>,
}

/// A judge with a vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// `embedded`, `local/1`, `rules/2`, or a chat model as `provider:model`.
    pub judge: String,
    /// What its vote weighs beside those of the others, 1 to 100.
    #[serde(default = "one")]
    pub weight: u32,
    /// Whether it is asked to disprove, so that only what it contradicts is a vote; chat models only.
    #[serde(default)]
    pub refutes: bool,
}

const fn one() -> u32 {
    1
}

/// How the shape of an answer is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// `response_format` with the schema.
    JsonSchema,
    /// `guided_json`, as vLLM has it.
    GuidedJson,
    /// `response_format` without the schema.
    JsonObject,
    /// By the prompt only.
    Off,
}
