//! Formats the results of a run as Markdown.

mod classes;
mod groups;
pub(crate) mod markdown;
mod mutations;
mod retrieval;
mod worst;

use std::fmt::Write as _;

use crate::data_set::Part;
use crate::measured::{Measurements, Row};

pub(crate) use mutations::mutations;
pub(crate) use retrieval::retrieval;

pub(crate) fn measured(title: &str, measured: &Measurements, worst: usize) -> String {
    let mut page = format!("# {title}\n\n{}\n", sizes(measured));
    page.push_str(
        "Intervals: 95 %, from 1,000 draws of whole cases; none below five cases. Gap: test minus tune, in points.\n",
    );
    let (tune, test) = (measured.part(Part::Tune), measured.part(Part::Test));
    classes::section(&mut page, "All claims", &tune, &test);
    if measured.rows.iter().any(|row| row.label.origin.is_some()) {
        classes::section(&mut page, "Natural claims only", &natural(&tune), &natural(&test));
        groups::mistakes(&mut page, &tune, &test);
        groups::origins(&mut page, &tune, &test);
    }
    groups::baselines(&mut page, measured);
    groups::decisions(&mut page, &measured.reports);
    groups::agreement(&mut page, &tune, &test);
    worst::section(&mut page, measured, worst);
    page
}

fn sizes(measured: &Measurements) -> String {
    let mut line = String::new();
    for part in Part::ALL {
        let cases = measured.cases.iter().filter(|case| case.part == part).count();
        let reports = measured.reports.iter().filter(|report| report.part == part).count();
        let claims = measured.part(part).len();
        let _ = write!(line, "{part}: {cases} cases, {claims} claims, {reports} reports. ");
    }
    line.trim_end().to_owned()
}

fn natural<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let is_natural = |row: &&&Row| row.label.origin.as_deref() == Some("natural");
    rows.iter().filter(is_natural).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_set::Case;
    use crate::measured::ReportDecision;
    use crate::measured::tests::row;
    use gsar_core::{Class, Tier};

    fn run() -> Measurements {
        let case = |name: &str, part| Case { name: name.to_owned(), part, evidence: Vec::new() };
        let mut rows = vec![
            row(0, Class::Grounded, Class::Contradicted),
            row(0, Class::Contradicted, Class::Grounded),
            row(1, Class::Contradicted, Class::Grounded),
        ];
        for (row, text) in rows.iter_mut().zip(["tune false alarm", "tune missed", "secret row"]) {
            row.label.text = text.to_owned();
            row.label.origin = Some("natural".to_owned());
        }
        rows[2].part = Part::Test;
        let kind = "faithful".to_owned();
        Measurements {
            cases: vec![case("a", Part::Tune), case("b", Part::Test)],
            rows,
            reports: vec![ReportDecision { part: Part::Tune, kind, tier: Tier::Replan }],
        }
    }

    #[test]
    fn rows_of_the_test_part_are_never_shown() {
        let page = measured("Claims", &run(), 20);
        assert!(!page.contains("secret row"), "{page}");
        let missed = page.find("tune missed").unwrap();
        let alarm = page.find("tune false alarm").unwrap();
        assert!(missed < alarm, "a missed fault comes first");
        assert!(page.contains("tune: 1 cases, 2 claims, 1 reports. test: 1 cases, 1 claims"));
    }

    #[test]
    fn limits_the_number_of_mistakes() {
        let page = measured("Claims", &run(), 1);
        assert!(page.contains("tune missed") && !page.contains("tune false alarm"), "{page}");
    }
}
