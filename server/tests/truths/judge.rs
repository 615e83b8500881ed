//! This module is a judge that knows what shows each statement of a report that is true throughout, and answers by the
//! place of what it is asked. It knows no rule of the product but how questions and proposals are put.

use gsar_core::report::ClaimKind;
use gsar_core::text::tokens::{is_stop_word, words};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};

use super::reports::{TrueReport, Truth};

/// Words that a claim has besides those of its report: it says what a question or a proposal takes for granted, or that
/// something is a command, a setting or an action.
const ADDED: [&str; 9] =
    ["action", "answer", "command", "configuration", "someone", "something", "was", "were", "yes"];

/// What the judge says of a claim.
///
/// A statement has the class and the citations of the statements whose words it is made of. A heading or label of which
/// nobody said what shows it stands beside the findings, like questions and proposals; it is shown by what is cited
/// for the statement after it. A claim of words that the report does not have is ungrounded.
pub fn judged(report: &TrueReport, claim: &Claim) -> JudgedClaim {
    let said = |class, evidence_type, truths: &[&Truth]| {
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
        return said(Class::Ungrounded, EvidenceType::Inference, &[]);
    }
    let truths = behind(report, claim);
    let beside = EvidenceType::ComplementaryFinding;
    if ClaimKind::classify(&claim.text) != ClaimKind::Statement {
        let truths = if truths.is_empty() { vec![after(report, claim)] } else { truths };
        return said(Class::Complementary, beside, &truths);
    }
    let worst = truths.iter().max_by_key(|truth| (truth.class, truth.evidence_type));
    match worst {
        Some(worst) => said(worst.class, worst.evidence_type, &truths),
        None => said(Class::Complementary, beside, &[after(report, claim)]),
    }
}

/// Whether a claim is given or made of words of the report.
fn is_of(report: &TrueReport, claim: &Claim) -> bool {
    let text = &report.request.report.as_ref().unwrap().synthesis;
    let has = |word: &str| {
        is_stop_word(word) || ADDED.contains(&word.to_lowercase().as_str()) || text.contains(word)
    };
    report.truths.iter().any(|truth| truth.text == claim.text)
        || words(&claim.text).all(|word| has(word.text))
}

/// The statements that a claim is made of: the given one of the same words, else those in its place.
fn behind<'r>(report: &'r TrueReport, claim: &Claim) -> Vec<&'r Truth> {
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

/// The first statement after a claim, else the last one.
fn after<'r>(report: &'r TrueReport, claim: &Claim) -> &'r Truth {
    let end = claim.span.as_ref().map_or(0, |span| span.end);
    let stated = || report.truths.iter().filter(|truth| truth.place.is_some());
    let follows = |truth: &&Truth| truth.place.as_ref().is_some_and(|place| place.start >= end);
    stated().find(follows).or_else(|| stated().next_back()).unwrap()
}
