//! This module prints what was counted of rules, as Markdown. It counts nothing.

use super::counted::{Count, Totals};
use super::folds::Spread;
use super::summary::{OfRule, Summary};
use crate::arguments::AblateRules;
use crate::tables::markdown::{NOTHING, heading, table};

/// The page over all sources.
pub(super) fn page(wanted: &AblateRules, summaries: &[Summary]) -> String {
    let mut page = format!(
        "# Rules, one by one\n\nPart {}, {} folds of whole cases. Intervals: 95 %; of totals from 1,000 draws of whole cases, of single rules Wilson's. Complementary claims are counted apart.\n",
        wanted.part.name(),
        wanted.folds
    );
    for summary in summaries {
        let Summary { source, cases, claims, .. } = summary;
        heading(&mut page, &format!("{source}: {cases} cases, {claims} claims"));
        totals(&mut page, summary);
        page.push('\n');
        alone(&mut page, &summary.rules);
        page.push('\n');
        without(&mut page, &summary.rules, wanted.folds);
    }
    page
}

fn totals(page: &mut String, summary: &Summary) {
    let row = |name: &str, cell: fn(&Totals) -> Count| {
        let cells = [&summary.totals, &summary.cross_validated].map(|totals| shown(cell(totals)));
        std::iter::once(name.to_owned()).chain(cells).collect::<Vec<String>>()
    };
    let rows = [
        row("grounded precision", |totals| totals.grounded_precision),
        row("grounded recall", |totals| totals.grounded_recall),
        row("contradicted precision", |totals| totals.contradicted_precision),
        row("contradicted recall", |totals| totals.contradicted_recall),
        row("complementary claims supported", |totals| totals.complementary_supported),
        row("complementary claims refuted", |totals| totals.complementary_refuted),
    ];
    table(page, &["", "all rules", "rules that the other folds keep"], &rows);
}

fn alone(page: &mut String, rules: &[OfRule]) {
    let row = |of: &OfRule| {
        let alone = &of.alone;
        vec![
            of.rule.to_owned(),
            alone.applied.to_string(),
            alone.right.to_string(),
            alone.wrong.to_string(),
            shown(alone.precision),
            format!("{}/{}", alone.supports.hits, alone.supports.of),
            format!("{}/{}", alone.refutes.hits, alone.refutes.of),
            alone.complementary.to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = rules.iter().map(row).collect();
    let head =
        ["rule", "applied", "right", "wrong", "precision", "supports", "refutes", "complementary"];
    table(page, &head, &rows);
}

fn without(page: &mut String, rules: &[OfRule], folds: usize) {
    let row = |of: &OfRule| {
        let OfRule { without, worth, .. } = of;
        vec![
            of.rule.to_owned(),
            percent(without.grounded_precision),
            percent(without.grounded_recall),
            percent(without.contradicted_precision),
            percent(without.contradicted_recall),
            spread(worth.grounded),
            spread(worth.contradicted),
            format!("{}/{folds}", worth.kept),
        ]
    };
    let rows: Vec<Vec<String>> = rules.iter().map(row).collect();
    let head = [
        "without the rule",
        "grounded precision",
        "recall",
        "contradicted precision",
        "recall",
        "it adds to grounded recall, least to greatest of the folds",
        "to contradicted recall",
        "kept by the other folds",
    ];
    table(page, &head, &rows);
}

/// `87.5 % [80.0, 92.1] 7/8`
fn shown(count: Count) -> String {
    let interval =
        count.interval.map_or(String::new(), |[low, high]| format!(" [{low:.1}, {high:.1}]"));
    match count.of {
        0 => NOTHING.to_owned(),
        of => format!("{}{interval} {}/{of}", percent(count), count.hits),
    }
}

fn percent(count: Count) -> String {
    match count.of {
        0 => NOTHING.to_owned(),
        of => format!("{:.1} %", f64::from(count.hits) * 100.0 / f64::from(of)),
    }
}

fn spread(spread: Option<Spread>) -> String {
    spread.map_or(NOTHING.to_owned(), |Spread { least, greatest }| {
        format!("{least:+.1} … {greatest:+.1}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_nothing() {
        let count = |hits, of, interval| Count { hits, of, interval };
        assert_eq!(shown(count(0, 0, None)), NOTHING);
        assert_eq!(shown(count(1, 2, None)), "50.0 % 1/2");
        assert_eq!(shown(count(1, 2, Some([9.45, 90.55]))), "50.0 % [9.4, 90.5] 1/2");
        assert_eq!(spread(Some(Spread { least: 0.0, greatest: 1.25 })), "+0.0 … +1.2");
        assert_eq!(spread(None), NOTHING);
    }
}
