//! The command line of `gsar-calibrate`.

mod chat;
mod manuals;
mod rows;
mod run;
mod traces;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::data_set::Part;
pub(crate) use chat::{ChatArgs, Grade, Write};
pub(crate) use manuals::{Completions, Man};
pub(crate) use rows::RowArgs;
pub(crate) use run::Run;
pub(crate) use traces::{Ablate, Audit, Certify, Compare, Drift, Fit, Graded, Report};

/// Measure the judges of a real server against human labels.
///
/// Prints Markdown. Without --endpoint the gsar-server next to this program is started for the run.
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
    /// GSAR_ENDPOINT, or the gsar-server next to this program, started for the run
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) endpoint: Option<String>,
    /// Judge of the server started for the run, such as rules/2
    #[arg(long, value_name = "NAME", global = true, conflicts_with = "endpoint")]
    pub(crate) judge: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge rows of claims with gold classes, and write the answers to a trace
    Run(Run),
    /// Print rows in the native format, one JSON object per line, for other evaluators
    Rows(RowArgs),
    /// Grade reports 1 to 5 with a chat model, as scores for `ablate --scores`
    Grade(Grade),
    /// Write the reports of rows with a chat model, which restates their claims
    Write(Write),
    /// Build a trace from exported ledger grades
    Graded(Graded),
    /// Measure M1 to M5, the ablations of the method and its baselines on traces
    Ablate(Ablate),
    /// Audit traces before publication: the judge is the one they name, and no two are copies
    Audit(Audit),
    /// Compare two traces of the same rows
    Compare(Compare),
    /// Detect drift of a judge on a frozen set of rows; exit status 1 on drift
    Drift(Drift),
    /// Write an HTML page with tables and figures of audited traces
    Report(Report),
    /// Fit the values of a policy to graded reports
    Fit(Fit),
    /// Find the lowest threshold at which graded reports show a small risk of a wrong proceed
    Certify(Certify),
    /// Measure labelled claims, one call each, and whole reports
    Claims(Claims),
    /// Measure incidents: the claims of each report in one call, and each whole report
    Incidents(Incidents),
    /// Measure mutations: true claims made false or unsupported in their report
    Mutations(Mutations),
    /// Measure how well search finds the evidence for claims
    Retrieval(Retrieval),
    /// Replay stored judgements: count the right verdicts that verification breaks and the errors that
    /// it stops
    Replay(Replay),
    /// Measure a chat model that takes second looks at stored judgements: count the true statements it
    /// does not confirm and the false ones it does
    Look(Look),
    /// Drive reports through the whole loop with stored answers and a rewriter that drops faulty claims;
    /// print how many proceed, and when
    Drive(Drive),
    /// Measure recorded investigations: the accuracy of their answers, the decisions of a sidecar, and
    /// the benefit of exploring a graph; exit status 1 if worse than a baseline
    Investigations(Investigations),
    /// Measure generated claims with known verdicts: values swapped between neighbours, absences,
    /// roundings
    Generated(Generated),
    /// Write labelled claims with their premises, one JSON line each, to train the embedded model
    Premises(Premises),
    /// Print a shell completion script
    Completions(Completions),
    /// Write the man pages of this program
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Premises {
    /// Folders of cases.jsonl and claims.jsonl
    #[arg(required_unless_present = "swaps", value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Split of cases into parts; by default the split.json in a folder or next to it. A folder whose
    /// cases are not in the default split is read whole
    #[arg(long, value_name = "FILE")]
    pub(crate) split: Option<PathBuf>,
    /// Part of the split to read; tune by default
    #[arg(long, value_enum)]
    pub(crate) part: Option<ReplayPart>,
    /// Generate swaps instead of reading folders: N pieces of evidence, two claims each
    #[arg(long, value_name = "N", conflicts_with_all = ["folders", "split", "part"])]
    pub(crate) swaps: Option<usize>,
    /// Write at most N mutations of the true claims of each case instead of its claims
    #[arg(long, value_name = "N", conflicts_with = "swaps")]
    pub(crate) mutations: Option<usize>,
    /// Seed of random draws
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Maximum size of a premise in bytes
    #[arg(long, default_value_t = gsar_extraction::passages::MAX_PREMISE, value_name = "N")]
    pub(crate) bytes: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Generated {
    /// Generator; may be repeated; all by default
    #[arg(long, value_enum, value_name = "GENERATOR")]
    pub(crate) of: Vec<Generator>,
    /// Seed of random draws
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of claim pairs, or of single claims about absence
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(crate) count: usize,
    /// Number of mistakes to list with their evidence, per generator
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) list: usize,
    /// Tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generator {
    /// A value swapped with that of a neighbour
    Swaps,
    /// Absences that evidence shows, refutes or does not decide
    Absences,
    /// Right and wrong roundings of figures
    Rounding,
}

