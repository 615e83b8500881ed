//! The arguments of `gsar ledger`.

use super::policy_name::PolicyName;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint};
use jiff::Timestamp;

use super::{Class, Connection, Only, Output, Tier};

/// Read the record of evaluations, decide them anew, grade, export and delete them
///
/// Needs a running server, or --data-dir with the directory that holds the record.
#[derive(Debug, Subcommand)]
pub(crate) enum Ledger {
    /// List evaluations, newest first
    List {
        /// Only of this decision
        #[arg(long, value_enum)]
        tier: Option<Tier>,
        /// Only of this report
        #[arg(long, value_name = "NAME")]
        report: Option<String>,
        /// Only of this investigation
        #[arg(long, value_name = "NAME")]
        investigation: Option<String>,
        /// Only of this policy
        #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
        policy: Option<String>,
        /// Only of this judge
        #[arg(long, value_name = "NAME")]
        judge: Option<String>,
        /// Only of evaluations that began at this instant or later
        #[arg(long, value_name = "INSTANT")]
        from: Option<Timestamp>,
        /// Only of evaluations that began before this instant
        #[arg(long, value_name = "INSTANT")]
        before: Option<Timestamp>,
        /// Only reports that could go out without every claim grounded
        #[arg(long)]
        unproven: bool,
        /// Only with grades
        #[arg(long, conflicts_with = "not_graded")]
        graded: bool,
        /// Only without grades
        #[arg(long)]
        not_graded: bool,
        /// How many at most
        #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Show one evaluation in full
    ///
    /// With --output json it has what chat models answered word for word, in provenance.judges[].calls[].answer.
    Show {
        /// The evaluation's id
        #[arg(value_name = "ID")]
        id: String,
        /// Show everything behind the claims, or behind one
        #[arg(long, value_name = "CLAIM", num_args = 0..=1, default_missing_value = "")]
        explain: Option<String>,
        /// Show only claims of these classes
        #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_enum)]
        only: Vec<Only>,
        /// Print the content of this evidence item instead, byte for byte
        #[arg(long, value_name = "ITEM", conflicts_with_all = ["explain", "only"])]
        evidence: Option<String>,
        /// Print one page of HTML that needs nothing beside it, for a ticket or a mail
        #[arg(long, conflicts_with_all = ["explain", "only", "evidence", "output"])]
        html: bool,
        /// With --html: leave secrets and personal data in the page, and show the evidence around quotes
        #[arg(long, requires = "html")]
        unredacted: bool,
        /// The output format
        #[arg(long, short, value_enum, default_value_t = Output::Human)]
        output: Output,
        #[command(flatten)]
        connection: Connection,
    },
    /// Delete evaluations, with the contents of evidence that no other has
    Delete {
        /// The evaluations' ids
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        connection: Connection,
    },
    Rescore(Rescore),
    Grade(Grade),
    Export(Export),
}

/// Say what is right of an evaluation, or of one of its claims
///
/// Grades are kept with the evaluation and change no decision. Saying it again replaces what the same person said before.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("subject").required(true).args(["claim", "tier"]))]
#[command(after_help = "\
Examples:
  gsar ledger grade 0197-ab --claim c4 --as contradicted --note 'the dashboard shows 4 restarts'
  gsar ledger grade 0197-ab --tier replan --grader ada")]
pub(crate) struct Grade {
    /// The evaluation's id, or an unambiguous prefix
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The claim that is graded
    #[arg(long, value_name = "CLAIM", requires = "class")]
    pub(crate) claim: Option<String>,
    /// The class that is right for the claim
    #[arg(long = "as", value_name = "CLASS", value_enum, requires = "claim")]
    pub(crate) class: Option<Class>,
    /// The decision on the report that would have been right
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// The grader's name [default: the current user]
    #[arg(long, value_name = "NAME", env = "USER", hide_env = true)]
    pub(crate) grader: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Decide evaluations under another policy
///
/// No judge is asked and nothing is recorded: what the judge said is verified and decided anew. One evaluation is shown in
/// full, several as a line each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar ledger rescore 0197-ab --policy strict
  gsar ledger list --tier proceed --output json | jq -r .evaluationId | xargs gsar ledger rescore --policy strict")]
pub(crate) struct Rescore {
    /// The evaluations' ids
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// The policy to decide by; without it the server's default
    #[arg(long, short, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: String,
    /// The output format
    #[arg(long, short, value_enum, default_value_t = Output::Human)]
    pub(crate) output: Output,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// What records say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Claims of each evaluation as they were counted
    Partitions,
    /// What people said, beside what was evaluated
    Grades,
    /// Pairs of reports over the same evidence, a better and a worse one
    Preferences,
    /// The class of each claim as a reward
    ClaimRewards,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// The records of the wire, one JSON document per line
    Jsonl,
    /// Columns in one Parquet file; needs --to
    Parquet,
}

/// Write records of evaluations, oldest first
///
/// Without --to they go to standard output. A file is written under another name and gets its own when it is complete.
/// Behind the last record a token is shown with which a later --after goes on.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar ledger export --kind grades --graded > grades.jsonl
  gsar ledger export --kind partitions --from 2026-06-01T00:00:00Z --format parquet --to june.parquet")]
pub(crate) struct Export {
    /// What records say
    #[arg(long, value_enum)]
    pub(crate) kind: Kind,
    /// Only of evaluations that began at this instant or later
    #[arg(long, value_name = "INSTANT")]
    pub(crate) from: Option<Timestamp>,
    /// Only of evaluations that began before this instant
    #[arg(long, value_name = "INSTANT")]
    pub(crate) before: Option<Timestamp>,
    /// Only of this policy
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Only of this judge
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    /// Only of this decision
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// Only of this investigation
    #[arg(long, value_name = "NAME")]
    pub(crate) investigation: Option<String>,
    /// Only of evaluations with grades
    #[arg(long)]
    pub(crate) graded: bool,
    /// Only behind this token of an earlier export of the same records
    #[arg(long, value_name = "TOKEN")]
    pub(crate) after: Option<String>,
    /// How to write
    #[arg(long, value_enum, default_value_t = FileFormat::Jsonl, requires_if("parquet", "to"))]
    pub(crate) format: FileFormat,
    /// Write to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
