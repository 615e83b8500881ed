//! Summarizes the verdicts of embedded judges.

use gsar_core::{Class, JudgedClaim};

use super::{Judgement, Question};

/// Builds a judgement with an explanation and one sentence per contradiction. `gaps` lists the evidence
/// that was not read.
pub(super) fn summarize(
    question: &Question,
    gaps: Vec<String>,
    verdicts: Vec<JudgedClaim>,
) -> Judgement {
    let undecided = verdicts.iter().filter(|claim| claim.undecided.is_some()).count();
    let count = |class: Class| {
        verdicts.iter().filter(|claim| claim.class == class && claim.undecided.is_none()).count()
    };
    let items = question.evidence.len();
    let explanation = format!(
        "Of {} {}, {} grounded, {} ungrounded, {} contradicted and {undecided} not decided by {items} {} of evidence.",
        verdicts.len(),
        if verdicts.len() == 1 { "claim" } else { "claims" },
        count(Class::Grounded),
        count(Class::Ungrounded),
        count(Class::Contradicted),
        if items == 1 { "item" } else { "items" },
    );
    let contradictions = verdicts
        .iter()
        .filter(|claim| claim.class == Class::Contradicted)
        .map(|claim| format!("{}: {}.", claim.claim.id, claim.note))
        .collect();
    Judgement { judged: verdicts, explanation, gaps, contradictions, ..Judgement::default() }
}
