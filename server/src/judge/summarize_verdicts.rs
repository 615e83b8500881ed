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
        "Judged {} {} against {items} {} of evidence: {} grounded, {} ungrounded, {} contradicted, {undecided} undecided.",
        verdicts.len(),
        if verdicts.len() == 1 { "claim" } else { "claims" },
        if items == 1 { "item" } else { "items" },
        count(Class::Grounded),
        count(Class::Ungrounded),
        count(Class::Contradicted),
    );
    let contradictions = verdicts
        .iter()
        .filter(|claim| claim.class == Class::Contradicted)
        .map(|claim| format!("{}: {}.", claim.claim.id, claim.note))
        .collect();
    Judgement { judged: verdicts, explanation, gaps, contradictions, ..Judgement::default() }
}
