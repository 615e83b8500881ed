//! This module reads the flags of the commands that look at traces.

use std::path::PathBuf;

use clap::Args;
use gsar_core::fixed::Millionths;

#[derive(Debug, Args)]
pub(crate) struct Ablate {
    /// Traces of runs
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// The policy to vary: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "paper")]
    pub(crate) policy: String,
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
    /// The policy that decides: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "reference")]
    pub(crate) policy: String,
}

#[derive(Debug, Args)]
pub(crate) struct Certify {
    /// Traces of runs over graded reports, of one judge
    #[arg(required = true, value_name = "TRACE")]
    pub(crate) traces: Vec<PathBuf>,
    /// The policy whose threshold is chosen: a preset or a file
    #[arg(long, value_name = "NAME", default_value = "local")]
    pub(crate) policy: String,
    /// The most of the reports that go out that may be wrong
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub(crate) risk: Millionths,
    /// How sure that is to be
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = share)]
    pub(crate) confidence: Millionths,
    /// The threshold to begin with, downwards in hundredths. Choose it before you look at these reports
    #[arg(long, value_name = "SCORE", default_value = "1", value_parser = score)]
    pub(crate) from: Millionths,
    /// Where to write the policy with its certificate; it is named like the file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

fn share(given: &str) -> Result<Millionths, String> {
    let share: Option<Millionths> = given.parse().ok();
    share
        .filter(|share| *share > Millionths::ZERO && *share < Millionths::ONE)
        .ok_or_else(|| "allowed are decimals above 0 and below 1".to_owned())
}

fn score(given: &str) -> Result<Millionths, String> {
    let score: Option<Millionths> = given.parse().ok();
    score
        .filter(|score| *score > Millionths::ZERO && *score <= Millionths::ONE)
        .ok_or_else(|| "allowed are decimals above 0, up to 1".to_owned())
}
