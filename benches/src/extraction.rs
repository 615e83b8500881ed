//! Runs one `Evaluate` call from the service figures without a server: extraction, rules and verification.

use anyhow::Context as _;
use gsar_core::evidence::{Citation, Content, EvidenceId, EvidenceItem, Lane};
use gsar_core::policy::VerificationMode;
use gsar_core::verify::{EvidenceSet, verify};
use gsar_core::{Claim, ClaimId, Class, EvidenceType, JudgedClaim, Preset, preset};
use gsar_extraction::budget::Budget;
use gsar_extraction::facts::{Facts, Item, RecordId};
use gsar_extraction::rules::{Index, Outcome};
use gsar_proto::v1::evidence_item;

use crate::requests;

/// The claims and evidence in the request.
#[derive(Debug)]
pub struct Question {
    claims: Vec<Claim>,
    evidence: Vec<EvidenceItem>,
}

impl Question {
    /// Converts the request to core types.
    pub fn new() -> anyhow::Result<Self> {
        let request = requests::evaluate();
        let claims = request
            .report
            .context("no report")?
            .claims
            .into_iter()
            .map(|claim| Ok(Claim::new(ClaimId::new(claim.id)?, claim.text)));
        let evidence = request.evidence.into_iter().map(|item| {
            let content = match item.content.context("no content")? {
                evidence_item::Content::Text(text) => Content::Text(text),
                evidence_item::Content::Json(json) => Content::Json(json),
                evidence_item::Content::CheckRun(run) => Content::Text(run.output),
            };
            Ok(EvidenceItem {
                tool: item.tool,
                query: item.query,
                exhaustive: item.exhaustive,
                attested: true,
                ..EvidenceItem::new(EvidenceId::new(item.id)?, Lane::Logs, content)
            })
        });
        Ok(Self {
            claims: claims.collect::<anyhow::Result<_>>()?,
            evidence: evidence.collect::<anyhow::Result<_>>()?,
        })
    }
}

/// Extracts facts, applies the rules and verifies. Returns the number of claims with a verdict.
pub fn check(question: &Question) -> anyhow::Result<usize> {
    let Question { claims, evidence } = question;
    let index = Index::new(
        Facts::extract(evidence.iter().map(Item::from), &Budget::unlimited()),
        &Budget::unlimited(),
    );
    let judged = claims.iter().map(|claim| judge_claim(claim, evidence, &index));
    let verified = verify(
        VerificationMode::Enforce,
        &preset(Preset::Reference),
        claims,
        judged.collect::<anyhow::Result<Vec<JudgedClaim>>>()?,
        &EvidenceSet::new(evidence),
    );
    Ok(verified.claims.len())
}

/// Judges a claim with the rules and cites the record that decides it.
fn judge_claim(
    claim: &Claim,
    evidence: &[EvidenceItem],
    index: &Index<'_>,
) -> anyhow::Result<JudgedClaim> {
    let (class, evidence_type, record) = match index.check(&claim.text) {
        Outcome::Supports(_, place) => {
            (Class::Grounded, EvidenceType::ToolMatch, Some(place.record))
        }
        Outcome::Refutes(_, place) => {
            (Class::Contradicted, EvidenceType::ToolMatch, Some(place.record))
        }
        Outcome::Silent => (Class::Ungrounded, EvidenceType::Inference, None),
    };
    let citations = record.into_iter().map(|record| citation(record, evidence, index));
    let citations = citations.collect::<anyhow::Result<_>>()?;
    Ok(JudgedClaim { citations, ..JudgedClaim::new(claim.clone(), class, evidence_type) })
}

fn citation(
    record: RecordId,
    evidence: &[EvidenceItem],
    index: &Index<'_>,
) -> anyhow::Result<Citation> {
    let facts = index.facts();
    let item = facts.item_of(record).and_then(|item| evidence.get(item.0)).context("no item")?;
    let span = facts.record(record).context("no record")?.span.clone();
    let quote = item.content.as_str().get(span).context("no text")?;
    Ok(Citation::new(item.id.clone(), quote))
}
