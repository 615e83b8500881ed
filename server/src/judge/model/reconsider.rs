//! Builds the request that asks a model to reconsider.

use std::borrow::Cow;

use gsar_core::evidence::{Citation, EvidenceId, Target};

use super::framed::Piece;
use crate::judge::{Objection, Question};

pub(super) const RECONSIDER: &str = include_str!("prompts/reconsider.txt");

/// Returns the question for each part of the evidence, or `None` to skip the part. Each objection is sent
/// with one part only, which [`part_index`] selects.
pub(super) fn questions_per_part<'q>(
    question: &'q Question,
    parts: &[Vec<Piece<'_>>],
) -> Vec<Option<Cow<'q, Question>>> {
    if question.objections.is_empty() {
        return parts.iter().map(|_| Some(Cow::Borrowed(question))).collect();
    }
    let indices: Vec<usize> =
        question.objections.iter().map(|objection| part_index(objection, parts)).collect();
    (0..parts.len())
        .map(|part| {
            let objections: Vec<Objection> = question
                .objections
                .iter()
                .zip(&indices)
                .filter(|(_, index)| **index == part)
                .map(|(objection, _)| objection.clone())
                .collect();
            (!objections.is_empty()).then(|| Cow::Owned(question.with_objections(objections)))
        })
        .collect()
}

/// Returns the index of the first part that contains a quote of the verdict. If there is none, returns the
/// index of the first part that contains a cited item, or else 0.
fn part_index(objection: &Objection, parts: &[Vec<Piece<'_>>]) -> usize {
    let is_cited = |piece: &Piece<'_>, citation: &Citation| match &citation.target {
        Target::Evidence { id, .. } => *id == piece.item.id,
        Target::Claim(_) => false,
    };
    let citations = &objection.verdict.citations;
    let contains_quote = |piece: &Piece<'_>| {
        citations.iter().any(|citation| {
            is_cited(piece, citation)
                && !citation.quote.is_empty()
                && piece.content.contains(&citation.quote)
        })
    };
    let cites_item = |piece: &Piece<'_>| citations.iter().any(|citation| is_cited(piece, citation));
    let first_part = |matches: &dyn Fn(&Piece<'_>) -> bool| {
        parts.iter().position(|part| part.iter().any(matches))
    };
    first_part(&contains_quote).or_else(|| first_part(&cites_item)).unwrap_or(0)
}

pub(super) fn format_objections(
    objections: &[Objection],
    label: impl Fn(&EvidenceId) -> Option<String>,
    mut hide: impl FnMut(&str) -> String,
) -> String {
    let mut text =
        format!("\n{RECONSIDER}\nYour verdicts and what was found, one JSON object a line:\n");
    for Objection { verdict, findings, .. } in objections {
        let citations: Vec<serde_json::Value> = verdict
            .citations
            .iter()
            .filter_map(|citation| match &citation.target {
                Target::Evidence { id, field_path } => Some(serde_json::json!({
                    "evidence": label(id)?,
                    "field_path": (!field_path.is_empty()).then(|| hide(field_path)),
                    "quote": hide(&citation.quote),
                })),
                Target::Claim(id) => Some(serde_json::json!({ "claim": id.as_str() })),
            })
            .collect();
        let hidden_findings: Vec<String> = findings.iter().map(|finding| hide(finding)).collect();
        let line = serde_json::json!({
            "id": verdict.claim.id.as_str(),
            "class": verdict.class.name(),
            "type": verdict.evidence_type.name(),
            "citations": citations,
            "found": hidden_findings,
        });
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}
