//! The command line.

mod check;
mod connection;
mod drive;
mod evaluate;
mod evidence;
mod format;
mod graph;
mod judge;
mod ledger;
mod policy_name;
mod watch;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

pub(crate) use check::Check;
pub(crate) use connection::Connection;
pub(crate) use drive::Drive;
pub(crate) use evaluate::{Evaluate, Explain};
pub(crate) use evidence::{Evidence, Method, Search};
pub(crate) use format::{Format, Stream};
pub(crate) use graph::{Graph, GraphFormat};
pub(crate) use judge::{Judge, JudgeChoice, TryJudge};
pub(crate) use ledger::{Export, FileFormat, Grade, Kind, Ledger, Rescore};
pub(crate) use watch::Watch;

use policy_name::PolicyName;

const AFTER_HELP: &str = "\
Exit status:
  0   success; for evaluate, the report may be sent (proceed)
  10  regenerate: rewrite the report from the same evidence
  11  replan: investigate again
  12  abstain: no decision is possible; gather more evidence
  1   an error occurred, or a judge failed
  2   invalid usage or configuration, or unreadable input
  For several reports, gsar exits with the most severe status, in this order:
  1, 12, 11, 10, 0.

Server:
  The server given with --endpoint, or else GSAR_ENDPOINT, or else the server on
  the default socket ($XDG_RUNTIME_DIR/gsar/gsar.sock, /run/gsar/gsar.sock), or
  else a temporary server. gsar starts the temporary server for this command,
  from the gsar-server binary next to gsar.";

const LICENCE: &str = concat!(env!("CARGO_PKG_VERSION"), "\nlicence: Apache-2.0");

/// Decide whether incident reports are grounded in their evidence
///
/// GSAR checks each claim of a report against the evidence, scores the grounding of the report, and decides: proceed,
/// regenerate, replan or abstain.
#[derive(Debug, Parser)]
#[command(name = "gsar", version, long_version = LICENCE, max_term_width = 80, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Evaluate(Evaluate),
    Watch(Watch),
    Explain(Explain),
    Check(Check),
    Drive(Drive),
    #[command(subcommand)]
    Graph(Graph),
    Score(Score),
    Gate(Gate),
    Cap(Cap),
    #[command(subcommand)]
    Policy(Policy),
    #[command(subcommand)]
    Evidence(Evidence),
    Search(Search),
    #[command(subcommand)]
    Ledger(Ledger),
    Open(Open),
    #[command(subcommand)]
    Judge(Judge),
    Health(Health),
    Doctor(Doctor),
    Completions(Completions),
    #[command(hide = true)]
    Man(Man),
}

/// Open the console in a browser
///
/// The server must run with gateway.address set and gateway.console = true.
#[derive(Debug, Args)]
pub(crate) struct Open {
    /// The evaluation to show [default: the list of evaluations]
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// The URL of the console
    #[arg(long, value_name = "URL", env = "GSAR_CONSOLE", hide_env_values = true, default_value = "http://127.0.0.1:4319/console/", value_hint = ValueHint::Url)]
    pub(crate) console: String,
    /// Print the URL without opening it
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Text for a terminal
    Human,
    /// The response message, one JSON document per line
    Json,
}

/// The output format of a response, and the server that sends it.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Class {
    /// Supported by the evidence
    Grounded,
    /// Not supported by any evidence
    Ungrounded,
    /// Refuted by the evidence
    Contradicted,
    /// An additional perspective that does not conflict with the evidence
    Complementary,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Supported by the evidence
    Grounded,
    /// Not supported by any evidence
    Ungrounded,
    /// Refuted by the evidence
    Contradicted,
    /// An additional perspective that does not conflict with the evidence
    Complementary,
    /// Not decided by any judge
    Undecided,
}

/// Score partitions without a judge, one per line
///
/// Reads lines such as
///   {"id": 7, "grounded": ["tool_match"], "ungrounded": [],
///    "contradicted": ["domain"], "complementary": [], "policy": "paper"}
/// and prints a result for each, such as
///   {"id": 7, "score": 0.7692307692307693, "num": 10, "den": 13,
///    "decision": "regenerate"}
///
/// A line can override policy values: rho, tau_proceed, tau_regenerate, and
/// weights by evidence type. For an invalid line, the result is {"line": N,
/// "error": "..."}; the run continues, and its exit status is 1. Blank lines
/// are skipped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Score {
    /// The file to score; standard input if omitted or -
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The policy for lines that do not name one
    #[arg(
        long,
        short,
        value_name = "NAME",
        default_value = "reference",
        conflicts_with = "request",
        value_parser = PolicyName,
        hide_possible_values = true
    )]
    pub(crate) policy: String,
    /// Score locally, with presets only
    #[arg(long, conflicts_with_all = ["request", "endpoint", "data_dir", "tls_ca", "tls_certificate", "tls_key"])]
    pub(crate) offline: bool,
    /// Read ScoreRequest messages from FILE, as JSON documents; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "file", value_hint = ValueHint::FilePath)]
    pub(crate) request: Option<PathBuf>,
    /// The output format for --request
    #[arg(long, short, value_enum, default_value_t = Output::Human, requires = "request")]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Decide whether an investigation may end
