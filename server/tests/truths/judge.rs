//! A judge that knows the evidence for each statement of a true report.

use gsar_core::report::ClaimKind;
use gsar_core::text::tokens::{is_stop_word, words};
use gsar_core::{Claim, Class, EvidenceType, JudgedClaim};

use super::reports::{TrueReport, Truth};

/// Words that the server adds to claims for questions, proposals and code blocks.
const ADDED_WORDS: [&str; 9] =
    ["action", "answer", "command", "configuration", "someone", "something", "was", "were", "yes"];

/// Judges a claim by the statements that it consists of. Questions and proposals are complementary, and so are claims
/// without statements, such as headings and labels. Without statements of its own, a claim cites the evidence for the
/// next statement. Claims with words that are not in the report are ungrounded.
pub fn judge_truthfully(report: &TrueReport, claim: &Claim) -> JudgedClaim {
    let verdict = |class, evidence_type, truths: &[&Truth]| {
        let mut citations = Vec::new();
        for citation in truths.iter().flat_map(|truth| &truth.citations) {
            if !citations.contains(citation) {
                citations.push(citation.clone());
            }
        }
        JudgedClaim { citations, ..JudgedClaim::new(claim.clone(), class, evidence_type) }
    };
    if !consists_of_report_words(report, claim) {
        return verdict(Class::Ungrounded, EvidenceType::Inference, &[]);
    }
    let truths = statements_of(report, claim);
    let complementary = EvidenceType::ComplementaryFinding;
    if ClaimKind::classify(&claim.text) != ClaimKind::Statement {
        let truths = if truths.is_empty() { vec![next_statement(report, claim)] } else { truths };
        return verdict(Class::Complementary, complementary, &truths);
    }
    let worst = truths.iter().max_by_key(|truth| (truth.class, truth.evidence_type));
    match worst {
        Some(worst) => verdict(worst.class, worst.evidence_type, &truths),
        None => verdict(Class::Complementary, complementary, &[next_statement(report, claim)]),
    }
}

fn consists_of_report_words(report: &TrueReport, claim: &Claim) -> bool {
    let text = &report.request.report.as_ref().unwrap().synthesis;
    let is_in_report = |word: &str| {
        is_stop_word(word)
            || ADDED_WORDS.contains(&word.to_lowercase().as_str())
            || text.contains(word)
    };
    report.truths.iter().any(|truth| truth.text == claim.text)
        || words(&claim.text).all(|word| is_in_report(word.text))
}

fn statements_of<'r>(report: &'r TrueReport, claim: &Claim) -> Vec<&'r Truth> {
    let given = report.truths.iter().find(|truth| truth.span.is_none() && truth.text == claim.text);
    if let Some(truth) = given {
        return vec![truth];
    }
    let touches = |truth: &&Truth| match (&truth.span, &claim.span) {
        (Some(stated), Some(span)) => stated.start < span.end && span.start < stated.end,
        _ => false,
    };
    report.truths.iter().filter(touches).collect()
}

fn next_statement<'r>(report: &'r TrueReport, claim: &Claim) -> &'r Truth {
    let end = claim.span.as_ref().map_or(0, |span| span.end);
    let with_span = || report.truths.iter().filter(|truth| truth.span.is_some());
    let follows = |truth: &&Truth| truth.span.as_ref().is_some_and(|span| span.start >= end);
    with_span().find(follows).or_else(|| with_span().next_back()).unwrap()
}
