//! The arguments of `gsar drive`.

use super::policy_name::PolicyName;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::{Connection, Output};

/// Run an investigation with an external orchestrator
///
/// Starts COMMAND and exchanges one JSON document per line with it. Its standard input receives the investigation,
/// whose `instruction` is one of synthesize, regenerate, replan, gatherEvidence and finished. It answers on standard
/// output with {"turn": ...} (tool results), {"report": {"report": {"synthesis": ...}}} or {"cancel": {}}; the id and
/// the step are filled in. Its standard input is closed after finished.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 if the report may be sent, 11 if the investigation ends degraded,
1 on an error.

Examples:
  gsar drive --id inc-7 -- python3 orchestrator.py
  gsar drive --wall-clock 300 --judge-calls 12 -- ./investigate")]
pub(crate) struct Drive {
    /// The orchestrator and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<String>,
    /// The investigation; an existing one is resumed [default: a new id]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The policy to decide by [default: the server's]
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The corpus of the investigation [default: a new one]
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// The dependency graph to explore for the root cause, a Graph message as JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) graph: Option<PathBuf>,
    /// The checks of the investigation, in the format of gsar check
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checks: Option<PathBuf>,
    /// The maximum number of chat model calls
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) judge_calls: Option<u32>,
    /// The maximum number of chat model tokens, input and output
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tokens: Option<u64>,
    /// The maximum duration, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    wall_clock: Option<u32>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

impl Drive {
    /// Returns the maximum duration.
    pub(crate) fn wall_clock(&self) -> Option<Duration> {
        self.wall_clock.map(|seconds| Duration::from_secs(seconds.into()))
    }
}
