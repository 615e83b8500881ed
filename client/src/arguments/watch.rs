//! The arguments of `gsar watch`.

use super::policy_name::PolicyName;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::{Connection, Stream};

const INTERVAL_RANGE: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(3600));

/// Evaluate reports as they are written to a directory
///
/// Files ending in .md, .markdown or .txt are reports; they are evaluated with the evidence given with --evidence.
/// Files ending in .json or .jsonl contain EvaluateRequest messages. Subdirectories and hidden files are ignored.
///
/// The directory is polled, which works on network file systems too. A file is evaluated once it has not changed
/// between two polls, and again whenever its content changes. A file that cannot be parsed is retried a few times, then
/// reported. On Ctrl-C, gsar watch prints a summary and exits with status 0.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar watch reports/ --evidence evidence/
  gsar watch requests/ --existing --format json | jq -r .file
  gsar watch reports/ --evidence evidence/ --once")]
pub(crate) struct Watch {
    /// The directory to watch
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
    /// A file or directory of evidence, reloaded for each report; may be repeated
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) evidence: Vec<PathBuf>,
    /// A corpus of stored evidence to add; see gsar evidence
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Also evaluate existing files
    #[arg(long)]
    pub(crate) existing: bool,
    /// Evaluate the existing files, then exit with the same status as gsar evaluate
    #[arg(long, conflicts_with = "existing")]
    pub(crate) once: bool,
    /// The polling interval, such as 500ms, 1s or 2m
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_interval)]
    pub(crate) every: Duration,
    /// The output format [default: human on a terminal, otherwise lines]
    #[arg(long, short, visible_alias = "format", value_enum)]
    pub(crate) output: Option<Stream>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    let unit = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let interval = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    let Some(interval) = interval.map(Duration::from_millis) else {
        return Err(
            "invalid duration; expected a number followed by ms, s or m, such as 500ms".to_owned()
        );
    };
    if interval < INTERVAL_RANGE.0 || interval > INTERVAL_RANGE.1 {
        return Err("out of range; expected 10ms to 60m".to_owned());
    }
    Ok(interval)
}
