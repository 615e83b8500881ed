//! Formats the score and the distance to other decisions.

use std::cmp::Ordering;

use gsar_client::text::width;
use gsar_core::Policy;
use gsar_core::fixed_point::{Fraction, Millionths};
use gsar_proto::v1;

use super::labels;
use super::page::{BOLD, Page, TEXT_COLUMN, count, listed, styled};
use super::verdict::computed_decision;

const TABLE_COLUMNS: usize = 59;

struct Row {
    name: &'static str,
    weight: f64,
    factor: f64,
    guarded_weight: f64,
}

/// Returns the score that determined the tier.
pub(crate) fn deciding_score(answer: &v1::EvaluateResponse) -> Option<&v1::Score> {
    answer.guarded_score.as_ref().or(answer.score.as_ref())
}

pub(super) fn write_table(page: &mut Page, answer: &v1::EvaluateResponse, policy: Option<&Policy>) {
    let (Some(score), Some(terms)) = (&answer.score, &answer.terms) else { return };
    let rows = rows(terms, policy);
    let guarded = answer.guarded_score.as_ref().unwrap_or(score);
    let is_different =
        (guarded.numerator, guarded.denominator) != (score.numerator, score.denominator);
    // The policy determines the effect of the guards on the weights.
    let show_guarded_column = is_different && policy.is_some();

    if page.columns() < TABLE_COLUMNS + 2 {
        page.add_labelled("score", &labels::score(Some(score)));
    } else {
        let guarded_column = show_guarded_column.then_some(guarded);
        for (index, line) in lines(&rows, score, guarded_column).iter().enumerate() {
            if page.columns() < TABLE_COLUMNS + TEXT_COLUMN {
                page.add_line(&format!("  {line}"));
            } else {
                page.add_labelled_line(if index == 0 { "score" } else { "" }, line);
            }
        }
    }
    if is_different && !show_guarded_column {
        let text = format!("{} with the guards; this score decides", labels::score(Some(guarded)));
        page.add_labelled("", &text);
    }
    if let Some(policy) = policy {
        let (bands, position) = thresholds(policy, guarded);
        let line = format!("{bands}; {position}");
        if TEXT_COLUMN + width(&line) <= page.columns() {
            page.add_labelled("", &line);
        } else {
            page.add_labelled("", &bands);
            page.add_labelled("", &position);
        }
    }
}

/// Returns the lines of the table. `guarded` adds a column for the guarded score.
fn lines(rows: &[Row], score: &v1::Score, guarded: Option<&v1::Score>) -> Vec<String> {
    let guarded_cell = |text: &str| guarded.map_or_else(String::new, |_| format!("{text:>12}"));
    let head = format!("{:16}{:>10}{:>9}{:>12}", "", "weight", "factor", "counts");
    let mut lines = vec![format!("{head}{}", guarded_cell("decides"))];
    for row in rows {
        let factor = format!("× {}", labels::number(row.factor));
        let (weight, counted) =
            (labels::weight(row.weight), labels::weight(row.weight * row.factor));
        let last_cell = guarded_cell(&labels::weight(row.guarded_weight));
        lines.push(format!("{:<16}{weight:>10}{factor:>9}{counted:>12}{last_cell}", row.name));
    }
    let total = format!("{:>12}", labels::score(Some(score)));
    let last_cell = guarded_cell(&labels::score(guarded));
    let (total, last_cell) = (styled(BOLD, &total), styled(BOLD, &last_cell));
    lines.push(format!("{:<35}{total}{last_cell}", "(G + K) / all"));
    lines
}

