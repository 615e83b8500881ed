//! The arguments of the command that drives an investigation.

use super::policy_name::PolicyName;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::{Connection, Output};

/// Drive an orchestrator through evaluate, rewrite and replan
///
/// COMMAND is started and given on its standard input, one JSON document per line, where the investigation stands and what
/// is due: `instruction` has one of synthesize, regenerate, replan, gatherEvidence and finished. It answers on its
/// standard output, one JSON document per line: {"turn": ...} with what its tools returned, {"report": {"report":
/// {"synthesis": ...}}}, or {"cancel": {}}. Steps and the id are filled in. After finished its standard input is closed.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 where a report may go out, 11 where the investigation ends degraded, 1 on an error.

Examples:
  gsar drive --id inc-7 -- python3 orchestrator.py
  gsar drive --wall-clock 300 --judge-calls 12 --data-dir records -- ./investigate")]
pub(crate) struct Drive {
    /// The orchestrator, and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<String>,
    /// The investigation; one that is known goes on where it stood. Without it a new one
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The policy to decide by; without it the server's default
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// A corpus of stored evidence; without it one of the investigation's own
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// A graph of entities to explore for where the fault began: a Graph of the contract as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) graph: Option<PathBuf>,
    /// Checks that are declared for it, as gsar check reads them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checks: Option<PathBuf>,
    /// How many answers of chat models may be asked for
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) judge_calls: Option<u32>,
    /// How many tokens chat models may take, prompts and answers together
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tokens: Option<u64>,
    /// How many seconds the investigation may take
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    wall_clock: Option<u32>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

impl Drive {
    /// How long the investigation may take.
    pub(crate) fn wall_clock(&self) -> Option<Duration> {
        self.wall_clock.map(|seconds| Duration::from_secs(seconds.into()))
    }
}
