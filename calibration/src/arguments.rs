//! The command line of `gsar-calibrate`.

mod chat;
mod manuals;
mod rows;
mod run;
mod traces;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::{Args, Parser, Subcommand, ValueEnum};
use gsar_core::names;

use crate::data_set::Part;
pub(crate) use chat::{ChatArgs, Grade, Write};
pub(crate) use manuals::{Completions, Man};
pub(crate) use rows::RowArgs;
pub(crate) use run::Run;
pub(crate) use traces::{Ablate, Audit, Certify, Compare, Drift, Fit, Graded, Report};

/// Measure the judges of a real server against human labels.
///
/// Prints Markdown. Without --endpoint, the gsar-server next to this program is started for the run.
#[derive(Debug, Parser)]
#[command(name = "gsar-calibrate", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// Server address: unix:///path/to/socket, grpc://host:port or grpcs://host:port. Default:
    /// GSAR_ENDPOINT or, if it is not set, the gsar-server next to this program, which is started for
    /// the run
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) endpoint: Option<String>,
    /// Judge that the server started for the run uses, such as rules/2
    #[arg(long, value_name = "NAME", global = true, conflicts_with = "endpoint")]
    pub(crate) judge: Option<String>,
}

impl ServerArgs {
    /// Fails if a server or judge is chosen for a command or flag that starts its own server.
    pub(crate) fn reject_with(&self, what: &str) -> Result<()> {
        ensure!(
            self.endpoint.is_none() && self.judge.is_none(),
            "--endpoint and --judge cannot be used with {what}, which starts a server whose judge returns stored answers"
        );
        Ok(())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge rows of claims that have gold classes, and write the answers to a trace
    Run(Run),
    /// Print rows in the native format, one JSON object per line, for other evaluators
    Rows(RowArgs),
    /// Use a chat model to grade reports from 1 to 5; the grades serve as scores for `ablate --scores`
    Grade(Grade),
    /// Use a chat model to write a report for each row by restating its claims
    Write(Write),
    /// Build a trace from exported ledger grades
    Graded(Graded),
    /// Compute M1 to M5, the ablations and the baselines from traces
    Ablate(Ablate),
    /// Audit traces before publication: check that each was judged by the judge it names, and that no
    /// trace is a copy of another
    Audit(Audit),
    /// Compare two traces of the same rows
    Compare(Compare),
    /// Detect whether a judge has drifted on a frozen set of rows; the exit status is 1 if it has
    Drift(Drift),
    /// Write an HTML page with tables and figures for audited traces
    Report(Report),
    /// Fit a policy's values to graded reports
    Fit(Fit),
    /// Find the lowest threshold at which graded reports show a small risk of a wrong proceed
    Certify(Certify),
    /// Measure the judge on labelled claims, each in its own call, and on whole reports
    Claims(Claims),
    /// Measure the judge on incidents: on the claims of each report, and on each report without its claims
    Incidents(Incidents),
    /// Measure the judge on mutations: reports in which one true claim is made false or unsupported
    Mutations(Mutations),
    /// Measure how well search finds the evidence for claims
    Retrieval(Retrieval),
    /// Replay stored judgements: count the correct verdicts that verification breaks and the errors
    /// that it stops
    Replay(Replay),
    /// Measure a chat model that takes second looks at stored judgements: count the true statements
    /// that it does not confirm and the false statements that it confirms
    Look(Look),
    /// Drive reports through the whole loop with stored answers and a rewriter that drops faulty claims;
    /// print how many proceed, and when
    Drive(Drive),
    /// Measure recorded investigations: the accuracy of their answers, the decisions of a sidecar, and
    /// the benefit of exploring a graph; the exit status is 1 if they are worse than a baseline
    Investigations(Investigations),
    /// Measure the judge on generated claims with known verdicts: values swapped between neighbours,
    /// absences and roundings
    Generated(Generated),
    /// Write labelled claims with their premises as JSON lines, to train the embedded model
    Premises(Premises),
    /// Print a shell completion script
    Completions(Completions),
    /// Write the man pages of this program
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Premises {
    /// Folders that contain cases.jsonl and claims.jsonl
    #[arg(required_unless_present = "swaps", value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// File that splits the cases into parts. Default: the split.json in each folder or next to it. A
    /// folder with no cases in the default split is read completely
    #[arg(long, value_name = "FILE")]
    pub(crate) split: Option<PathBuf>,
    /// Part of the split to read. Default: tune
    #[arg(long, value_enum)]
    pub(crate) part: Option<ReplayPart>,
    /// Generate swaps instead of reading folders: N pieces of evidence with two claims each
    #[arg(long, value_name = "N", conflicts_with_all = ["folders", "split", "part"])]
    pub(crate) swaps: Option<usize>,
    /// For each case, write at most N mutations of its true claims instead of the claims themselves
    #[arg(long, value_name = "N", conflicts_with = "swaps")]
    pub(crate) mutations: Option<usize>,
    /// Seed for random draws
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Maximum size of a premise in bytes
    #[arg(long, default_value_t = gsar_extraction::passages::MAX_PREMISE, value_name = "N")]
    pub(crate) bytes: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Generated {
    /// Generator to use; may be repeated. Default: all generators
    #[arg(long, value_enum, value_name = "GENERATOR")]
    pub(crate) of: Vec<Generator>,
    /// Seed for random draws
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of claim pairs or, for absences, of single claims
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(crate) count: usize,
    /// Number of mistakes to list with their evidence, per generator
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) list: usize,
    /// Print tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generator {
    /// A value swapped with that of a neighbour
    Swaps,
    /// Claims of absence that the evidence shows, refutes or does not decide
    Absences,
    /// Correct and incorrect roundings of figures
    Rounding,
}

names!(Generator { Swaps => "swaps", Absences => "absences", Rounding => "rounding" });

impl Generator {
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Swaps => "Pairs of a true claim and the same claim with a neighbour's value",
            Self::Absences => "Claims that something is absent",
            Self::Rounding => "Pairs of a true rounding and a false one",
        }
    }

