//! The arguments of `gsar evaluate` and `gsar explain`.

use super::policy_name::PolicyName;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Connection, Format, JudgeChoice, Only, Output, decimal};

/// Decide whether a report may go out
///
/// REPORT is text or Markdown, or - for standard input. Evidence are files or directories: JSON, logs,
/// tables, text. A directory with an evidence.toml says itself what its files are; otherwise that is
/// recognised from their content and names.
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
    /// A file of evidence, or a directory with everything below it; may be given several times
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) evidence: Vec<PathBuf>,
    /// A corpus of stored evidence that counts as well; see gsar evidence
    #[arg(long, value_name = "CORPUS", conflicts_with = "request")]
    pub(crate) corpus: Option<String>,
    /// Samples per chat model, 1 to 10; majority wins [default: the server's]
    #[arg(long, value_name = "NUMBER", conflicts_with = "request", value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) samples: Option<u32>,
    /// The policy to decide by; without it the server's default
    #[arg(long, short, value_name = "NAME", conflicts_with = "request", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The report's name; without it the file's
    #[arg(long, value_name = "NAME", conflicts_with = "request")]
    pub(crate) id: Option<String>,
    /// The report's claims, one JSON object per line: {"id": "c1", "text": "..."}
    ///
    /// Without it the judge splits the report into claims.
    #[arg(long, value_name = "FILE", conflicts_with = "request", value_hint = ValueHint::FilePath)]
    pub(crate) claims: Option<PathBuf>,
    /// The investigation behind the report: gate inputs as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "request", value_hint = ValueHint::FilePath)]
    pub(crate) gate: Option<PathBuf>,
    /// The writer's own confidence, 0 to 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "request", value_parser = decimal)]
    pub(crate) confidence: Option<f64>,
    /// Show everything behind the claims, or behind one, and what would change the decision
    #[arg(long, value_name = "CLAIM", num_args = 0..=1, default_missing_value = "")]
    pub(crate) explain: Option<String>,
    /// Show only claims of these classes
    #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_enum)]
    pub(crate) only: Vec<Only>,
    /// Whole requests instead: one EvaluateRequest as JSON, or one per line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["reports", "evidence"], value_hint = ValueHint::FilePath)]
    pub(crate) request: Option<PathBuf>,
    /// The output format
    #[arg(long, short, visible_alias = "format", value_enum, default_value_t = Format::Human)]
    pub(crate) output: Format,
    /// With --output junit: ungrounded claims fail even if the report may proceed
    #[arg(long)]
    pub(crate) strict: bool,
    /// With --output junit or markdown: leave secrets and personal data in the document
    ///
    /// Without it they are replaced as for chat models. The record keeps the original either way.
    #[arg(long)]
    pub(crate) unredacted: bool,
    #[command(flatten)]
    pub(crate) judge: JudgeChoice,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Show how a statement is read, what decides it, and what was weighed
///
/// Judges statements as a report would make them, one after the other, and shows for each what the judge
/// looked for, the evidence that decided, and the places that came close.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar explain 'Pod checkout-1 restarted 4 times' --evidence evidence/
  gsar explain 'It was OOMKilled' 'No eviction was recorded' --evidence pods.json --evidence events.txt")]
pub(crate) struct Explain {
    /// The statements; a later one may refer to what an earlier one names
    #[arg(value_name = "STATEMENT", required = true)]
    pub(crate) statements: Vec<String>,
    /// A file of evidence, or a directory with everything below it; may be given several times
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
