//! Formats a comparison as Markdown.

use std::fmt::Write as _;

use gsar_core::{Class, Tier};

use super::Comparison;
use crate::tables::markdown::{between, figure, heading, table};

pub(super) fn page(comparison: &Comparison, policy: &str) -> String {
    let [first, second] = &comparison.runs;
    let mut page = format!("# {second} against {first}\n\n");
    let _ = writeln!(
        page,
        "{} rows in both, {} in only one; policy `{policy}`. Rows are {first}, columns {second}.",
        comparison.rows, comparison.only_in_one
    );
    heading(&mut page, "Decisions");
    confusion(&mut page, Tier::ALL.map(Tier::name), &comparison.tiers);
    heading(&mut page, "Classes");
    confusion(&mut page, Class::ALL.map(Class::name), &comparison.classes);
    heading(&mut page, "Differences");
    let (proceeds, between_proceeds) = &comparison.more_proceeds;
    let (score, between_scores) = &comparison.more_score;
    let [tier_kappa, class_kappa] = comparison.kappas;
    let (only_first, only_second, p) = comparison.right;
    table(
        &mut page,
        &["measure", "value"],
        &[
            vec![
                "Δ proceed, points".to_owned(),
                format!("{:+.1}{}", proceeds * 100.0, between(between_proceeds.as_ref(), 100.0, 1)),
            ],
            vec![
                "Δ S".to_owned(),
                format!("{score:+.3}{}", between(between_scores.as_ref(), 1.0, 3)),
            ],
            vec!["Cohen's kappa of decisions".to_owned(), figure(tier_kappa)],
            vec!["Cohen's kappa of classes".to_owned(), figure(class_kappa)],
            vec![format!("claims that only {first} gets right"), only_first.to_string()],
            vec![format!("claims that only {second} gets right"), only_second.to_string()],
            vec!["McNemar, exact p".to_owned(), probability(p)],
        ],
    );
    page
}

fn confusion(page: &mut String, names: [&str; 4], counts: &[[usize; 4]; 4]) {
    let mut head = vec![""];
    head.extend(names);
    let rows = names.iter().zip(counts).map(|(name, counts)| {
        std::iter::once((*name).to_owned()).chain(counts.iter().map(usize::to_string)).collect()
    });
    table(page, &head, &rows.collect::<Vec<_>>());
}

fn probability(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        p => figure(p),
    }
}
