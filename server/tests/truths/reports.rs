//! Requests with true reports, and the evidence for each of their statements.

use std::ops::Range;

use gsar_core::evidence::{Citation, EvidenceKind, Lane};
use gsar_core::{Class, EvidenceType};
use gsar_datasets::{Incident, LongReport, ReportKind, Statement, incidents, long_reports};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1;

use crate::lies::cases::{self, citation};

pub struct TrueReport {
    pub name: String,
    pub is_open: bool,
    pub request: v1::EvaluateRequest,
    pub truths: Vec<Truth>,
}

#[derive(Clone)]
pub struct Truth {
    pub text: String,
    pub place: Option<Range<usize>>,
    pub class: Class,
    pub evidence_type: EvidenceType,
    pub citations: Vec<Citation>,
}

pub fn true_reports() -> Vec<TrueReport> {
    let incidents = incidents().unwrap();
    let long = long_reports().unwrap();
    incidents.iter().map(of_incident).chain(long.iter().map(of_long_report)).collect()
}

fn of_incident(incident: &Incident) -> TrueReport {
    let text = std::fs::read_to_string(incident.report(ReportKind::Faithful)).unwrap();
    let labels = incident.labels(ReportKind::Faithful).unwrap();
    let mut from = 0;
    let truth = |label: &gsar_datasets::Label| {
        let place = place(&text, &label.text, &mut from);
        let quote = label.quote.as_deref().unwrap_or_default();
        Truth {
            text: label.text.clone(),
            place: Some(place),
            class: Class::from_name(&label.class).unwrap(),
            evidence_type: EvidenceType::from_name(&label.evidence_type).unwrap(),
            citations: label.evidence.iter().map(|id| citation(id, "", quote)).collect(),
        }
    };
    TrueReport {
        name: incident.name.clone(),
        is_open: !incident.is_test,
        truths: labels.iter().map(truth).collect(),
        request: request(text.clone(), Vec::new(), cases::evidence(incident)),
    }
}

fn of_long_report(report: &LongReport) -> TrueReport {
    let mut from = 0;
    let stated = report.statements.iter().map(|statement| {
        let place = place(&report.text, &statement.text, &mut from);
        truth(statement, Some(place))
    });
    let stated: Vec<Truth> = stated.collect();
    let given = report.given.iter().map(|statement| truth(statement, None));
    let claims = report.given.iter().enumerate().map(|(number, statement)| v1::Claim {
        id: format!("given-{number}"),
        text: statement.text.clone(),
        span: None,
    });
    let evidence = report.evidence.iter().map(|item| v1::EvidenceItem {
        id: item.id.clone(),
        kind: EvidenceKind::from_name(&item.kind).unwrap().number(),
        lane: Lane::from_name(&item.lane).unwrap().number(),
        tool: item.tool.clone(),
        content: Some(v1::evidence_item::Content::Text(item.content.clone())),
        ..v1::EvidenceItem::default()
    });
    TrueReport {
        name: report.name.clone(),
        is_open: true,
        request: request(report.text.clone(), claims.collect(), evidence.collect()),
        truths: stated.into_iter().chain(given).collect(),
    }
}

fn truth(statement: &Statement, place: Option<Range<usize>>) -> Truth {
    let cited = statement.citations.iter().map(|(id, quote)| citation(id, "", quote));
    Truth {
        text: statement.text.clone(),
        place,
        class: Class::from_name(&statement.class).unwrap(),
        evidence_type: EvidenceType::from_name(&statement.evidence_type).unwrap(),
        citations: cited.collect(),
    }
}

fn request(
    synthesis: String,
    claims: Vec<v1::Claim>,
    evidence: Vec<v1::EvidenceItem>,
) -> v1::EvaluateRequest {
    let report = v1::Report { synthesis, claims, ..v1::Report::default() };
    v1::EvaluateRequest { report: Some(report), evidence, ..v1::EvaluateRequest::default() }
}

/// Returns the position of a statement at or after `from`, ignoring markup. Moves `from` to its end.
fn place(report: &str, statement: &str, from: &mut usize) -> Range<usize> {
    let wanted: Vec<(usize, &str)> = alphanumeric(statement);
    let rest = report.get(*from..).unwrap();
    let all: Vec<(usize, &str)> = alphanumeric(rest);
    let is_here = |window: &[(usize, &str)]| {
        window.iter().zip(&wanted).all(|((_, word), (_, wanted))| word == wanted)
    };
    let found = all.windows(wanted.len()).find(|window| is_here(window));
    let found = found.unwrap_or_else(|| panic!("the report does not say {statement:?}"));
    let (last, word) = found.last().copied().unwrap();
    let place = *from + found.first().unwrap().0..*from + last + word.len();
    *from = place.end;
    place
}

fn alphanumeric(text: &str) -> Vec<(usize, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect()
}
