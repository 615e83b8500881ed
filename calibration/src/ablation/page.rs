//! Formats the measures and effects of runs as Markdown.

use gsar_core::Class;

use super::cell::Cell;
use super::evaluators::Evaluator;
use super::loop_results::LoopMeasures;
use super::measures::{Effect, Estimate, Measures};
use super::types::TypeCounts;
use super::variant::Variant;
use crate::tables::markdown::{DASH, between, figure, heading, share, table};

pub(super) fn cell(page: &mut String, cell: &Cell, measures: &Measures, evaluators: &[Evaluator]) {
    let judge = cell.header.judge.as_deref().unwrap_or("the server's judge");
    heading(page, &format!("{}: {judge}, {} rows", cell.header.run, cell.rows.len()));
    table(
        page,
        &["measure", "value"],
        &[
            vec!["M1 proceed".to_owned(), share(&measures.proceeds)],
            vec!["M2 replans per proceed".to_owned(), estimate(measures.replans_per_proceed)],
            vec!["M3 Spearman of S and gold".to_owned(), estimate(measures.correlation)],
            vec!["M4 contradictions caught".to_owned(), share(&measures.contradictions_caught)],
            vec!["M5 complementary kept apart".to_owned(), share(&measures.complementary_separate)],
            vec!["wrong among proceeds".to_owned(), share(&measures.wrong_proceeds)],
        ],
    );
    if let Some(loop_measures) = &measures.loop_measures {
        loop_table(page, &cell.header.policy, loop_measures);
    }
    page.push('\n');
    confusion(page, cell);
    types(page, cell);
    let effects = Variant::ALL.map(|variant| Effect::of(cell, variant));
    let rows: Vec<Vec<String>> = effects.iter().map(effect).collect();
    table(
        page,
        &[
            "variant",
            "proceed",
            "regenerate",
            "replan",
            "abstain",
            "mean S",
            "Δ proceed, points",
            "Δ S",
            "false out",
            "wrong out",
        ],
        &rows,
    );
    if !evaluators.is_empty() {
        evaluators_table(page, evaluators);
    }
}

fn evaluators_table(page: &mut String, evaluators: &[Evaluator]) {
    let row = |evaluator: &Evaluator| {
        let mut cells = vec![
            evaluator.name.clone(),
            evaluator.rows.to_string(),
            estimate(evaluator.correlation),
        ];
        cells.extend(evaluator.tiers.iter().map(usize::to_string));
        cells.extend([share(&evaluator.wrong_proceeds), share(&evaluator.agreement)]);
        cells
    };
    page.push('\n');
    table(
        page,
        &[
            "score",
            "rows",
            "Spearman with gold",
            "proceed",
            "regenerate",
            "replan",
            "wrong among proceeds",
            "agreement with S",
        ],
        &evaluators.iter().map(row).collect::<Vec<_>>(),
    );
}

fn estimate(estimate: Option<Estimate>) -> String {
    let interval = estimate.map(|estimate| estimate.interval);
    figure(estimate.map(|estimate| estimate.value)) + &between(interval.as_ref(), 1.0, 3)
}

fn loop_table(page: &mut String, policy: &str, measures: &LoopMeasures) {
    let LoopMeasures { proceeds, replans, judged, false_claims, wrong_claims } = measures;
    let policy = if policy.is_empty() { "the server's policy" } else { policy };
    page.push('\n');
    table(
        page,
        &[&format!("whole loop, under {policy}"), "value"],
        &[
            vec!["M1 proceed".to_owned(), share(proceeds)],
            vec!["M2 replans per proceed".to_owned(), estimate(*replans)],
            vec!["judged reports per row".to_owned(), estimate(*judged)],
            vec!["false claims sent".to_owned(), false_claims.to_string()],
            vec!["wrong claims sent".to_owned(), wrong_claims.to_string()],
        ],
    );
}

fn confusion(page: &mut String, cell: &Cell) {
    let claims: Vec<(Class, Option<Class>)> = cell
        .rows
        .iter()
        .filter(|row| row.claims_were_sent)
        .flat_map(|row| row.claims.iter().copied())
        .collect();
    if claims.is_empty() {
        return;
    }
    let mut head = vec!["gold class"];
    head.extend(Class::ALL.map(Class::name));
    head.push("not judged");
    let count =
        |pair: (Class, Option<Class>)| claims.iter().filter(|claim| **claim == pair).count();
    let row = |gold: Class| {
        let columns = Class::ALL.map(Some).into_iter().chain([None]);
        let counts = columns.map(|class| count((gold, class)).to_string());
        std::iter::once(gold.name().to_owned()).chain(counts).collect()
    };
    table(page, &head, &Class::ALL.map(row));
    page.push('\n');
}

fn types(page: &mut String, cell: &Cell) {
    let row = |counts: TypeCounts| {
        let mut cells = vec![counts.evidence_type.name().to_owned()];
        cells.extend(counts.counted.iter().map(usize::to_string));
        cells.push(share(&counts.right));
        cells
    };
    let rows: Vec<Vec<String>> = TypeCounts::all(&cell.rows).into_iter().map(row).collect();
    if rows.is_empty() {
        return;
    }
    let mut head = vec!["evidence type"];
    head.extend(Class::ALL.map(Class::name));
    head.push("same as gold class");
    table(page, &head, &rows);
    page.push('\n');
}

fn effect(effect: &Effect) -> Vec<String> {
    let mut cells = vec![effect.variant.name().to_owned()];
    cells.extend(effect.tiers.iter().map(usize::to_string));
    cells.push(figure(effect.score));
    let is_policy = effect.variant == Variant::Policy;
    let more = |mean: Option<Estimate>, unit: f64, places: usize| match mean.filter(|_| !is_policy)
    {
        Some(Estimate { value, interval }) => {
            format!("{:+.places$}", value * unit) + &between(Some(&interval), unit, places)
        }
        None => DASH.to_owned(),
    };
    cells.push(more(effect.more_proceeds, 100.0, 1));
    cells.push(more(effect.more_score, 1.0, 3));
    cells.push(effect.false_proceeds.to_string());
    cells.push(effect.wrong_proceeds.to_string());
    cells
}