impl Generator {
    pub(crate) const ALL: [Self; 3] = [Self::Swaps, Self::Absences, Self::Rounding];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Swaps => "swaps",
            Self::Absences => "absences",
            Self::Rounding => "rounding",
        }
    }

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
    /// claims.jsonl and reports.jsonl whose claims have class, type and quotes. A split.json next to
    /// them assigns cases to parts
    #[arg(required = true, value_name = "JUDGEMENTS")]
    pub(crate) judgements: Vec<PathBuf>,
    /// The cases to replay
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// Rendering of evidence; may be repeated; all by default
    #[arg(long = "as", value_enum, value_name = "RENDERING")]
    pub(crate) renderings: Vec<Rendering>,
    /// Seed of injected errors
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Verify in this process only: no server, no prompt, no decision
    #[arg(long)]
    pub(crate) offline: bool,
    /// List every broken right verdict (tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Tables, or one JSON object
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) second_look: SecondLookArgs,
}

/// The model or file that takes second looks; none by default.
#[derive(Debug, Default, Args)]
pub(crate) struct SecondLookArgs {
    /// Chat model that takes second looks, as provider:model
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["looks", "offline"])]
    pub(crate) reader: Option<String>,
    /// A server configuration with its settings under judges.models
    #[arg(long, value_name = "FILE", requires = "reader")]
    pub(crate) config: Option<PathBuf>,
    /// Stored second looks, one JSON object a line: statement, quotes, verdict, words
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
    /// A server configuration with its settings under judges.models
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The cases to use
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// Seed of false statements
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// List every true statement that the model does not confirm (tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Tables, or one JSON object
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
    /// The cases to drive
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
}

#[derive(Debug, Args)]
pub(crate) struct Investigations {
    /// Recorded investigations, one JSON document per line; gzip is detected
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Output of an earlier run with --output json. The exit status is 1 if a share of right first
    /// answers is lower by more than 0.02, or an investigation takes more than 30 s longer
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Tables, or one JSON object
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

impl ReplayPart {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tune => "tune",
            Self::Calib => "calib",
            Self::Test => "test",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Rendering {
    /// JSON documents as `json`, everything else as `text`
    Json,
    /// Everything as `text`
    Text,
    /// A line `$ command` before the content, as `text`
    Command,
    /// A Model Context Protocol content block with the content as its text, as `json`
    Mcp,
}

impl Rendering {
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Text, Self::Command, Self::Mcp];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Command => "command",
            Self::Mcp => "mcp",
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Retrieval {
    /// Files of claims with their evidence, one JSON object per line; gzip if the name ends in .gz
    #[arg(value_name = "FILE", required_unless_present_any = ["incidents", "labelled"])]
    pub(crate) files: Vec<PathBuf>,
    /// Folder of incidents; searches for the deciding passages of their labelled claims
    #[arg(long, value_name = "FOLDER")]
    pub(crate) incidents: Option<PathBuf>,
    /// Folder of labelled cases; searches for the deciding passages of their claims. May be repeated
    #[arg(long, value_name = "FOLDER")]
    pub(crate) labelled: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// Folders of cases.jsonl, claims.jsonl and reports.jsonl
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Split of cases into tune and test; by default the split.json next to the first folder
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
    /// Seed of the drawn mutations
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Number of mutations to draw, evenly by kind
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) number: usize,
    /// The incidents to take claims from
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
    fn parts_contain_the_named_cases() {
        let contained = [Parts::Tune, Parts::Test, Parts::All]
            .map(|parts| Part::ALL.map(|part| parts.contains(part)));
        assert_eq!(contained, [[true, false], [false, true], [true, true]]);
    }
}
