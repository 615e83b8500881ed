//! The command line of `gsar-calibrate`.

mod manuals;
mod run;
mod traces;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::data_set::Part;
pub(crate) use manuals::{Completions, Man};
pub(crate) use run::Run;
pub(crate) use traces::{Ablate, Audit, Certify, Compare, Drift, Fit, Graded, Report};

/// Measure the judges of a real server against what people say.
///
/// Prints Markdown. A server that is not named is started for the run: the gsar-server beside this program.
#[derive(Debug, Parser)]
#[command(name = "gsar-calibrate", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// The server of a run.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// Where the server listens: unix:///path/to/socket, grpc://host:port or grpcs://host:port. Without it: GSAR_ENDPOINT,
    /// else the gsar-server beside this program, started for the run
    #[arg(long, value_name = "URL", global = true)]
    pub(crate) endpoint: Option<String>,
    /// The judge of a server that is started for the run, such as rules/2; without it the default one
    #[arg(long, value_name = "NAME", global = true, conflicts_with = "endpoint")]
    pub(crate) judge: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Rows of claims with gold classes, judged by a server; the answers go to a trace that others measure
    Run(Run),
    /// A trace of what people graded in a ledger, from exports of it
    Graded(Graded),
    /// M1 to M5, the ablations of the method and its baselines, on the partitions of traces; no judge is asked
    Ablate(Ablate),
    /// Whether traces may be published: each judged by the judge that it names, and no two of them the same
    Audit(Audit),
    /// Two traces of the same rows, cell by cell
    Compare(Compare),
    /// Whether a judge still says what it said of a frozen set of rows; the exit status says so too
    Drift(Drift),
    /// One page of HTML with tables and figures of traces, once the audit has nothing against it
    Report(Report),
    /// The values of a policy, fitted to graded reports
    Fit(Fit),
    /// The lowest threshold at which graded reports show the risk of proceeding wrongly to be small
    Certify(Certify),
    /// Labelled claims, one call each, and reports whole
    Claims(Claims),
    /// The incidents of this repository: the claims of each report in one call, and each report whole
    Incidents(Incidents),
    /// True claims made false or unsupported, in the midst of their report
    Mutations(Mutations),
    /// How well what decides claims is found among the evidence of many
    Retrieval(Retrieval),
    /// Stored answers of a careful judge, as the answers of a judge: which right verdicts verification takes
    /// away, and which errors it stops
    Replay(Replay),
    /// A chat model as the second reader, behind stored answers of a careful judge: which true statements it does not find
    /// shown, and which false ones it does
    Look(Look),
    /// Stored answers of a careful judge behind the whole loop: reports are driven, and a rewriter drops what is found
    /// at fault; how many go out, and after what
    Drive(Drive),
    /// Recorded investigations: how often their answers are right, what a sidecar would have let out of them, and what exploring
    /// a graph brings; the exit status says whether that is worse than before
    Investigations(Investigations),
    /// Claims generated from a seed, with evidence of which it is known what it shows: values swapped between
    /// neighbours, absences, roundings
    Generated(Generated),
    /// Labelled claims with the passages that the embedded model is shown, one JSON line each: what it is trained on
    Premises(Premises),
    /// A script that completes commands, flags and their values
    Completions(Completions),
    /// The man pages of this program
    Man(Man),
}

#[derive(Debug, Args)]
pub(crate) struct Premises {
    /// Folders of cases.jsonl and claims.jsonl
    #[arg(required_unless_present = "swaps", value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Which case belongs to which part; the split.json in a folder or beside it where not given. A folder
    /// whose cases that one does not name is read whole
    #[arg(long, value_name = "FILE")]
    pub(crate) split: Option<PathBuf>,
    /// The cases to read of a split; tune where not given
    #[arg(long, value_enum)]
    pub(crate) part: Option<ReplayPart>,
    /// Generated swaps instead of folders: that many pieces of evidence, two claims each
    #[arg(long, value_name = "N", conflicts_with_all = ["folders", "split", "part"])]
    pub(crate) swaps: Option<usize>,
    /// True claims of each case made false instead of its claims, at most that many
    #[arg(long, value_name = "N", conflicts_with = "swaps")]
    pub(crate) mutations: Option<usize>,
    /// What is drawn: the same seed draws the same
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The most bytes of a premise
    #[arg(long, default_value_t = gsar_extraction::passages::MAX_PREMISE, value_name = "N")]
    pub(crate) bytes: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Generated {
    /// What to generate; may be given several times, everything where not given
    #[arg(long, value_enum, value_name = "GENERATOR")]
    pub(crate) of: Vec<Generator>,
    /// What is drawn: the same seed draws the same
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many pairs of claims to generate, or of absences how many claims
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    pub(crate) count: usize,
    /// How many mistakes of each generator to list with their evidence
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) list: usize,
    /// Tables for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

/// A generator of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generator {
    /// What one thing has, said of it and of a neighbour
    Swaps,
    /// That something is absent, where evidence shows it, refutes it or cannot tell
    Absences,
    /// Figures as people round them, and clearly outside
    Rounding,
}

impl Generator {
    /// Every generator.
    pub(crate) const ALL: [Self; 3] = [Self::Swaps, Self::Absences, Self::Rounding];

