//! The command line: every command, flag and help text.

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
  0   done; of evaluate: proceed
  10  regenerate: rewrite the report from the same evidence
  11  replan: investigate again
  12  abstain: nothing can be said, gather more evidence first
  1   an error, or a judge that failed
  2   wrong usage or configuration, or input that cannot be read
  Of several reports the most severe counts: 1, 12, 11, 10, 0.

Which server is asked:
  --endpoint, else GSAR_ENDPOINT, else the default socket ($XDG_RUNTIME_DIR/gsar/gsar.sock,
  /run/gsar/gsar.sock), else the gsar-server installed beside gsar, started for this one call.";

/// The version, with what may be done with the program.
const LICENCE: &str = concat!(env!("CARGO_PKG_VERSION"), "\nlicence: Apache-2.0");

/// May this incident report go out?
///
/// GSAR checks each claim of a report against the evidence, scores what is grounded, and says proceed,
/// regenerate, replan or abstain.
#[derive(Debug, Parser)]
#[command(name = "gsar", version, long_version = LICENCE, max_term_width = 100, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
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

/// Open the console in the browser, at an evaluation
///
/// A server has one with gateway.address and gateway.console = true.
#[derive(Debug, Args)]
pub(crate) struct Open {
    /// The evaluation's id; without it the list of them
    #[arg(value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Where the console is
    #[arg(long, value_name = "URL", env = "GSAR_CONSOLE", hide_env_values = true, default_value = "http://127.0.0.1:4319/console/", value_hint = ValueHint::Url)]
    pub(crate) console: String,
    /// Print the address and open nothing
    #[arg(long)]
    pub(crate) print: bool,
}

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    Human,
    /// The answer of the wire, one JSON document per line
    Json,
}

/// A class of the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Class {
    /// The evidence shows it
    Grounded,
    /// Nothing shows it
    Ungrounded,
    /// The evidence shows otherwise
    Contradicted,
    /// A further perspective
    Complementary,
}

/// Which claims are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// The evidence shows it
    Grounded,
    /// Nothing shows it
    Ungrounded,
    /// The evidence shows otherwise
    Contradicted,
    /// A further perspective
    Complementary,
    /// No judge decided it
    Undecided,
}

/// Decide partitions without a judge, one per line
///
/// Reads lines such as
///   {"id": 7, "grounded": ["tool_match"], "ungrounded": [], "contradicted": ["domain"],
///    "complementary": [], "policy": "paper"}
/// and answers each in its place with
///   {"id": 7, "score": 0.7692307692307693, "num": 10, "den": 13, "decision": "regenerate"}
///
/// A line may replace values of its policy: rho, tau_proceed, tau_regenerate, and weights by
/// evidence type. A line that cannot be decided is answered with {"line": N, "error": "..."};
/// the run goes on and ends with status 1. Blank lines are skipped.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Score {
    /// The lines; without it or with - standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The policy of lines that name none
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
    /// Decide here, by the presets, without any server
    #[arg(long, conflicts_with_all = ["request", "endpoint", "data_dir", "tls_ca", "tls_certificate", "tls_key"])]
    pub(crate) offline: bool,
    /// Whole requests instead: one ScoreRequest as JSON, or one per line; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "file", value_hint = ValueHint::FilePath)]
    pub(crate) request: Option<PathBuf>,
    /// How to print the answers to --request
    #[arg(long, short, value_enum, default_value_t = Output::Human, requires = "request")]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Decide whether an investigation may end
///
/// Reads gate inputs as JSON: hypotheses with their evidence, turns used, elapsed time.
#[derive(Debug, Args)]
pub(crate) struct Gate {
    /// The gate inputs; without it or with - standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The policy to decide by; without it the server's default
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// How well an evidence chain is grounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strength {
    /// Hard evidence and a change
    Grounded,
    /// One of the two
    #[value(alias = "partial", alias = "partially_grounded")]
    PartiallyGrounded,
    /// Neither
    Ungrounded,
}

/// Lower a self-rated confidence to what its evidence carries
#[derive(Debug, Args)]
pub(crate) struct Cap {
    /// The self-rated confidence, 0 to 1
    #[arg(value_name = "CONFIDENCE", value_parser = decimal)]
    pub(crate) confidence: f64,
    /// How well the evidence chain is grounded
    #[arg(long, value_enum)]
    pub(crate) strength: Strength,
    /// The policy to decide by; without it the server's default
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Show, check and compare policies
///
/// Presets and files are read without a server.
#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// List the policies that a report may be decided by
    ///
    /// Asks a running server; where there is none, lists the presets.
    List {
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Print a policy as a file
    Show {
        /// A preset, a file, or a policy of a running server
        #[arg(value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
        name: String,
        #[command(flatten)]
        connection: Connection,
    },
    /// Report every problem of policy files
    Check {
        /// The files; - for standard input
        #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
        files: Vec<PathBuf>,
    },
    /// Show what differs between two policies
    Diff {
        /// A preset, a file, or a policy of a running server
        #[arg(value_name = "A", value_parser = PolicyName, hide_possible_values = true)]
        before: String,
        /// The other one
        #[arg(value_name = "B", value_parser = PolicyName, hide_possible_values = true)]
        after: String,
        #[command(flatten)]
        connection: Connection,
    },
}

/// A decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    /// May go out
    Proceed,
    /// Rewrite
    Regenerate,
    /// Investigate again
    Replan,
    /// Nothing can be said
    Abstain,
}

/// Ask a server that runs whether it takes calls
///
/// Ends with status 0 where it does and with 1 where it does not, for probes. Starts none.
#[derive(Debug, Args)]
pub(crate) struct Health {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Check that everything is in place
///
/// Looks for the server and asks it how it is; says how to fix what is not as it should be.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Print completions for a shell
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Write the manual pages
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The directory to write them into
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}

/// A decimal from 0 to 1 of at most six places, read from its literal.
fn decimal(literal: &str) -> Result<f64, String> {
    use gsar_core::fixed::Millionths;
    let value: Millionths =
        literal.parse().map_err(|error| format!("it {error}; give a number such as 0.85"))?;
    if value > Millionths::ONE {
        return Err("it is above 1; give a number from 0 to 1".to_owned());
    }
    Ok(value.to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        Arguments::command().debug_assert();
    }

    fn help(path: &[&str]) -> String {
        let mut command = Arguments::command();
        command.build();
        let mut found = &mut command;
        for name in path {
            found = found.find_subcommand_mut(name).unwrap();
        }
        found.clone().term_width(100).render_long_help().to_string()
    }

    #[test]
    fn help_texts() {
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
    fn mistakes_are_explained() {
        let complaint = |line: &str| {
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
            .map(|line| format!("$ {line}\n{}", complaint(line)))
            .join("\n")
        );
    }
}
