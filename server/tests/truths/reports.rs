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
    pub span: Option<Range<usize>>,
    pub class: Class,
    pub evidence_type: EvidenceType,
    pub citations: Vec<Citation>,
}

pub fn true_reports() -> Vec<TrueReport> {
    let incidents = incidents().unwrap();
    let long = long_reports().unwrap();
    incidents.iter().map(from_incident).chain(long.iter().map(from_long_report)).collect()
}

fn from_incident(incident: &Incident) -> TrueReport {
    let text = std::fs::read_to_string(incident.report(ReportKind::Faithful)).unwrap();
    let labels = incident.labels(ReportKind::Faithful).unwrap();
    let mut start = 0;
    let truth = |label: &gsar_datasets::Label| {
        let span = span(&text, &label.text, &mut start);
        let quote = label.quote.as_deref().unwrap_or_default();
        Truth {
            text: label.text.clone(),
            span: Some(span),
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

fn from_long_report(report: &LongReport) -> TrueReport {
    let mut start = 0;
    let from_text = report.statements.iter().map(|statement| {
        let span = span(&report.text, &statement.text, &mut start);
        truth(statement, Some(span))
    });
    let from_text: Vec<Truth> = from_text.collect();
    let from_claims = report.given.iter().map(|statement| truth(statement, None));
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
        ..Default::default()
    });
    TrueReport {
        name: report.name.clone(),
        is_open: true,
        request: request(report.text.clone(), claims.collect(), evidence.collect()),
        truths: from_text.into_iter().chain(from_claims).collect(),
    }
}

fn truth(statement: &Statement, span: Option<Range<usize>>) -> Truth {
    let cited = statement.citations.iter().map(|cited| citation(&cited.evidence, "", &cited.quote));
    Truth {
        text: statement.text.clone(),
        span,
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
    let report = v1::Report { synthesis, claims, ..Default::default() };
    v1::EvaluateRequest { report: Some(report), evidence, ..Default::default() }
}

/// Returns the byte range of the first match for the statement at or after `start`, ignoring markup. Moves `start` to
/// the end of the range.
fn span(report: &str, statement: &str, start: &mut usize) -> Range<usize> {
    let statement_words: Vec<(usize, &str)> = words_with_offsets(statement);
    let rest = report.get(*start..).unwrap();
    let report_words: Vec<(usize, &str)> = words_with_offsets(rest);
    let matches_statement = |window: &[(usize, &str)]| {
        window.iter().zip(&statement_words).all(|((_, word), (_, expected))| word == expected)
    };
    let found =
        report_words.windows(statement_words.len()).find(|window| matches_statement(window));
    let found = found.unwrap_or_else(|| panic!("the report does not contain {statement:?}"));
    let (last, word) = found.last().copied().unwrap();
    let span = *start + found.first().unwrap().0..*start + last + word.len();
    *start = span.end;
    span
}

fn words_with_offsets(text: &str) -> Vec<(usize, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word)).collect()
}
