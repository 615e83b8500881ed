//! Reads incidents with the labels of their reports.

use std::path::Path;

use anyhow::{Context as _, Result};
use gsar_core::{Class, EvidenceType};
use gsar_datasets::{Incident, ReportKind, incidents_in};
use gsar_proto::v1;

use super::{Case, DataSet, Label, Part, Prose};

pub(crate) fn incident_data(folder: &Path) -> Result<DataSet> {
    let mut data_set = DataSet::default();
    for incident in incidents_in(folder)? {
        let case = data_set.cases.len();
        let evidence = gsar_client::evidence::load(&[incident.evidence()])?.items;
        let part = if incident.is_test { Part::Test } else { Part::Tune };
        for kind in ReportKind::ALL {
            let text = report_text(&incident, kind)?;
            let labels = labels(&incident, kind, &text, case)
                .with_context(|| format!("{}, {} report", incident.name, kind.name()))?;
            data_set.reports.push(Prose { case, kind: kind.name().to_owned(), text, labels });
        }
        data_set.cases.push(Case { name: incident.name, part, evidence });
    }
    Ok(data_set)
}

fn report_text(incident: &Incident, kind: ReportKind) -> Result<String> {
    let path = incident.report(kind);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn labels(incident: &Incident, kind: ReportKind, report: &str, case: usize) -> Result<Vec<Label>> {
    let mut end = 0;
    let mut labels = Vec::new();
    for (number, label) in incident.labels(kind)?.into_iter().enumerate() {
        let found = report.get(end..).and_then(|rest| rest.find(&label.text));
        let start =
            end + found.with_context(|| format!("`{}` is not in the report", label.text))?;
        end = start + label.text.len();
        let class = Class::from_name(&label.class);
        let evidence_type = EvidenceType::from_name(&label.evidence_type);
        labels.push(Label {
            id: format!("{}/c{}", kind.name(), number + 1),
            case,
            text: label.text,
            span: Some(v1::ByteRange { start: start as u64, end: end as u64 }),
            class: class.with_context(|| format!("unknown class `{}`", label.class))?,
            evidence_type: evidence_type
                .with_context(|| format!("unknown type `{}`", label.evidence_type))?,
            evidence: label.evidence,
            quote: label.quote,
            origin: None,
            mistake: None,
        });
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_incidents_of_this_repository() {
        let data_set = incident_data(&gsar_datasets::folder().join("incidents")).unwrap();
        assert_eq!(data_set.reports.len(), 3 * data_set.cases.len());
        let faithful = data_set.reports.iter().find(|report| report.kind == "faithful").unwrap();
        assert!(faithful.labels.len() > 5);
        for label in &faithful.labels {
            let span = label.span.unwrap();
            let (start, end) = (span.start as usize, span.end as usize);
            assert_eq!(faithful.text.get(start..end), Some(label.text.as_str()));
        }
        let case = &data_set.cases[faithful.case];
        assert!(case.evidence.iter().any(|item| item.exhaustive));
    }
}
