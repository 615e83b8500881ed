//! Certifies a policy: finds the lowest threshold with a small risk of a wrong proceed, and writes the
//! policy with its certificate.

mod graded;
mod page;
mod sequence;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use gsar_core::fixed_point::Millionths;
use gsar_core::policy::{Certificate, Policy, to_toml};

use crate::arguments::Certify;
use crate::digest::sha256;
use crate::policy::named_policy;
use crate::trace::read;
use graded::GradedReports;
use sequence::{Goal, Step, test};

const STEP: u32 = 10_000;

pub(crate) fn certify(args: &Certify) -> Result<String> {
    let base = named_policy(&args.policy)?;
    let traces = args.traces.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let thresholds = thresholds(&base, args.from);
    let lowest = thresholds.last().copied().unwrap_or(args.from);
    let graded = GradedReports::of(&traces, &with_threshold(&base, lowest, &base.name)?)?;
    let goal = Goal { risk: args.risk.to_f64(), miss: 1.0 - args.confidence.to_f64() };
    let tested = test(thresholds.iter().map(|threshold| graded.step_at(*threshold)), goal);
    let mut written = None;
    if let (Some(passed), Some(path)) = (tested.passed, &args.out) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let policy = with_threshold(&base, passed.threshold, &name)?;
        let certified = certify_policy(policy, passed, &graded, args)?;
        std::fs::write(path, to_toml(&certified)).with_context(|| path.display().to_string())?;
        written = Some(path.as_path());
    }
    Ok(page::page(&base, &graded, &tested, goal, written))
}

/// Returns the thresholds to test, from `from` down to just above `tau_regenerate`.
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

fn certify_policy(
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
