//! The arguments of `gsar judge`.

use clap::{Args, Subcommand};

use super::Connection;

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
    pub(crate) connection: Connection,
}
