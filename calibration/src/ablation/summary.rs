//! Summarizes the measures of runs as JSON.

use std::collections::BTreeMap;

use anyhow::Result;
use gsar_core::Tier;
use serde::Serialize;

use super::cell::Cell;
use super::evaluators::Evaluator;
use super::loop_results::LoopMeasures;
use super::measures::{Estimate, Measures};
use super::variant::Variant;
use crate::statistics::Share;

#[derive(Serialize)]
struct Summary<'a> {
    policy: &'a str,
    runs: Vec<Run<'a>>,
}

#[derive(Serialize)]
struct Run<'a> {
    run: &'a str,
    judge: Option<&'a str>,
    mode: &'static str,
    rows: usize,
    tiers: BTreeMap<&'static str, usize>,
    mean_score: Option<Estimate>,
    m1: Share,
    m2: Option<Estimate>,
    m3: Option<Estimate>,
    m4: Share,
    m5: Share,
    wrong_proceeds: Share,
    #[serde(rename = "loop")]
    loop_measures: Option<LoopMeasures>,
    /// S, followed by the other evaluators.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evaluators: Vec<Evaluator>,
}

impl<'a> Run<'a> {
    fn of(cell: &'a Cell, evaluators: Vec<Evaluator>) -> Self {
        let measures = Measures::of(cell);
        let scores = cell.rows.iter().filter_map(|row| row.under(Variant::Policy).score);
        Self {
            run: &cell.header.run,
            judge: cell.header.judge.as_deref(),
            mode: cell.header.mode.name(),
            rows: cell.rows.len(),
            tiers: Tier::ALL.map(Tier::name).into_iter().zip(cell.tiers(Variant::Policy)).collect(),
            mean_score: Estimate::mean(&scores.collect::<Vec<_>>()),
            m1: measures.proceeds,
            m2: measures.replans_per_proceed,
            m3: measures.correlation,
            m4: measures.contradictions_caught,
            m5: measures.complementary_separate,
            wrong_proceeds: measures.wrong_proceeds,
            loop_measures: measures.loop_measures,
            evaluators,
        }
    }
}

pub(super) fn json<'a>(
    policy: &str,
    cells: impl Iterator<Item = (&'a Cell, Vec<Evaluator>)>,
) -> Result<String> {
    let summary = Summary {
        policy,
        runs: cells.map(|(cell, evaluators)| Run::of(cell, evaluators)).collect(),
    };
    Ok(serde_json::to_string_pretty(&summary)? + "\n")
}
