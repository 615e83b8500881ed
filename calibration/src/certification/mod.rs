//! Certifies a policy: finds the lowest threshold at which graded reports show the risk of proceeding wrongly to be small,
//! and writes the policy with its certificate.

mod graded;
mod page;
mod sequence;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gsar_core::fixed::Millionths;
use gsar_core::policy::{Certificate, Policy, to_toml};

use crate::arguments::Certify;
use crate::digest::sha256;
use crate::policy::named_policy;
use crate::trace::read;
use graded::GradedReports;
use sequence::{Goal, Step, test};

/// The distance of thresholds that are tested.
const STEP: u32 = 10_000;

/// Certifies a policy on traces and returns what is to be printed.
pub(crate) fn certify(args: &Certify) -> Result<String> {
    let base = named_policy(&args.policy)?;
    let traces = args.traces.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let thresholds = thresholds(&base, args.from);
    let least = thresholds.last().copied().unwrap_or(args.from);
    let graded = GradedReports::of(&traces, &with_threshold(&base, least, &base.name)?)?;
    let goal = Goal { risk: args.risk.to_f64(), miss: 1.0 - args.confidence.to_f64() };
    let tested = test(thresholds.iter().map(|threshold| graded.at(*threshold)), goal);
    let mut written = None;
    if let (Some(passed), Some(path)) = (tested.passed, &args.out) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let policy = with_threshold(&base, passed.threshold, &name)?;
        let certified = certified(policy, passed, &graded, args)?;
        std::fs::write(path, to_toml(&certified)).with_context(|| path.display().to_string())?;
        written = Some(path.as_path());
    }
    Ok(page::page(&base, &graded, &tested, goal, written))
}

/// From the first threshold down in hundredths, all above the one from which on reports are regenerated.
fn thresholds(base: &Policy, from: Millionths) -> Vec<Millionths> {
    let mut thresholds = Vec::new();
    let mut next = from;
    while next > base.tau_regenerate {
        thresholds.push(next);
        next = Millionths::new(next.get().saturating_sub(STEP));
    }
    thresholds
}

fn with_threshold(base: &Policy, threshold: Millionths, name: &str) -> Result<Policy> {
    let mut values = base.values().clone();
    name.clone_into(&mut values.name);
    values.tau_proceed = threshold;
    Ok(Policy::new(values)?)
}

fn certified(
    policy: Policy,
    passed: Step,
    graded: &GradedReports,
    args: &Certify,
) -> Result<Policy> {
    let certificate = Certificate {
        risk: args.risk,
        confidence: args.confidence,
        judge: graded.judge.clone(),
        prompts: graded.prompts.iter().cloned().collect(),
        rows: u32::try_from(graded.len()).unwrap_or(u32::MAX),
        proceeds: passed.proceeds,
        wrong: passed.wrong,
        data: sha256(args.traces.iter().map(PathBuf::as_path))?,
        policy: policy.digest().to_string(),
    };
    Ok(policy.with_certificate(certificate)?)
}
