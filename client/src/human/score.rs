//! Formats the score and the distance to other decisions.

use std::cmp::Ordering;

use gsar_client::text::width;
use gsar_core::Policy;
use gsar_core::fixed_point::{Fraction, Millionths};
use gsar_proto::v1;

use super::labels;
use super::page::{BOLD, Page, TEXT_COLUMN, count, listed, styled};
use super::verdict::decided;

const TABLE_COLUMNS: usize = 59;

struct Row {
    name: &'static str,
    weight: f64,
    factor: f64,
    deciding: f64,
}

/// Returns the score that determined the tier.
pub(crate) fn deciding_score(answer: &v1::EvaluateResponse) -> Option<&v1::Score> {
    answer.guarded_score.as_ref().or(answer.score.as_ref())
}

pub(super) fn table(page: &mut Page, answer: &v1::EvaluateResponse, policy: Option<&Policy>) {
    let (Some(score), Some(terms)) = (&answer.score, &answer.terms) else { return };
    let rows = rows(terms, policy);
    let guarded = answer.guarded_score.as_ref().unwrap_or(score);
    let differs = (guarded.numerator, guarded.denominator) != (score.numerator, score.denominator);
    // The policy determines the effect of the guards on the weights.
    let columns = differs && policy.is_some();

    if page.columns() < TABLE_COLUMNS + 2 {
        page.labelled("score", &labels::score(Some(score)));
    } else {
        let deciding = columns.then_some(guarded);
        for (number, line) in lines(&rows, score, deciding).iter().enumerate() {
            if page.columns() < TABLE_COLUMNS + TEXT_COLUMN {
                page.line(&format!("  {line}"));
            } else {
                page.labelled_line(if number == 0 { "score" } else { "" }, line);
            }
        }
    }
    if differs && !columns {
        let text = format!("{} with guards, which decides", labels::score(Some(guarded)));
        page.labelled("", &text);
    }
    if let Some(policy) = policy {
        let (bands, place) = thresholds(policy, guarded);
        let line = format!("{bands}; {place}");
        if TEXT_COLUMN + width(&line) <= page.columns() {
            page.labelled("", &line);
        } else {
            page.labelled("", &bands);
            page.labelled("", &place);
        }
    }
}

/// Returns the lines of the table. `deciding` adds a column for the guarded score.
fn lines(rows: &[Row], score: &v1::Score, deciding: Option<&v1::Score>) -> Vec<String> {
    let decides = |text: &str| deciding.map_or_else(String::new, |_| format!("{text:>12}"));
    let head = format!("{:16}{:>10}{:>9}{:>12}", "", "weight", "factor", "counts");
    let mut lines = vec![format!("{head}{}", decides("decides"))];
    for row in rows {
        let factor = format!("× {}", labels::number(row.factor));
        let (weight, counts) =
            (labels::weight(row.weight), labels::weight(row.weight * row.factor));
        let last = decides(&labels::weight(row.deciding));
        lines.push(format!("{:<16}{weight:>10}{factor:>9}{counts:>12}{last}", row.name));
    }
    let total = format!("{:>12}", labels::score(Some(score)));
    let last = decides(&labels::score(deciding));
    let (total, last) = (styled(BOLD, &total), styled(BOLD, &last));
    lines.push(format!("{:<35}{total}{last}", "(G + K) / all"));
    lines
}

fn rows(terms: &v1::ScoreTerms, policy: Option<&Policy>) -> Vec<Row> {
    let guards = policy.map(|policy| &policy.guards);
    let at_least_one = guards.is_some_and(|guards| guards.rho_at_least_one);
    let deciding_rho = if at_least_one { terms.rho.max(1.0) } else { terms.rho };
    let limit = guards.and_then(|guards| guards.complementary_limit);
    let complementary = limit.map_or(terms.complementary, |limit| {
        terms.complementary.min(terms.grounded * limit.to_f64())
    });
    let unverified = terms.rho.max(1.0);
    let row = |name, weight, factor, deciding| Row { name, weight, factor, deciding };
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
    let apart = |threshold: Millionths| {
        let (score, threshold) =
            (score.numerator() * Millionths::ONE.wide(), score.denominator() * threshold.wide());
        score.abs_diff(threshold)
    };
    let distance = |threshold| {
        let distance =
            Fraction::new(apart(threshold), score.denominator() * Millionths::ONE.wide());
        match distance.map(Fraction::to_decimal) {
            Some(text) if text == "0.000" => "less than 0.001".to_owned(),
            Some(text) => text,
            None => String::new(),
        }
    };
    let place = match (score.compare(proceed), score.compare(regenerate)) {
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
    (bands, place)
}

pub(super) fn margins(page: &mut Page, answer: &v1::EvaluateResponse) {
    let mut label = "margin";
    for change in changes(answer) {
        page.labelled(label, &change);
        label = "";
    }
}

/// Formats the changes that would lead to the next better and the next worse decision.
pub(crate) fn changes(answer: &v1::EvaluateResponse) -> Vec<String> {
    let margins = decided(answer).and_then(|decision| decision.margins.as_ref());
    let both = margins.map(|margins| [&margins.better, &margins.worse]);
    both.into_iter().flatten().flatten().map(format_margin).collect()
}

fn format_margin(margin: &v1::Margin) -> String {
    let (tier, _) = labels::tier(margin.tier());
    let changes: Vec<String> = margin
        .changes
        .iter()
        .map(|change| {
            let (_, class, _) = labels::class(change.class());
            let of_type = match labels::evidence_type(change.r#type()) {
                "" => String::new(),
                name => format!(" ({name})"),
            };
            let verb = match change.action.as_str() {
                "ground" => "ground",
                "drop" => "drop",
                _ => "lose",
            };
            format!("{verb} {}{of_type}", count(change.count, &format!("{class} claim")))
        })
        .collect();
    let named = listed(margin.claim_ids.iter().map(String::as_str), 6);
    let named = if named.is_empty() { String::new() } else { format!(", such as {named}") };
    let away =
        margin.score.as_ref().map(|score| format!("; distance {}", labels::score(Some(score))));
    format!("to {tier}: {}{named}{}", changes.join(" and "), away.unwrap_or_default())
}
