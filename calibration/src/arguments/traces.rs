//! The flags of the commands that read traces.

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser as _;
use gsar_core::fixed_point::Millionths;

use super::Output;

#[derive(Debug, Args)]
pub(crate) struct Ablate {
    /// Traces of runs
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Policy to vary: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
    /// Print tables, or one JSON object with the measures of each run
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub(crate) output: Output,
    /// File with another evaluator's scores to compare with S, one JSON object per line with row and
    /// score (0 to 1). May be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    /// Traces of runs
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Compare {
    /// The trace of one run
    pub(crate) first: PathBuf,
    /// The trace of another run over the same rows
    pub(crate) second: PathBuf,
    /// Policy: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
}

#[derive(Debug, Args)]
pub(crate) struct Certify {
    /// Traces of runs over graded reports, all by the same judge
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Policy to certify: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
    /// Maximum share of wrong reports among those that proceed
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(crate) risk: Millionths,
    /// Required confidence that the true share does not exceed this maximum
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = share)]
    pub(crate) confidence: Millionths,
    /// First threshold to test; it is lowered in steps of 0.01. Choose it before you look at the reports
    #[arg(long, value_name = "SCORE", default_value = "1", value_parser = score)]
    pub(crate) from: Millionths,
    /// File for the certified policy, which is named after the file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Traces of runs
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Policy: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
    /// The page to write
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub(crate) out: PathBuf,
    /// Folder for the figures as SVG and their tables as CSV
    #[arg(long, value_name = "FOLDER")]
    pub(crate) figures: Option<PathBuf>,
    /// Write the page even if the audit fails; the page then lists the objections
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Fit {
    /// Traces of runs over graded reports
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// Base policy: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
    /// Minimize the cost of decisions, given the costs of a replan, a regeneration and a wrong proceed.
    /// Without this option, S is fitted to rank the reports in the same order as their labels, and the
    /// thresholds stay unchanged
    #[arg(long, value_name = "REPLAN:REGENERATE:WRONG", value_parser = prices)]
    pub(crate) cost: Option<[f64; 3]>,
    /// Penalty for a mean difference of 1 from the base policy
    #[arg(long, value_name = "N", default_value_t = 0.05)]
    pub(crate) pull: f64,
    /// Number of folds for cross-validation
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=20).map(usize::from))]
    pub(crate) folds: usize,
    /// Seed for random draws
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
    /// File for the fitted policy, which is named after the file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Graded {
    /// Files written by `gsar ledger export` that contain partitions and grades
    #[arg(required = true, value_name = "EXPORT")]
    pub(crate) exports: Vec<PathBuf>,
    /// The trace to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Drift {
    /// Reference trace of the frozen rows
    pub(crate) reference: PathBuf,
    /// New trace of the same rows
    pub(crate) now: PathBuf,
    /// Policy: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
    /// Maximum share of decisions or classes that may have changed
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(crate) max_changed: Millionths,
}

fn prices(given: &str) -> Result<[f64; 3], String> {
    let prices: Vec<f64> = given
        .split(':')
        .filter_map(|price| price.parse().ok())
        .filter(|price| (0.0..=1e9).contains(price))
        .collect();
    prices.try_into().map_err(|_| "expected three prices, such as 1:0.3:10".to_owned())
}

fn share(given: &str) -> Result<Millionths, String> {
    let share: Option<Millionths> = given.parse().ok();
    share
        .filter(|share| *share > Millionths::ZERO && *share < Millionths::ONE)
        .ok_or_else(|| "expected a decimal number greater than 0 and less than 1".to_owned())
}

fn score(given: &str) -> Result<Millionths, String> {
    let score: Option<Millionths> = given.parse().ok();
    score
        .filter(|score| *score > Millionths::ZERO && *score <= Millionths::ONE)
        .ok_or_else(|| "expected a decimal number greater than 0 and at most 1".to_owned())
}
