//! A judge that knows the evidence for each statement of a true report.

use gsar_core::report::ClaimKind;
use gsar_core::text::tokens::{is_stop_word, words};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};

use super::reports::{TrueReport, Truth};

/// Words added to claims by the server, for questions, proposals and code blocks.
const ADDED: [&str; 9] =
    ["action", "answer", "command", "configuration", "someone", "something", "was", "were", "yes"];

/// Judges a claim by the statements that it consists of. Questions, proposals, and headings and labels without
/// evidence are complementary, and cite the next statement. Claims with other words are ungrounded.
pub fn judged(report: &TrueReport, claim: &Claim) -> JudgedClaim {
    let verdict = |class, evidence_type, truths: &[&Truth]| {
        let mut citations = Vec::new();
        for citation in truths.iter().flat_map(|truth| &truth.citations) {
            if !citations.contains(citation) {
                citations.push(citation.clone());
            }
        }
        let note = String::new();
        JudgedClaim {
            claim: claim.clone(),
            class,
            evidence_type,
            citations,
            note,
            role: gsar_core::Role::default(),
            rules: Vec::new(),
            undecided: None,
        }
    };
    if !is_of(report, claim) {
        return verdict(Class::Ungrounded, EvidenceType::Inference, &[]);
    }
    let truths = statements_of(report, claim);
    let beside = EvidenceType::ComplementaryFinding;
    if ClaimKind::classify(&claim.text) != ClaimKind::Statement {
        let truths = if truths.is_empty() { vec![next_statement(report, claim)] } else { truths };
        return verdict(Class::Complementary, beside, &truths);
    }
    let worst = truths.iter().max_by_key(|truth| (truth.class, truth.evidence_type));
    match worst {
        Some(worst) => verdict(worst.class, worst.evidence_type, &truths),
        None => verdict(Class::Complementary, beside, &[next_statement(report, claim)]),
    }
}

fn is_of(report: &TrueReport, claim: &Claim) -> bool {
    let text = &report.request.report.as_ref().unwrap().synthesis;
    let has = |word: &str| {
        is_stop_word(word) || ADDED.contains(&word.to_lowercase().as_str()) || text.contains(word)
    };
    report.truths.iter().any(|truth| truth.text == claim.text)
        || words(&claim.text).all(|word| has(word.text))
}

fn statements_of<'r>(report: &'r TrueReport, claim: &Claim) -> Vec<&'r Truth> {
    let given =
        report.truths.iter().find(|truth| truth.place.is_none() && truth.text == claim.text);
    if let Some(given) = given {
        return vec![given];
    }
    let touches = |truth: &&Truth| match (&truth.place, &claim.span) {
        (Some(place), Some(span)) => place.start < span.end && span.start < place.end,
        _ => false,
    };
    report.truths.iter().filter(touches).collect()
}

fn next_statement<'r>(report: &'r TrueReport, claim: &Claim) -> &'r Truth {
    let end = claim.span.as_ref().map_or(0, |span| span.end);
    let stated = || report.truths.iter().filter(|truth| truth.place.is_some());
    let follows = |truth: &&Truth| truth.place.as_ref().is_some_and(|place| place.start >= end);
    stated().find(follows).or_else(|| stated().next_back()).unwrap()
}
