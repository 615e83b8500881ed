//! Generates the report for the judging figures from a seed: ten claims and a hundred log items.
//!
//! Each claim occurs verbatim in one item, so that verification finds the quote.

use std::fmt::Write as _;

use gsar_datasets::Random;
use gsar_proto::v1::evidence_item::Content;
use gsar_proto::v1::{
    Claim, EvaluateOptions, EvaluateRequest, EvidenceItem, EvidenceKind, EvidenceLane, Report,
};
use serde_json::{Value, json};

use crate::partitions::SEED;

/// The number of items.
pub const ITEMS: usize = 100;
/// The number of claims.
pub const CLAIMS: usize = 10;

const SERVICES: [&str; 10] = [
    "checkout", "billing", "ledger", "search", "cart", "gateway", "inventory", "pricing",
    "shipping", "accounts",
];

/// A claim with its supporting quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grounded {
    /// The claim.
    pub text: String,
    /// The index of the supporting item.
    pub item: usize,
    /// The quote from that item.
    pub quote: String,
}

/// The evidence and claims for a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// Items, each 200 to 500 bytes long.
    pub evidence: Vec<String>,
    /// Supported claims.
    pub claims: Vec<Grounded>,
}

impl Incident {
    /// Generates the incident. The result is always the same.
    pub fn new() -> Self {
        let mut random = Random::new(SEED);
        let claims: Vec<Grounded> = SERVICES
            .iter()
            .enumerate()
            .map(|(number, service)| {
                let (used, max) = (40 + random.below(50), 100 + random.below(50));
                let quote = format!("{service} connection pool holds {used} of {max} connections");
                let text = format!("The {quote}.");
                Grounded { text, item: number * (ITEMS / CLAIMS) + 3, quote }
            })
            .collect();
        let evidence = (0..ITEMS).map(|item| {
            let stated = claims.iter().find(|claim| claim.item == item);
            content(&mut random, item, stated.map(|claim| claim.quote.as_str()))
        });
        Self { evidence: evidence.collect(), claims }
    }

    /// Returns the report text with one sentence per claim.
    pub fn synthesis(&self) -> String {
        let texts: Vec<&str> = self.claims.iter().map(|claim| claim.text.as_str()).collect();
        texts.join(" ")
    }

    /// Builds a request with the claims, or with the text only.
    pub fn request(&self, with_claims: bool, bypass_cache: bool) -> EvaluateRequest {
        let claims = self.claims.iter().enumerate().filter(|_| with_claims);
        let claims = claims.map(|(number, claim)| Claim {
            id: format!("c{}", number + 1),
            text: claim.text.clone(),
            span: None,
        });
        EvaluateRequest {
            report: Some(Report {
                id: "connection-pools".to_owned(),
                claims: claims.collect(),
                synthesis: if with_claims { String::new() } else { self.synthesis() },
                ..Report::default()
            }),
            evidence: self.evidence.iter().enumerate().map(item).collect(),
            options: Some(EvaluateOptions { bypass_cache, ..EvaluateOptions::default() }),
            ..EvaluateRequest::default()
        }
    }

    /// Returns the report and evidence for programs in other languages.
    pub fn to_json(&self) -> Value {
        json!({ "report": self.synthesis(), "claims": CLAIMS, "evidence": self.evidence })
    }
}

impl Default for Incident {
    fn default() -> Self {
        Self::new()
    }
}

fn item((number, content): (usize, &String)) -> EvidenceItem {
    EvidenceItem {
        id: format!("log-{number}"),
        kind: EvidenceKind::ToolOutput.into(),
        lane: EvidenceLane::Logs.into(),
        tool: format!("kubectl logs deployment/{} --since=1h", service(number)),
        content: Some(Content::Text(content.clone())),
        ..EvidenceItem::default()
    }
}

fn service(number: usize) -> &'static str {
    SERVICES.get(number % SERVICES.len()).copied().unwrap_or_default()
}

/// Generates log lines after the `stated` line, up to a random size.
fn content(random: &mut Random, number: usize, stated: Option<&str>) -> String {
    let max = 290 + random.below(210);
    let service = service(number);
    let (mut text, mut second) = (String::new(), 0);
    if let Some(stated) = stated {
        let _ = writeln!(text, "2026-03-12T14:{:02}:00Z WARN {stated}", number % 60);
    }
    loop {
        second += 1 + random.below(4);
        let line = format!(
            "2026-03-12T14:{:02}:{second:02}Z INFO {service} served route=/v1/orders took={}ms status=200\n",
            number % 60,
            20 + random.below(900),
        );
        if text.len() + line.len() > max {
            return text;
        }
        text.push_str(&line);
    }
}
