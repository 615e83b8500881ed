//! The arguments of `gsar drive`.

use super::policy_name::PolicyName;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use jiff::Timestamp;

use super::Call;

/// Run an investigation with an external orchestrator
///
/// Starts COMMAND and exchanges JSON documents with it, one per line. COMMAND reads the state of the investigation from
/// standard input. The state contains an `instruction`: synthesize, regenerate, replan, gatherEvidence or finished.
/// COMMAND responds on standard output with {"turn": ...} (tool results), {"report": {"report": {"synthesis": ...}}} or
/// {"cancel": {}}; it leaves out the id and the step. After the instruction `finished`, standard input is closed.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 if the report may be sent, 11 if the investigation ended
degraded, 1 if an error occurred.

Examples:
  gsar drive --id inc-7 -- python3 orchestrator.py
  gsar drive --graph graph.json --explore -- ./investigate
  gsar drive --wall-clock 300 --judge-calls 12 -- ./investigate")]
pub(crate) struct Drive {
    /// The orchestrator and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub(crate) command: Vec<String>,
    /// The id of the investigation, which is resumed if it exists [default: a new id]
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The corpus of the investigation [default: a new one]
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// The dependency graph to explore for the root cause, as a Graph message in JSON
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) graph: Option<PathBuf>,
    /// Let the chat model in judges.look classify the entities of the graph
    ///
    /// The model looks at each due entity before COMMAND is asked to respond. Entities that no stored evidence mentions
    /// stay due, so that COMMAND can look at them.
    #[arg(long, requires = "graph")]
    pub(crate) explore: bool,
    /// The check declarations, in the format that gsar check reads
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) checks: Option<PathBuf>,
    /// The number of samples per chat model, 1 to 10; the majority decides [default: the server's]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) samples: Option<u32>,
    /// The maximum number of chat model calls
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) judge_calls: Option<u32>,
    /// The maximum number of input and output tokens of chat models
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) tokens: Option<u64>,
    /// The maximum cost of chat models, in millionths of a dollar
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) cost_micros: Option<u64>,
    /// The maximum duration, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    wall_clock: Option<u32>,
    /// The start of the incident, such as 2026-03-12T14:02:00Z
    ///
    /// Without an onset, no change is ever cited, so a root cause is at most partially grounded.
    #[arg(long, value_name = "TIME")]
    pub(crate) onset: Option<Timestamp>,
    /// The length of the period before the onset in which a change may have caused the incident, in seconds
    #[arg(long, value_name = "SECONDS", requires = "onset", default_value_t = 3_600, value_parser = clap::value_parser!(u32).range(1..))]
    changes_within: u32,
    #[command(flatten)]
    pub(crate) call: Call,
}

impl Drive {
    pub(crate) fn wall_clock(&self) -> Option<Duration> {
        self.wall_clock.map(|seconds| Duration::from_secs(seconds.into()))
    }

    /// Returns the time window for changes, which ends at the onset.
    pub(crate) fn onset_window(&self) -> Option<(Timestamp, Timestamp)> {
        let onset = self.onset?;
        let start = onset.checked_sub(Duration::from_secs(self.changes_within.into())).ok()?;
        Some((start, onset))
    }
}
