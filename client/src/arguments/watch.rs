//! This module defines the arguments of `gsar watch`. It reads no directory.

use super::policy_name::PolicyName;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::{Connection, Stream};

/// The shortest and the longest time between two looks.
const EVERY: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(3600));

/// Evaluate reports as they are written into a directory
///
/// Reports are files that end in .md, .markdown or .txt, with the evidence of --evidence; files that end in .json or
/// .jsonl are whole requests, as those of gsar evaluate --request. Subdirectories and hidden files are left out.
///
/// The directory is looked at again and again, which works on network file systems as well. A file is evaluated once
/// it is the same in two looks, and again when its content changes. What cannot be read by then is looked at a few
/// times more and then reported. The watch goes on; Ctrl-C ends it with status 0 and says what came of the reports.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar watch reports/ --evidence evidence/
  gsar watch requests/ --existing --format json | jq -r .file
  gsar watch reports/ --evidence evidence/ --once")]
pub(crate) struct Watch {
    /// The directory that reports are written into
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
    /// A file of evidence of the reports, or a directory with everything below it; may be given several times, and is
    /// read again for each report
    #[arg(long, short, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) evidence: Vec<PathBuf>,
    /// A corpus of stored evidence that counts as well; see gsar evidence
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// The policy to decide reports by; without it the server's default
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Evaluate the files that are there already, too
    #[arg(long)]
    pub(crate) existing: bool,
    /// Evaluate the files that are there and end, with the exit status of gsar evaluate
    #[arg(long, conflicts_with = "existing")]
    pub(crate) once: bool,
    /// The time between two looks, such as 500ms, 1s or 2m
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    pub(crate) every: Duration,
    /// How to print; without it human at a terminal, else lines
    #[arg(long, short, visible_alias = "format", value_enum)]
    pub(crate) output: Option<Stream>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// A length of time with its unit, from 10 ms to an hour.
fn time(text: &str) -> Result<Duration, String> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    let unit = match unit {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let time = number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit));
    let Some(time) = time.map(Duration::from_millis) else {
        return Err(
            "it is no length of time; give a number with ms, s or m, such as 500ms".to_owned()
        );
    };
    if time < EVERY.0 || time > EVERY.1 {
        return Err("it is out of bounds; give a time from 10ms to 60m".to_owned());
    }
    Ok(time)
}
