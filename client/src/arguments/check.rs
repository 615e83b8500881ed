//! The arguments of `gsar check`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Connection, Output};

/// Run declared checks and record the results as evidence
///
/// FILE declares checks in TOML, each as a "check" table with a name, a command (a list of strings) and a pass
/// condition: pass.exit_status (default 0), pass.contains and pass.lacks. A check that passed can support the claim
/// that an incident is fixed.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 if all checks passed, 1 if one failed, 2 if one could not be
started.

Examples:
  gsar check checks.toml
  gsar check checks.toml cart-serves --corpus inc-7
  gsar check checks.toml --save evidence/
  gsar check checks.toml -- podman run --rm --network none \\
    -v .:/w -w /w python:3.12")]
pub(crate) struct Check {
    /// The check declarations, in TOML; - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The checks to run [default: all in FILE]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// The working directory [default: the current one]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Store the results in this corpus
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// Write the results to this directory, as evidence files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) save: Option<PathBuf>,
    /// The output format; json prints one EvidenceItem per check
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// A sandbox command, to which each check's command is appended
    #[arg(value_name = "SANDBOX", last = true)]
    pub(crate) sandbox: Vec<String>,
}
