//! Compares how well an exploration and a single pass find the origin of a fault when answers are wrong.
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
    reason = "a program that prints a table"
)]

#[path = "../tests/belief/scripted.rs"]
mod scripted;

use gsar_core::belief::{Limits, Node};
use scripted::{Incident, Numbers, run};

const INCIDENTS: u64 = 2_000;
const RESAMPLED: u64 = 1_000;

/// The F1 score of the selected entities.
fn f1(named: &[Node], origin: Node) -> f64 {
    if !named.contains(&origin) {
        return 0.0;
    }
    2.0 / (named.len() as f64 + 1.0)
}

/// Returns the entities selected by an exploration, and the number of visits.
fn explored(incident: &Incident, wrong: u64, limits: Limits) -> (Vec<Node>, u32) {
    let explored = run(incident, limits, wrong, &mut Numbers::new(0));
    let outcome = explored.outcome();
    let likeliest = outcome.candidates.first().map(|candidate| candidate.node);
    let named = match outcome.frontier.is_empty() {
        true => likeliest.into_iter().collect(),
        false => outcome.frontier,
    };
    (named, explored.visit_count())
}

/// Returns the entity selected by a single pass, and the number of visits.
fn one_pass(incident: &Incident, wrong: u64) -> (Vec<Node>, u32) {
    let once = Limits { max_visits: 1, ..Limits::default() };
    let mut exploration = incident.explore(once);
    while let Some(mut look) = exploration.due().next().cloned() {
        look.inbox.clear();
        let belief = incident.answer(&look, wrong);
        exploration.answer(look.node, belief).unwrap();
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
fn shown(values: &[f64], numbers: &mut Numbers) -> String {
    let mut means: Vec<f64> = (0..RESAMPLED)
        .map(|_| {
            let drawn = values.iter().map(|_| values[numbers.below(values.len() as u64) as usize]);
            mean(&drawn.collect::<Vec<_>>())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| 100.0 * means[(share * (RESAMPLED - 1) as f64) as usize];
    format!("{:.1} [{:.1}, {:.1}]", 100.0 * mean(values), at(0.025), at(0.975))
}

fn main() {
    let incidents: Vec<Incident> =
        (0..INCIDENTS).map(|seed| Incident::generate(1 << 32 | seed)).collect();
    let mut numbers = Numbers::new(7);
    println!(
            "{INCIDENTS} generated incidents of 4 to 40 entities; F1 in percent with its 95% confidence interval.
        "
    );
    println!(
        "| wrong answers | exploration | one pass | difference | looks, exploration and one pass |"
    );
    println!("|---:|---:|---:|---:|---:|");
    for wrong in [0, 10, 20, 30, 40] {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        let mut looks = (0, 0);
        for incident in &incidents {
            let (named, looked) = explored(incident, wrong, Limits::default());
            with.push(f1(&named, incident.origin));
            looks.0 += looked;
            let (named, looked) = one_pass(incident, wrong);
            without.push(f1(&named, incident.origin));
            looks.1 += looked;
        }
        let difference: Vec<f64> =
            with.iter().zip(&without).map(|(with, without)| with - without).collect();
        println!(
            "| {wrong} % | {} | {} | {} | {:.1}, {:.1} |",
            shown(&with, &mut numbers),
            shown(&without, &mut numbers),
            shown(&difference, &mut numbers),
            f64::from(looks.0) / INCIDENTS as f64,
            f64::from(looks.1) / INCIDENTS as f64,
        );
    }
}
