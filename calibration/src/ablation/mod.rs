//! Computes M1 to M5, the ablations and the baselines from stored partitions.

mod cell;
mod classes;
mod evaluators;
mod loop_results;
mod measures;
mod page;
mod summary;
mod types;
mod variant;

use std::fmt::Write as _;

use anyhow::Result;

use crate::arguments::{Ablate, Output};
use crate::policy::named_policy;
use crate::trace::read;
pub(crate) use cell::{Cell, Row};
pub(crate) use classes::ClassCounts;
use evaluators::{Evaluator, Scores};
pub(crate) use measures::{Effect, Estimate, Measures};
pub(crate) use variant::Variant;

pub(crate) fn ablate(args: &Ablate) -> Result<String> {
    let policy = named_policy(&args.policy)?;
    let cells = args.traces.iter().map(|path| Cell::of(&read(path)?, &policy));
    let cells: Vec<Cell> = cells.collect::<Result<_>>()?;
    let scores = args.scores.iter().map(|path| Scores::read(path)).collect::<Result<Vec<_>>>()?;
    let evaluators = |cell: &Cell| {
        if scores.is_empty() { Vec::new() } else { Evaluator::all(cell, &policy, &scores) }
    };
    if args.output == Output::Json {
        return summary::json(&policy.name, cells.iter().map(|cell| (cell, evaluators(cell))));
    }
    let mut page = String::from("# Ablations\n\n");
    let _ = writeln!(
        page,
        "Policy `{}`, on stored partitions; no judge is called. 95 % intervals: percentile bootstrap over rows, paired for differences.",
        policy.name
    );
    for cell in &cells {
        page::cell(&mut page, cell, &Measures::of(cell), &evaluators(cell));
    }
    Ok(page)
}