    /// The name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Swaps => "swaps",
            Self::Absences => "absences",
            Self::Rounding => "rounding",
        }
    }

    /// What is counted.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Swaps => "Pairs of a true claim and the same with the value of a neighbour",
            Self::Absences => "Claims that something is absent",
            Self::Rounding => "Pairs of a true rounding and a false one",
        }
    }

    /// What tells its items apart.
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
    /// Stored judgements: a judgements.jsonl with folders of cases beside it, or a folder of cases.jsonl,
    /// claims.jsonl and reports.jsonl whose claims have class, type and quotes. A split.json beside them
    /// says which case belongs to which part
    #[arg(required = true, value_name = "JUDGEMENTS")]
    pub(crate) judgements: Vec<PathBuf>,
    /// The cases to replay
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// How evidence is written; may be given several times, all of them where not given
    #[arg(long = "as", value_enum, value_name = "RENDERING")]
    pub(crate) renderings: Vec<Rendering>,
    /// Which errors are made: the same seed makes the same
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Verification alone, in this process: no server, no prompt, no decision
    #[arg(long)]
    pub(crate) offline: bool,
    /// List every right verdict that is taken away (the tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Tables for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) reader: ReaderArgs,
}

/// The second reader of the stored judge's verdicts; none by default.
#[derive(Debug, Default, Args)]
pub(crate) struct ReaderArgs {
    /// The chat model that takes second looks, as provider:model
    #[arg(long, value_name = "MODEL", conflicts_with_all = ["looks", "offline"])]
    pub(crate) reader: Option<String>,
    /// A configuration of the server that has its settings under judges.models
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
    /// The chat model, as provider:model
    #[arg(long, value_name = "MODEL")]
    pub(crate) reader: String,
    /// A configuration of the server that has its settings under judges.models
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The cases to read
    #[arg(long, value_enum, default_value_t = ReplayPart::Tune)]
    pub(crate) part: ReplayPart,
    /// Which false statements are made: the same seed makes the same
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// List every true statement that it does not find shown (the tune part only)
    #[arg(long)]
    pub(crate) list: bool,
    /// Tables for people, or one JSON object for programs
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
            reader: ReaderArgs { reader: Some(reader), config, looks: None },
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
    /// Recorded investigations, one JSON document per line, packed by gzip or not
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What an earlier run printed with --output json. Where a share of right first answers has fallen by more than 0.02, or
    /// an investigation takes more than 30 s longer, the exit status is 1
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// A table for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
}

/// How a page is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    Table,
    Json,
}

/// A part of stored judgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayPart {
    Tune,
    Calib,
    Test,
}

impl ReplayPart {
    /// Its name in a split.json.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tune => "tune",
            Self::Calib => "calib",
            Self::Test => "test",
        }
    }
}

/// How the same evidence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Rendering {
    /// A JSON document as `json`, everything else as `text`
    Json,
    /// The same bytes as `text`
    Text,
    /// A line `$ command` before the same bytes, as `text`
    Command,
    /// One content block of the Model Context Protocol with the same bytes as its text, as `json`
    Mcp,
}

impl Rendering {
    /// Every rendering.
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Text, Self::Command, Self::Mcp];

    /// The name.
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
    /// Files of claims with their evidence, one JSON object per line; packed ones end in .gz
    #[arg(value_name = "FILE", required_unless_present_any = ["incidents", "labelled"])]
    pub(crate) files: Vec<PathBuf>,
    /// The folder of incidents: the deciding passages of their labelled claims
    #[arg(long, value_name = "FOLDER")]
    pub(crate) incidents: Option<PathBuf>,
    /// A folder of labelled cases: the deciding passages of their claims; may be given several times
    #[arg(long, value_name = "FOLDER")]
    pub(crate) labelled: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Claims {
    /// Folders of cases.jsonl, claims.jsonl and reports.jsonl
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Which cases are to be tuned on and which to be reported on; the split.json beside the first folder
    /// where not given
    #[arg(long, value_name = "FILE")]
    pub(crate) split: Option<PathBuf>,
    /// How many mistakes of the tune part to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Incidents {
    /// The folder of incidents
    #[arg(long, value_name = "FOLDER", default_value = "datasets/incidents")]
    pub(crate) folder: PathBuf,
    /// How many mistakes of the tune part to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) worst: usize,
}

#[derive(Debug, Args)]
pub(crate) struct Mutations {
    /// The folder of incidents
    #[arg(long, value_name = "FOLDER", default_value = "datasets/incidents")]
    pub(crate) folder: PathBuf,
    /// Which mutations are drawn: the same seed draws the same
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many to draw, of every kind as many as there are until then
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) number: usize,
    /// The incidents to take claims from
    #[arg(long, value_enum, default_value_t = Parts::All)]
    pub(crate) part: Parts,
}

/// One part of the incidents, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Parts {
    Tune,
    Test,
    All,
}

impl Parts {
    /// Whether a part is among them.
    pub(crate) fn contains(self, part: Part) -> bool {
        match self {
            Self::Tune => part == Part::Tune,
            Self::Test => part == Part::Test,
            Self::All => true,
        }
    }

    /// In words.
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
    fn the_flags_do_not_contradict_each_other() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn parts_hold_what_their_name_says() {
        let contained = [Parts::Tune, Parts::Test, Parts::All]
            .map(|parts| Part::ALL.map(|part| parts.contains(part)));
        assert_eq!(contained, [[true, false], [false, true], [true, true]]);
    }
}