fn rows(terms: &v1::ScoreTerms, policy: Option<&Policy>) -> Vec<Row> {
    let guards = policy.map(|policy| &policy.guards);
    let requires_rho_at_least_one = guards.is_some_and(|guards| guards.rho_at_least_one);
    let deciding_rho = if requires_rho_at_least_one { terms.rho.max(1.0) } else { terms.rho };
    let limit = guards.and_then(|guards| guards.complementary_limit);
    let complementary = limit.map_or(terms.complementary, |limit| {
        terms.complementary.min(terms.grounded * limit.to_f64())
    });
    let unverified = terms.rho.max(1.0);
    let row = |name, weight, factor, guarded_weight| Row { name, weight, factor, guarded_weight };
    let mut rows = vec![
        row("G grounded", terms.grounded, 1.0, terms.grounded),
        row("K complementary", terms.complementary, 1.0, complementary),
        row("U ungrounded", terms.ungrounded, 1.0, terms.ungrounded),
        row("X contradicted", terms.contradicted, terms.rho, terms.contradicted * deciding_rho),
    ];
    if terms.unverified > 0.0 {
        rows.push(row("  unverified", terms.unverified, unverified, terms.unverified * unverified));
    }
    rows
}

/// Formats the thresholds and the position of the score.
fn thresholds(policy: &Policy, score: &v1::Score) -> (String, String) {
    let (proceed, regenerate) = (policy.tau_proceed, policy.tau_regenerate);
    let bands = format!("proceed ≥ {proceed} > regenerate ≥ {regenerate} > replan");
    let Some(score) = labels::fraction(score) else { return (bands, String::new()) };
    let scaled_distance = |threshold: Millionths| {
        let (score, threshold) =
            (score.numerator() * Millionths::ONE.wide(), score.denominator() * threshold.wide());
        score.abs_diff(threshold)
    };
    let distance = |threshold| {
        let distance =
            Fraction::new(scaled_distance(threshold), score.denominator() * Millionths::ONE.wide());
        match distance.map(Fraction::to_decimal) {
            Some(text) if text == "0.000" => "less than 0.001".to_owned(),
            Some(text) => text,
            None => String::new(),
        }
    };
    let position = match (score.compare(proceed), score.compare(regenerate)) {
        (Ordering::Equal, _) => "nothing to spare".to_owned(),
        (Ordering::Greater, _) => format!("{} to spare", distance(proceed)),
        (_, Ordering::Equal) => {
            format!("{} short of proceed, just above replan", distance(proceed))
        }
        (_, Ordering::Greater) => {
            format!("{} short of proceed, {} above replan", distance(proceed), distance(regenerate))
        }
        (_, Ordering::Less) => format!("{} short of regenerate", distance(regenerate)),
    };
    (bands, position)
}

pub(super) fn write_margins(page: &mut Page, answer: &v1::EvaluateResponse) {
    let mut label = "margin";
    for change in changes(answer) {
        page.add_labelled(label, &change);
        label = "";
    }
}

/// Formats the changes that would lead to the next better and the next worse decision.
pub(crate) fn changes(answer: &v1::EvaluateResponse) -> Vec<String> {
    let margins = computed_decision(answer).and_then(|decision| decision.margins.as_ref());
    let nearest = margins.map(|margins| [&margins.better, &margins.worse]);
    nearest.into_iter().flatten().flatten().map(format_margin).collect()
}

fn format_margin(margin: &v1::Margin) -> String {
    let (tier, _) = labels::tier(margin.tier());
    let changes: Vec<String> = margin
        .changes
        .iter()
        .map(|change| {
            let (_, class, _) = labels::class(change.class());
            let type_text = match labels::evidence_type(change.r#type()) {
                "" => String::new(),
                name => format!(" ({name})"),
            };
            let verb = match change.action.as_str() {
                "ground" => "ground",
                "drop" => "drop",
                _ => "lose",
            };
            format!("{verb} {}{type_text}", count(change.count, &format!("{class} claim")))
        })
        .collect();
    let claim_ids = listed(margin.claim_ids.iter().map(String::as_str), 6);
    let claim_ids =
        if claim_ids.is_empty() { String::new() } else { format!(", such as {claim_ids}") };
    let distance =
        margin.score.as_ref().map(|score| format!("; distance {}", labels::score(Some(score))));
    format!("to {tier}: {}{claim_ids}{}", changes.join(" and "), distance.unwrap_or_default())
}
