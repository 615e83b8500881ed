//! The arguments of the command that runs declared checks.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{Connection, Output};

/// Run declared checks, and keep how they ended as evidence
///
/// FILE declares checks, each as a table of the list check: a name, a command line as a list, and when it has passed
/// (pass.exit_status, 0 where not given, pass.contains, pass.lacks). What a report says was fixed rests on
/// such a run: its result follows from the declaration.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 where every check passed, 1 where one failed, 2 where one cannot be started.

Examples:
  gsar check checks.toml
  gsar check checks.toml cart-serves --corpus inc-7
  gsar check checks.toml --save evidence/ && gsar evaluate report.md --evidence evidence/
  gsar check checks.toml --directory service/ -- podman run --rm --network none -v .:/w -w /w python:3.12")]
pub(crate) struct Check {
    /// The declarations, as TOML; - for standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The checks to run; without it all of the file
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Where to run them; without it here
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Store how they ended in a corpus
    #[arg(long, value_name = "CORPUS")]
    pub(crate) corpus: Option<String>,
    /// Write how they ended as files of evidence
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) save: Option<PathBuf>,
    /// How to print: as json, an EvidenceItem of the contract for each
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
    /// A command line that runs another one in a sandbox; each check's follows it
    #[arg(value_name = "SANDBOX", last = true)]
    pub(crate) sandbox: Vec<String>,
}
