//! Compares how well an exploration and a single pass find the origin of a fault when some answers are wrong.
//!
//! `cargo run --release -p gsar-core --example belief_noise` prints a Markdown table. A single pass visits
//! each entity once, without messages, and selects the origin that reaches the most alerts.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::disallowed_macros,
    clippy::allow_attributes,
    clippy::float_arithmetic,
    reason = "an example program that prints a table"
)]

#[path = "../tests/belief/scripted.rs"]
mod scripted;

use gsar_core::belief::{Limits, Node};
use scripted::{Incident, RandomNumbers, run};

const INCIDENTS: u64 = 2_000;
const BOOTSTRAP_SAMPLES: u64 = 1_000;

/// Returns the F1 score of the selected entities.
fn f1(selected: &[Node], origin: Node) -> f64 {
    if !selected.contains(&origin) {
        return 0.0;
    }
    2.0 / (selected.len() as f64 + 1.0)
}

/// Returns the entities selected by an exploration, and the number of visits.
fn select_by_exploration(
    incident: &Incident,
    error_percent: u64,
    limits: Limits,
) -> (Vec<Node>, u32) {
    let exploration = run(incident, limits, error_percent, &mut RandomNumbers::new(0));
    let outcome = exploration.outcome();
    let likeliest = outcome.candidates.first().map(|candidate| candidate.node);
    let selected = match outcome.frontier.is_empty() {
        true => likeliest.into_iter().collect(),
        false => outcome.frontier,
    };
    (selected, exploration.visit_count())
}

/// Returns the entity selected by a single pass, and the number of visits.
fn select_by_single_pass(incident: &Incident, error_percent: u64) -> (Vec<Node>, u32) {
    let limits = Limits { max_visits: 1, ..Limits::default() };
    let mut exploration = incident.explore(limits);
    while let Some(mut visit) = exploration.due().next().cloned() {
        visit.inbox.clear();
        let belief = incident.answer(&visit, error_percent);
        exploration.answer(visit.node, belief).unwrap();
    }
    let outcome = exploration.outcome();
    let origins = outcome.frontier.iter().chain(&outcome.contributing).copied();
    let alerts = |node: Node| {
        incident.alerts.iter().filter(|alert| exploration.path(node, **alert).is_some()).count()
    };
    let mut ranked: Vec<Node> = origins.collect();
    ranked.sort_by_key(|node| (std::cmp::Reverse(alerts(*node)), *node));
    let likeliest = outcome.candidates.first().map(|candidate| candidate.node);
    (ranked.first().copied().or(likeliest).into_iter().collect(), exploration.visit_count())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Formats the mean in percent and its 95% confidence interval from bootstrap samples.
fn format_mean(values: &[f64], numbers: &mut RandomNumbers) -> String {
    let mut means: Vec<f64> = (0..BOOTSTRAP_SAMPLES)
        .map(|_| {
            let sample =
                values.iter().map(|_| values[numbers.draw_below(values.len() as u64) as usize]);
            mean(&sample.collect::<Vec<_>>())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let quantile = |share: f64| 100.0 * means[(share * (BOOTSTRAP_SAMPLES - 1) as f64) as usize];
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * mean(values), quantile(0.025), quantile(0.975))
}

fn main() {
    let incidents: Vec<Incident> =
        (0..INCIDENTS).map(|seed| Incident::generate(1 << 32 | seed)).collect();
    let mut numbers = RandomNumbers::new(7);
    println!(
            "{INCIDENTS} generated incidents of 4 to 40 entities; F1 in percent with its 95% confidence interval.
        "
    );
    println!(
        "| wrong answers | exploration | one pass | difference | looks, exploration and one pass |"
    );
    println!("|---:|---:|---:|---:|---:|");
    for error_percent in [0, 10, 20, 30, 40] {
        let (mut exploration_scores, mut single_pass_scores) = (Vec::new(), Vec::new());
        let mut visit_counts = (0, 0);
        for incident in &incidents {
            let (selected, visit_count) =
                select_by_exploration(incident, error_percent, Limits::default());
            exploration_scores.push(f1(&selected, incident.origin));
            visit_counts.0 += visit_count;
            let (selected, visit_count) = select_by_single_pass(incident, error_percent);
            single_pass_scores.push(f1(&selected, incident.origin));
            visit_counts.1 += visit_count;
        }
        let difference: Vec<f64> = exploration_scores
            .iter()
            .zip(&single_pass_scores)
            .map(|(exploration, single_pass)| exploration - single_pass)
            .collect();
        println!(
            "| {error_percent} % | {} | {} | {} | {:.1}, {:.1} |",
            format_mean(&exploration_scores, &mut numbers),
            format_mean(&single_pass_scores, &mut numbers),
            format_mean(&difference, &mut numbers),
            f64::from(visit_counts.0) / INCIDENTS as f64,
            f64::from(visit_counts.1) / INCIDENTS as f64,
        );
    }
}
