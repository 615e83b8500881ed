//! The arguments of `gsar ledger`.

use super::policy_name::PolicyName;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueEnum, ValueHint};
use jiff::Timestamp;

use super::{Call, Class, Connection, Only, Tier};

/// List, show, rescore, grade, export and delete recorded evaluations
///
/// Requires a running server, or --data-dir.
#[derive(Debug, Subcommand)]
pub(crate) enum Ledger {
    /// List evaluations, newest first
    List {
        /// List only evaluations with this decision
        #[arg(long, value_enum)]
        tier: Option<Tier>,
        /// List only evaluations of this report
        #[arg(long, value_name = "NAME")]
        report: Option<String>,
        /// List only evaluations of this investigation
        #[arg(long, value_name = "NAME")]
        investigation: Option<String>,
        /// List only evaluations under this policy
        #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
        policy: Option<String>,
        /// List only evaluations by this judge
        #[arg(long, value_name = "NAME")]
        judge: Option<String>,
        /// List only evaluations that began at or after this instant
        #[arg(long, value_name = "INSTANT")]
        from: Option<Timestamp>,
        /// List only evaluations that began before this instant
        #[arg(long, value_name = "INSTANT")]
        before: Option<Timestamp>,
        /// List only reports that proceeded although some of their claims are not grounded
        #[arg(long)]
        unproven: bool,
        /// List only evaluations with grades
        #[arg(long, conflicts_with = "not_graded")]
        graded: bool,
        /// List only evaluations without grades
        #[arg(long)]
        not_graded: bool,
        /// The maximum number of evaluations
        #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
        #[command(flatten)]
        call: Call,
    },
    /// Show one evaluation in full
    ///
    /// With --output json, provenance.judges[].calls[].answer contains the verbatim answers of chat models.
    Show {
        /// The evaluation's id, or a unique prefix
        #[arg(value_name = "ID")]
        id: String,
        /// Show the full reasoning for all claims, or for CLAIM
        #[arg(long, value_name = "CLAIM", num_args = 0..=1, default_missing_value = "")]
        explain: Option<String>,
        /// Show only claims of these classes, separated by commas
        #[arg(long, value_name = "CLASSES", value_delimiter = ',', value_enum)]
        only: Vec<Only>,
        /// Print the content of this evidence item instead of the evaluation
        #[arg(long, value_name = "ITEM", conflicts_with_all = ["explain", "only"])]
        evidence: Option<String>,
        /// Print a standalone HTML page, for a ticket or an email
        #[arg(long, conflicts_with_all = ["explain", "only", "evidence", "output"])]
        html: bool,
        /// With --html: keep secrets and personal data, and show the evidence around quotes
        #[arg(long, requires = "html")]
        unredacted: bool,
        #[command(flatten)]
        call: Call,
    },
    /// Delete evaluations, along with evidence that no other evaluation uses
    Delete {
        /// The evaluations to delete
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        connection: Connection,
    },
    Rescore(Rescore),
    Grade(Grade),
    Export(Export),
}

/// Record the correct verdict for an evaluation or a claim
///
/// Grades are stored with the evaluation and do not change its decision. A new grade by the same grader replaces the
/// previous one.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("subject").required(true).args(["claim", "tier"]))]
#[command(after_help = "\
Examples:
  gsar ledger grade 0197-ab --claim c4 --as contradicted --note '4 restarts'
  gsar ledger grade 0197-ab --tier replan --grader ada")]
pub(crate) struct Grade {
    /// The evaluation's id, or a unique prefix
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The claim to grade
    #[arg(long, value_name = "CLAIM", requires = "class")]
    pub(crate) claim: Option<String>,
    /// The correct class of the claim
    #[arg(long = "as", value_name = "CLASS", value_enum, requires = "claim")]
    pub(crate) class: Option<Class>,
    /// The correct decision for the report
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// The grader's name [default: the current user]
    #[arg(long, value_name = "NAME", env = "USER", hide_env = true)]
    pub(crate) grader: Option<String>,
    /// The reason for the grade
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

/// Rescore recorded evaluations under another policy
///
/// Verifies and scores the recorded verdicts again, without calling a judge or recording anything. Shows a single
/// evaluation in full, and several evaluations on one line each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar ledger rescore 0197-ab --policy strict
  gsar ledger list --tier proceed --output json | jq -r .evaluationId |
      xargs gsar ledger rescore --policy strict")]
pub(crate) struct Rescore {
    /// The evaluations' ids, or unique prefixes
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
    /// The policy to apply [default: the server's]
    #[arg(long, short, value_name = "NAME", default_value = "", hide_default_value = true, value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: String,
    #[command(flatten)]
    pub(crate) call: Call,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// The claims of evaluations, as scored
    Partitions,
    /// The grades, along with the class or decision that was graded
    Grades,
    /// Pairs of a better and a worse report based on the same evidence
    Preferences,
    /// The classes of claims, converted to rewards
    ClaimRewards,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// The record messages, one JSON document per line
    Jsonl,
    /// One Parquet file; requires --to
    Parquet,
}

/// Export records of evaluations, oldest first
///
/// Writes to standard output, or to the file given with --to, which appears only when it is complete. Prints a token at
/// the end; pass this token to --after to export newer records.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gsar ledger export --kind grades --graded > grades.jsonl
  gsar ledger export --kind partitions --format parquet --to june.parquet")]
pub(crate) struct Export {
    /// The kind of records
    #[arg(long, value_enum)]
    pub(crate) kind: Kind,
    /// Export only evaluations that began at or after this instant
    #[arg(long, value_name = "INSTANT")]
    pub(crate) from: Option<Timestamp>,
    /// Export only evaluations that began before this instant
    #[arg(long, value_name = "INSTANT")]
    pub(crate) before: Option<Timestamp>,
    /// Export only evaluations under this policy
    #[arg(long, short, value_name = "NAME", value_parser = PolicyName, hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Export only evaluations by this judge
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    /// Export only evaluations with this decision
    #[arg(long, value_enum)]
    pub(crate) tier: Option<Tier>,
    /// Export only evaluations of this investigation
    #[arg(long, value_name = "NAME")]
    pub(crate) investigation: Option<String>,
    /// Export only evaluations with grades
    #[arg(long)]
    pub(crate) graded: bool,
    /// Export only records after this token, which an earlier export printed
    #[arg(long, value_name = "TOKEN")]
    pub(crate) after: Option<String>,
    /// The file format
    #[arg(long, value_enum, default_value_t = FileFormat::Jsonl, requires_if("parquet", "to"))]
    pub(crate) format: FileFormat,
    /// The output file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: Connection,
}
