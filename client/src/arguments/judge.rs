//! The arguments that choose a judge, and those of `gsar judge`.

use clap::{Args, Subcommand};
use gsar_client::connection::ChosenJudge;

use super::Connection;

/// Who judges.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Judge")]
pub(crate) struct JudgeChoice {
    /// Start a server for this one call whose only judge this is: local/1, rules/2, or a chat model
    ///
    /// ollama:qwen3:8b, openai:gpt-4o-mini, anthropic:claude-haiku-4-5, gemini:gemini-2.5-flash, or
    /// openai-compatible:MODEL with --judge-url. Keys come from OPENAI_API_KEY and the like.
    #[arg(long = "judge", alias = "model", value_name = "JUDGE", conflicts_with = "endpoint")]
    name: Option<String>,
    /// The base URL of that chat model, such as http://127.0.0.1:8000/v1
    #[arg(long = "judge-url", value_name = "URL", requires = "name")]
    url: Option<String>,
}

impl JudgeChoice {
    /// The judge that was chosen; `None` for those of the server.
    pub(crate) fn chosen(&self) -> Option<ChosenJudge> {
        let name = self.name.clone()?;
        Some(ChosenJudge { name, url: self.url.clone() })
    }
}

/// See whether a judge will do
#[derive(Debug, Subcommand)]
pub(crate) enum Judge {
    Try(TryJudge),
}

/// Ask the judge about three statements whose verdicts are known
///
/// One is true, one is false, and one nothing supports. Says how each came out, how long it took, and
/// what it cost. The exit status is 0 where the judge will do, else 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar judge try --judge ollama:qwen3:8b
  gsar judge try --judge openai-compatible:llama --judge-url http://127.0.0.1:8000/v1")]
pub(crate) struct TryJudge {
    #[command(flatten)]
    pub(crate) judge: JudgeChoice,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
