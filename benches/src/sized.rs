//! Generates requests that grow in one dimension, to measure how the cost of calls grows.

use std::fmt::Write as _;

use clap::ValueEnum;
use gsar_core::{Class, EvidenceType};
use gsar_proto::enums::Enumeration as _;
use gsar_proto::v1::evidence_item::Content;
use gsar_proto::v1::score_request::Partition;
use gsar_proto::v1::{
    Citation, Claim, EvaluateRequest, EvidenceItem, EvidenceKind, EvidenceLane, JudgedClaim,
    JudgedPartition, Report, ScoreRequest,
};
use prost::Message as _;

const CLAIMS: usize = 20;
const LINES: usize = 250;

/// The dimension in which a request grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dimension {
    /// The sentences of a report without claims.
    Report,
    /// The given claims.
    Claims,
    /// The evidence items, of one line each.
    Items,
    /// The lines of one evidence item.
    Lines,
    /// The citations of 20 judged claims.
    Citations,
}

impl Dimension {
    /// Encodes a request of a given size: a `ScoreRequest` for citations, and an `EvaluateRequest` otherwise.
    pub fn request(self, size: usize) -> Vec<u8> {
        let evaluate = |claims: usize, synthesis: String, evidence: Vec<EvidenceItem>| {
            let report = Report { synthesis, claims: self::claims(claims), ..Report::default() };
            EvaluateRequest { report: Some(report), evidence, ..EvaluateRequest::default() }
                .encode_to_vec()
        };
        let no_text = String::new();
        match self {
            Self::Report => {
                let sentences = (0..size).map(|number| format!("{}.", sentence(number)));
                let synthesis = sentences.collect::<Vec<_>>().join(" ");
                evaluate(0, synthesis, vec![item(0, LINES)])
            }
            Self::Claims => evaluate(size, no_text, vec![item(0, LINES)]),
            Self::Items => {
                evaluate(CLAIMS, no_text, (0..size).map(|number| item(number, 1)).collect())
            }
            Self::Lines => evaluate(CLAIMS, no_text, vec![item(0, size)]),
            Self::Citations => citations(size).encode_to_vec(),
        }
    }
}

fn sentence(number: usize) -> String {
    format!("The pod cart-{number} was restarted {} times", number % 9 + 2)
}

fn line(number: usize) -> String {
    let (minute, second) = (number / 60 % 60, number % 60);
    format!(
        "2026-03-12T14:{minute:02}:{second:02}Z ERROR cart-{number} was killed: out of memory\n"
    )
}

fn claims(count: usize) -> Vec<Claim> {
    let claim = |number| Claim { id: format!("c{number}"), text: sentence(number), span: None };
    (0..count).map(claim).collect()
}

fn item(number: usize, lines: usize) -> EvidenceItem {
    let content = (number..number + lines).fold(String::new(), |mut content, number| {
        let _ = write!(content, "{}", line(number));
        content
    });
    EvidenceItem {
        id: format!("log-{number}"),
        kind: EvidenceKind::ToolOutput.into(),
        lane: EvidenceLane::Logs.into(),
        tool: "kubectl logs".to_owned(),
        content: Some(Content::Text(content)),
        ..EvidenceItem::default()
    }
}

fn citations(count: usize) -> ScoreRequest {
    let citation = |number| Citation {
        evidence_id: "log-0".to_owned(),
        quote: line(number).trim_end().to_owned(),
        ..Citation::default()
    };
    let claims = claims(CLAIMS).into_iter().enumerate().map(|(number, claim)| JudgedClaim {
        id: claim.id,
        text: claim.text,
        class: Class::Grounded.number(),
        r#type: EvidenceType::ToolMatch.number(),
        citations: (number..count).step_by(CLAIMS).map(citation).collect(),
        ..JudgedClaim::default()
    });
    ScoreRequest {
        partition: Some(Partition::Judged(JudgedPartition {
            claims: claims.collect(),
            evidence: vec![item(0, count.max(LINES))],
            ..JudgedPartition::default()
        })),
        ..ScoreRequest::default()
    }
}
