//! Fits a policy to graded reports, with cross-validation.

mod objective;
mod page;
mod search;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use gsar_core::policy::{Policy, to_toml};

use crate::arguments::Fit;
use crate::digest::sha256;
use crate::partition::Partition;
use crate::policy::named_policy;
use crate::statistics::Random;
use crate::trace::read;
use objective::{Objective, Prices, Report};
use search::Search;

const MIN_REPORTS: usize = 20;

#[derive(Debug)]
struct Folds {
    /// The value of the objective on each held-out fold, under the base policy.
    before: Vec<f64>,
    /// The value of the objective on each held-out fold, under the policy fitted to the other folds.
    after: Vec<f64>,
}

pub(crate) fn fit(args: &Fit) -> Result<String> {
    let base = named_policy(&args.policy)?;
    let mut reports = Vec::new();
    for path in &args.traces {
        for row in read(path)?.rows {
            let Some(partition) = Partition::of(&row)? else { continue };
            let (tally, findings) = partition.count(&base);
            let faithfulness = row.faithfulness();
            reports.push(Report { tally, findings, faithfulness });
        }
    }
    ensure!(
        reports.len() >= MIN_REPORTS,
        "{} graded reports are too few; at least {MIN_REPORTS} are required, and 100 to 200 are recommended",
        reports.len()
    );
    let objective = match args.cost {
        Some([replan, regenerate, wrong_proceed]) => {
            Objective::Cost(Prices { replan, regenerate, wrong_proceed })
        }
        None => Objective::Correlation,
    };
    let search = Search { objective, pull: args.pull, seed: args.seed };
    let folds = folds(search, &base, &reports, args.folds);
    let all: Vec<&Report> = reports.iter().collect();
    let fitted = search.best(&base, &all);
    let name = args.out.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let fitted = rename(&fitted, &name)?;
    let digest = sha256(args.traces.iter().map(PathBuf::as_path))?;
    let result =
        page::Fitted { base: &base, fitted: &fitted, folds: &folds, reports: &all, search };
    let text = format!("{}{}", result.provenance(&digest), to_toml(&fitted));
    std::fs::write(&args.out, text).with_context(|| args.out.display().to_string())?;
    Ok(result.page(&args.out))
}

fn rename(policy: &Policy, name: &str) -> Result<Policy> {
    let mut values = policy.values().clone();
    name.clone_into(&mut values.name);
    values.description = format!("fitted to graded reports, from {}", policy.name);
    Ok(Policy::new(values)?)
}

fn folds(search: Search, base: &Policy, reports: &[Report], count: usize) -> Folds {
    let mut order: Vec<usize> = (0..reports.len()).collect();
    Random::new(search.seed).shuffle(&mut order);
    let mut folds = Folds { before: Vec::new(), after: Vec::new() };
    for fold in 0..count {
        let is_held_out = |position: &usize| position % count == fold;
        let select = |held_out: bool| -> Vec<&Report> {
            let positions = (0..order.len()).filter(|position| is_held_out(position) == held_out);
            positions.filter_map(|position| reports.get(*order.get(position)?)).collect()
        };
        let (training, held_out) = (select(false), select(true));
        let fitted = search.best(base, &training);
        folds.before.push(search.objective.evaluate(base, held_out.iter().copied()));
        folds.after.push(search.objective.evaluate(&fitted, held_out.iter().copied()));
    }
    folds
}
