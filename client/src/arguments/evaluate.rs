//! The arguments of `gsar evaluate` and `gsar explain`.

use super::policy_name::PolicyName;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Connection, Format, JudgeChoice, Only, Output, parse_decimal};

/// Decide whether a report may be sent
///
/// REPORT is text or Markdown. Evidence is JSON, logs, tables or text, in files or directories. The kind of a file is
/// detected from its content and name, unless an evidence.toml file in its directory states the kind.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar evaluate report.md --evidence evidence/
  gsar evaluate report.md --evidence pods.json --evidence app.log --explain c4
  agent | gsar evaluate - --evidence evidence/ --policy strict --output json
  gsar evaluate reports/*.md --evidence evidence/ --format junit > gsar.xml")]
pub(crate) struct Evaluate {
    /// The reports; - for standard input
    #[arg(value_name = "REPORT", required_unless_present = "request", value_hint = ValueHint::FilePath)]
    pub(crate) reports: Vec<PathBuf>,
    /// A file or directory of evidence; may be repeated
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) evidence: Vec<PathBuf>,
    /// A corpus of stored evidence to add; see gsar evidence
    #[arg(long, value_name = "CORPUS", conflicts_with = "request")]
    pub(crate) corpus: Option<String>,
    /// The number of samples per chat model, 1 to 10; the majority decides [default: the server's]
    #[arg(long, value_name = "NUMBER", conflicts_with = "request", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) samples: Option<u32>,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", conflicts_with = "request", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The name of the report [default: its file name]
    #[arg(long, value_name = "NAME", conflicts_with = "request")]
    pub(crate) id: Option<String>,
    /// The claims of the report, one JSON object per line: {"id": "c1", "text": "..."}
    ///
    /// By default, the server splits the report into claims.
    #[arg(long, value_name = "FILE", conflicts_with = "request", value_hint = ValueHint::FilePath)]
    pub(crate) claims: Option<PathBuf>,
    /// The gate inputs of the investigation, as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "request", value_hint = ValueHint::FilePath)]
    pub(crate) gate: Option<PathBuf>,
    /// The writer's confidence in the report, from 0 to 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "request", value_parser = parse_decimal)]
    pub(crate) confidence: Option<f64>,
    /// Show the full reasoning for all claims, or for CLAIM, and what would change the decision
    #[arg(long, value_name = "CLAIM", num_args = 0..=1, default_missing_value = "")]
    pub(crate) explain: Option<String>,
    /// Show only claims of these classes, separated by commas
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<Only>,
    /// Read EvaluateRequest messages from FILE, as JSON documents; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reports", "evidence"], value_hint = ValueHint::FilePath)]
    pub(crate) request: Option<PathBuf>,
    /// The output format
    #[arg(long, short, visible_alias = "format", value_enum, default_value_t = Format::Human)]
    pub(crate) output: Format,
    /// With --output junit: report ungrounded claims as failures even if the report may proceed
    #[arg(long)]
    pub(crate) strict: bool,
    /// With --output junit or markdown: keep secrets and personal data
    ///
    /// By default, they are replaced with placeholders. The server always records the original text.
    #[arg(long)]
    pub(crate) unredacted: bool,
    #[command(flatten)]
    pub(crate) judge: JudgeChoice,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Show how statements are judged
///
/// Judges each statement as if it were a claim in a report. Shows the parsed statement, the deciding evidence, and near
/// misses.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar explain 'Pod checkout-1 restarted 4 times' --evidence evidence/
  gsar explain 'It was OOMKilled' --evidence pods.json --evidence events.txt")]
pub(crate) struct Explain {
    /// The statements; a statement can refer to previous ones
    #[arg(value_name = "STATEMENT", required = true)]
    pub(crate) statements: Vec<String>,
    /// A file or directory of evidence; may be repeated
    #[arg(long, short, value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) evidence: Vec<PathBuf>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) judge: JudgeChoice,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