    /// Returns the column heading for the generator's forms.
    pub(crate) const fn groups(self) -> &'static str {
        match self {
            Self::Swaps => "shape",
            Self::Absences => "evidence",
            Self::Rounding => "rounding",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Stored judgements: a judgements.jsonl next to folders of cases, or a folder of cases.jsonl,
    /// claims.jsonl and reports.jsonl whose claims have a class, a type and quotes. A split.json next
    /// to these files assigns the cases to parts
    #[arg(required = true, value_name = "JUDGEMENTS")]
    pub(crate) judgements: Vec<PathBuf>,
    /// Part of the cases to replay
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// Rendering of the evidence; may be repeated. Default: all renderings
    #[arg(long = "as", value_enum, value_name = "RENDERING")]
    pub(crate) renderings: Vec<Rendering>,
    /// Seed for injected errors
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Only verify, in this process: start no server, send no prompts and make no decisions
    #[arg(long)]
    pub(crate) offline: bool,
    /// List every correct verdict that verification breaks (tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Print tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) second_look: SecondLookArgs,
}

/// The model or file that provides second looks. There are none by default.
#[derive(Debug, Default, Args)]
pub(crate) struct SecondLookArgs {
    /// Chat model that takes second looks, as provider:model
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["looks", "offline"])]
    pub(crate) reader: Option<String>,
    /// Server configuration with the model's settings under judges.models
    #[arg(long, value_name = "FILE", requires = "reader")]
    pub(crate) config: Option<PathBuf>,
    /// File of stored second looks, one JSON object per line with statement, quotes, verdict and words
    #[arg(long, value_name = "FILE", conflicts_with = "offline")]
    pub(crate) looks: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Look {
    /// Stored judgements, as for replay
    #[arg(required = true, value_name = "JUDGEMENTS")]
    pub(crate) judgements: Vec<PathBuf>,
    /// Chat model, as provider:model
    #[arg(long, value_name = "MODEL")]
    pub(crate) reader: String,
    /// Server configuration with the model's settings under judges.models
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Part of the cases to use
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// Seed for false statements
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// List every true statement that the model does not confirm (tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Print tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

impl From<Look> for Replay {
    fn from(args: Look) -> Self {
        let Look { judgements, reader, config, part, seed, list, output } = args;
        Self {
            judgements,
            part,
            renderings: vec![Rendering::Json],
            seed,
            offline: false,
            list,
            output,
            second_look: SecondLookArgs { reader: Some(reader), config, looks: None },
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Drive {
    /// Stored judgements, as for replay
    #[arg(required = true, value_name = "JUDGEMENTS")]
    pub(crate) judgements: Vec<PathBuf>,
    /// Part of the cases to drive
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
}

#[derive(Debug, Args)]
pub(crate) struct Investigations {
    /// Recorded investigations, one JSON document per line; gzip-compressed files are detected
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Output of an earlier run with --output json. The exit status is 1 if a compared share has fallen
    /// by more than 0.02, if fewer incidents were measured, or if a decision or an investigation takes
    /// over 30 s longer
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Print tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Table,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayPart {
    Tune,
    Calib,
    Test,
}

names!(ReplayPart { Tune => "tune", Calib => "calib", Test => "test" });

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Rendering {
    /// JSON documents as `json`, everything else as `text`
    Json,
    /// Everything as `text`
    Text,
    /// A line `$ command` followed by the content, as `text`
    Command,
    /// A Model Context Protocol content block whose text is the content, as `json`
    Mcp,
}

names!(Rendering { Json => "json", Text => "text", Command => "command", Mcp => "mcp" });

#[derive(Debug, Args)]
pub(crate) struct Retrieval {
    /// Files of claims with their evidence, one JSON object per line; gzipped if the name ends in .gz
    #[arg(value_name = "FILE", required_unless_present_any = ["incidents", "labelled"])]
    pub(crate) files: Vec<PathBuf>,
    /// Folder of incidents; search for the passages that decide their labelled claims
    #[arg(long, value_name = "FOLDER")]
    pub(crate) incidents: Option<PathBuf>,
    /// Folder of labelled cases; search for the passages that decide their claims. May be repeated
    #[arg(long, value_name = "FOLDER")]
    pub(crate) labelled: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// Folders that contain cases.jsonl, claims.jsonl and reports.jsonl
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// File that splits the cases into tune and test. Default: the split.json next to the first folder
    #[arg(long, value_name = "FILE")]
    pub(crate) split: Option<PathBuf>,
    /// Number of mistakes to list, from the tune part
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Incidents {
    /// The folder of incidents
    #[arg(long, value_name = "FOLDER", default_value = "datasets/incidents")]
    pub(crate) folder: PathBuf,
    /// Number of mistakes to list, from the tune part
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Mutations {
    /// The folder of incidents
    #[arg(long, value_name = "FOLDER", default_value = "datasets/incidents")]
    pub(crate) folder: PathBuf,
    /// Seed for drawing mutations
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of mutations to draw, distributed evenly over the kinds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) number: usize,
    /// Part of the incidents to take claims from
    #[arg(long, value_enum, default_value_t = Parts::All)]
    pub(crate) part: Parts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Parts {
    Tune,
    Test,
    All,
}

impl Parts {
    pub(crate) fn contains(self, part: Part) -> bool {
        match self {
            Self::Tune => part == Part::Tune,
            Self::Test => part == Part::Test,
            Self::All => true,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tune => "tune",
            Self::Test => "test",
            Self::All => "tune and test",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn flags_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn each_option_contains_the_parts_that_it_names() {
        let contained = [Parts::Tune, Parts::Test, Parts::All]
            .map(|parts| Part::ALL.map(|part| parts.contains(part)));
        assert_eq!(contained, [[true, false], [false, true], [true, true]]);
    }
}
