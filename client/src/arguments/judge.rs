//! The arguments that select a judge, and those of `gsar judge`.

use clap::{Args, Subcommand};
use gsar_client::connection::JudgeSpec;

use super::Connection;

/// The judge to use.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Judge")]
pub(crate) struct JudgeChoice {
    /// Start a temporary server with this judge only: local/1, rules/2 or a chat model
    ///
    /// Chat models: ollama:qwen3:8b, openai:gpt-4o-mini, anthropic:claude-haiku-4-5, gemini:gemini-2.5-flash, or
    /// openai-compatible:MODEL with --judge-url. API keys are read from variables such as OPENAI_API_KEY.
    #[arg(long = "judge", alias = "model", value_name = "JUDGE", conflicts_with = "endpoint")]
    name: Option<String>,
    /// The base URL of the chat model, such as http://127.0.0.1:8000/v1
    #[arg(long = "judge-url", value_name = "URL", requires = "name")]
    url: Option<String>,
}

impl JudgeChoice {
    /// Returns the selected judge, if any.
    pub(crate) fn spec(&self) -> Option<JudgeSpec> {
        let name = self.name.clone()?;
        Some(JudgeSpec { name, url: self.url.clone() })
    }
}

/// Test a judge
#[derive(Debug, Subcommand)]
pub(crate) enum Judge {
    Try(TryJudge),
}

/// Test a judge on three statements with known verdicts
///
/// One statement is true, one is false, and one is unsupported. Prints the verdicts, the duration and the cost. Exits
/// with status 0 if all verdicts are correct, otherwise with 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar judge try --judge ollama:qwen3:8b
  gsar judge try --judge openai-compatible:llama \\
      --judge-url http://127.0.0.1:8000/v1")]
pub(crate) struct TryJudge {
    #[command(flatten)]
    pub(crate) judge: JudgeChoice,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