///
/// Reads gate inputs as JSON: the hypotheses with their evidence, the number of turns, and the elapsed time.
#[derive(Debug, Args)]
pub(crate) struct Gate {
    /// The gate inputs; standard input if omitted or -
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    #[command(flatten)]
    pub(crate) call: Call,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strength {
    /// Hard evidence and a change
    Grounded,
    /// Either hard evidence or a change
    PartiallyGrounded,
    /// Neither hard evidence nor a change
    Ungrounded,
}

/// Cap a self-rated confidence according to its evidence
#[derive(Debug, Args)]
pub(crate) struct Cap {
    /// The self-rated confidence, from 0 to 1
    #[arg(value_name = "CONFIDENCE", value_parser = parse_decimal)]
    pub(crate) confidence: f64,
    /// The grounding of the evidence chain
    #[arg(long, value_enum)]
    pub(crate) strength: Strength,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    #[command(flatten)]
    pub(crate) call: Call,
}

/// Show, check and compare policies
///
/// Presets and files do not require a server.
#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// List the available policies
    ///
    /// Lists the policies of a running server, or the presets if no server is running.
    List {
        #[command(flatten)]
        call: Call,
    },
    /// Print a policy in TOML
    Show {
        /// A preset, a file, or a policy of a running server
        #[arg(value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
        name: String,
        #[command(flatten)]
        connection: Connection,
    },
    /// Check policy files and report every problem
    Check {
        /// The policy files; - for standard input
        #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Show the differences between two policies
    Diff {
        /// A preset, a file, or a policy of a running server
        #[arg(value_name = "A", value_parser = PolicyName, hide_possible_values = true)]
        before: String,
        /// The policy to compare A with
        #[arg(value_name = "B", value_parser = PolicyName, hide_possible_values = true)]
        after: String,
        #[command(flatten)]
        connection: Connection,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// The report may be sent
    Proceed,
    /// Rewrite the report
    Regenerate,
    /// Investigate again
    Replan,
    /// No decision is possible
    Abstain,
}

/// Check whether a running server accepts calls
///
/// Intended for health probes: exits with status 0 if the server is serving and 1 otherwise. Never starts a server.
#[derive(Debug, Args)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Diagnose the installation and the server
///
/// Checks the binaries, the server, its judges and its storage, and suggests fixes.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Generate shell completions
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to generate completions for
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Generate the manual pages
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The output directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

fn parse_decimal(literal: &str) -> Result<f64, String> {
    use gsar_core::fixed_point::Millionths;
    let value: Millionths =
        literal.parse().map_err(|error| format!("{error}; expected a number such as 0.85"))?;
    if value > Millionths::ONE {
        return Err("above 1; expected a number from 0 to 1".to_owned());
    }
    Ok(value.to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn command_definition_is_valid() {
        Arguments::command().debug_assert();
    }

    fn help(path: &[&str]) -> String {
        let mut command = Arguments::command();
        command.build();
        let mut subcommand = &mut command;
        for name in path {
            subcommand = subcommand.find_subcommand_mut(name).unwrap();
        }
        subcommand.clone().term_width(80).render_long_help().to_string()
    }

    #[test]
    fn help_texts_match_their_snapshots() {
        for path in [
            &[][..],
            &["evaluate"],
            &["watch"],
            &["explain"],
            &["check"],
            &["drive"],
            &["score"],
            &["gate"],
            &["cap"],
            &["policy"],
            &["policy", "list"],
            &["policy", "show"],
            &["policy", "check"],
            &["policy", "diff"],
            &["evidence"],
            &["evidence", "put"],
            &["evidence", "get"],
            &["evidence", "list"],
            &["evidence", "delete"],
            &["search"],
            &["ledger"],
            &["ledger", "list"],
            &["ledger", "show"],
            &["ledger", "delete"],
            &["ledger", "rescore"],
            &["ledger", "grade"],
            &["ledger", "export"],
            &["open"],
            &["health"],
            &["doctor"],
        ] {
            let name = ["help"].iter().chain(path).copied().collect::<Vec<_>>().join("_");
            insta::assert_snapshot!(name, help(path));
        }
    }

    #[test]
    fn formats_usage_errors() {
        let error = |line: &str| {
            Arguments::try_parse_from(line.split(' ')).unwrap_err().render().to_string()
        };
        insta::assert_snapshot!(
            [
                "gsar evaluate",
                "gsar evaluate report.md --confidence 1.5",
                "gsar evaluate report.md --confidence 0.1234567",
                "gsar evaluate report.md --only grounded,wrong",
                "gsar evaluate report.md --request r.json",
                "gsar evaluate report.md --output json --format junit",
                "gsar evaluate report.md --format xml",
                "gsar watch",
                "gsar watch reports --every 10",
                "gsar watch reports --every 2h",
                "gsar watch reports --format junit",
                "gsar score --offline --endpoint grpc://a:1",
                "gsar cap 0.9",
                "gsar cap high --strength grounded",
                "gsar ledger list --data-dir d --endpoint grpc://a:1",
                "gsar ledger show e1 --html --output json",
                "gsar ledger grade e1 --grader ada",
                "gsar ledger grade e1 --grader ada --claim c1 --as right",
                "gsar ledger grade e1 --grader ada --claim c1 --tier replan",
                "gsar ledger export",
                "gsar ledger export --kind grades --from yesterday",
                "gsar evalute report.md",
            ]
            .map(|line| format!("$ {line}\n{}", error(line)))
            .join("\n")
        );
    }
}
