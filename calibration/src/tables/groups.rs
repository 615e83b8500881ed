//! Formats claims by mistake and origin, baselines, decisions, and citations.

use std::collections::BTreeSet;

use gsar_core::{Class, Tier};

use super::markdown::{both, heading, share as shown, table};
use crate::baselines;
use crate::data_set::Part;
use crate::measured::{Measurements, ReportDecision, Row, precision, recall, share};

type Group = fn(&Row) -> Option<&str>;

pub(super) fn mistakes(page: &mut String, tune: &[&Row], test: &[&Row]) {
    heading(page, "By mistake");
    by_group(page, "mistake", |row| row.label.mistake.as_deref(), tune, test);
}

pub(super) fn origins(page: &mut String, tune: &[&Row], test: &[&Row]) {
    heading(page, "By origin");
    by_group(page, "origin", |row| row.label.origin.as_deref(), tune, test);
}

/// A verdict is right if it has the label's class. A faulty claim is found if it is called ungrounded or
/// contradicted.
fn by_group(page: &mut String, name: &str, group: Group, tune: &[&Row], test: &[&Row]) {
    let groups: BTreeSet<&str> = tune.iter().chain(test).filter_map(|row| group(row)).collect();
    let rows: Vec<Vec<String>> = groups
        .into_iter()
        .map(|group_name| {
            let mut cells = vec![group_name.to_owned()];
            for rows in [tune, test] {
                let is_in = |row: &Row| group(row) == Some(group_name);
                cells.push(shown(&share(rows, is_in, Row::is_right)));
                cells.push(shown(&share(rows, |row| is_in(row) && row.is_faulty(), Row::is_found)));
            }
            cells
        })
        .collect();
    table(page, &[name, "tune: right", "tune: found", "test: right", "test: found"], &rows);
}

pub(super) fn baselines(page: &mut String, measured: &Measurements) {
    heading(page, "Baselines");
    let baselines = baselines::baselines(measured);
    let majority = format!("always {}", baselines.class.name());
    let thresholds = baselines.thresholds;
    let overlap = format!(
        "words shared with the best item: grounded from {} %, contradicted from {} %",
        thresholds.grounded, thresholds.contradicted
    );
    let mut rows = Vec::new();
    for (name, judged) in [
        ("the judge", &measured.rows),
        (&majority, &baselines.majority),
        (&overlap, &baselines.overlap),
    ] {
        let part = |part| judged.iter().filter(|row| row.part == part).collect::<Vec<_>>();
        let (tune, test) = (part(Part::Tune), part(Part::Test));
        let name = |what: &str| format!("{name}: {what}");
        rows.push(both(
            &name("share in the right class"),
            &share(&tune, |_| true, Row::is_right),
            &share(&test, |_| true, Row::is_right),
        ));
        let grounded = |rows| precision(rows, Class::Grounded);
        rows.push(both(&name("grounded precision"), &grounded(&tune), &grounded(&test)));
        let contradicted = |rows| recall(rows, Class::Contradicted);
        rows.push(both(&name("contradicted recall"), &contradicted(&tune), &contradicted(&test)));
    }
    table(page, &["", "tune", "test", "gap"], &rows);
}

pub(super) fn decisions(page: &mut String, reports: &[ReportDecision]) {
    heading(page, "Decisions on whole reports");
    let kinds: BTreeSet<&str> = reports.iter().map(|report| report.kind.as_str()).collect();
    let mut head = vec!["report".to_owned()];
    for part in Part::ALL {
        head.extend(Tier::ALL.map(|tier| format!("{part}: {}", tier.name())));
    }
    let count = |part, kind: &str, tier| {
        let matches = |report: &&ReportDecision| {
            report.part == part && report.kind == kind && report.tier == tier
        };
        reports.iter().filter(matches).count().to_string()
    };
    let rows: Vec<Vec<String>> = kinds
        .into_iter()
        .map(|kind| {
            let cells = Part::ALL
                .into_iter()
                .flat_map(|part| Tier::ALL.map(|tier| count(part, kind, tier)));
            std::iter::once(kind.to_owned()).chain(cells).collect()
        })
        .collect();
    table(page, &head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
}

pub(super) fn agreement(page: &mut String, tune: &[&Row], test: &[&Row]) {
    heading(page, "Type and cited item of claims rightly called grounded");
    let grounded = |row: &Row| row.label.class == Class::Grounded && row.is_right();
    let same_type = |row: &Row| row.label.evidence_type == row.verdict.evidence_type;
    let same_item = |row: &Row| {
        row.label.evidence.as_ref().is_some_and(|item| row.verdict.cited.contains(item))
    };
    let rows = [
        both(
            "same type as the label",
            &share(tune, grounded, same_type),
            &share(test, grounded, same_type),
        ),
        both(
            "cites the item of the label",
            &share(tune, grounded, same_item),
            &share(test, grounded, same_item),
        ),
    ];
    table(page, &["", "tune", "test", "gap"], &rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measured::tests::row;

    #[test]
    fn a_faulty_claim_given_the_wrong_faulty_class_is_found_but_not_right() {
        let mut row = row(0, Class::Contradicted, Class::Ungrounded);
        row.label.mistake = Some("wrong_unit".to_owned());
        let mut page = String::new();
        mistakes(&mut page, &[&row], &[]);
        let line = "| wrong_unit | 0.0 % 0/1 | 100.0 % 1/1 | – | – |";
        assert!(page.contains(line), "{page}");
    }

    #[test]
    fn decisions_are_counted_by_kind_and_part() {
        let decision = |part, tier| ReportDecision { part, kind: "faithful".to_owned(), tier };
        let reports = [
            decision(Part::Tune, Tier::Proceed),
            decision(Part::Tune, Tier::Proceed),
            decision(Part::Test, Tier::Abstain),
        ];
        let mut page = String::new();
        decisions(&mut page, &reports);
        assert!(page.contains("| faithful | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |"), "{page}");
    }

    #[test]
    fn an_additional_citation_does_not_prevent_agreement() {
        let mut row = row(0, Class::Grounded, Class::Grounded);
        row.verdict.cited.insert(0, "e7".to_owned());
        let mut page = String::new();
        agreement(&mut page, &[&row], &[]);
        assert_eq!(page.matches("1/1").count(), 2, "{page}");
        row.verdict.cited = vec!["e7".to_owned()];
        let mut page = String::new();
        agreement(&mut page, &[&row], &[]);
        assert_eq!(page.matches("0/1").count(), 1, "{page}");
    }
}
