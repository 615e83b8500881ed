//! Summarizes the verdicts of embedded judges.

use gsar_core::{Class, JudgedClaim};

use super::{Judgement, Question};

/// Builds a judgement with an explanation and one sentence per contradiction. `gaps` lists the evidence
/// that was not read.
pub(super) fn summarize(
    question: &Question,
    gaps: Vec<String>,
    judged: Vec<JudgedClaim>,
) -> Judgement {
    let undecided = judged.iter().filter(|claim| claim.undecided.is_some()).count();
    let count = |class: Class| {
        judged.iter().filter(|claim| claim.class == class && claim.undecided.is_none()).count()
    };
    let items = question.evidence.len();
    let explanation = format!(
        "Of {} {}, {} grounded, {} ungrounded, {} contradicted and {undecided} not decided by {items} {} of evidence.",
        judged.len(),
        if judged.len() == 1 { "claim" } else { "claims" },
        count(Class::Grounded),
        count(Class::Ungrounded),
        count(Class::Contradicted),
        if items == 1 { "item" } else { "items" },
    );
    let contradictions = judged
        .iter()
        .filter(|claim| claim.class == Class::Contradicted)
        .map(|claim| format!("{}: {}.", claim.claim.id, claim.note))
        .collect();
    Judgement { judged, explanation, gaps, contradictions, ..Judgement::default() }
}
