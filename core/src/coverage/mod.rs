//! This module computes how much of a report its claims cover (docs/POLICY.md, "The guards").
//!
//! Every visible byte of a report lies in what a claim covers or is uncovered for a reason. A claim covers bytes
//! inside its span whose content words it holds; one without a believed span covers the assertions with which it
//! shares at least 0.6 of the content words, all figures and times, and the polarity. This module knows nothing of
//! what a judge says of the claims.

mod holding;
mod tokens;

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Budget;
use crate::claim::Claim;
use crate::duplicates::key;
use crate::report::{
    Assertion, Document, Reason, UNITS_PER_BYTE, Uncovered, merged, subtract, visible,
};

pub use crate::report::ClaimKind;
pub use holding::not_covered;

use holding::Claims;
use tokens::Token;

/// What of a report its claims cover, and what they do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Assertions covered by claims.
    pub covered: u32,
    /// Distinct assertions: sentences, headings, table rows, lines of code, and what questions and proposals take
    /// for granted.
    pub sentences: u32,
    /// Where the uncovered assertions stand: half-open byte ranges of the synthesis, in order.
    pub uncovered: Vec<Range<usize>>,
    /// Every visible stretch outside all claims, in order, with its reason.
    pub spans: Vec<Uncovered>,
    /// Figures, identifiers, times, states and negations that stand uncovered and in no claim, at most
    /// [`MAX_WORDS`], in order of place.
    pub words: Vec<String>,
}

/// The most words that [`Coverage::words`] names, a count.
pub const MAX_WORDS: usize = 12;

/// Measures how much of a synthesis the claims cover (docs/POLICY.md, "The guards"); `None` without a synthesis.
/// `evidence` are the texts of the evidence: whole lines of it need no claim.
///
/// Work is bounded: beyond some thousands of claims and sentences that share their words, sentences are
/// matched by equal wording alone, so that a count may come out low but never high.
#[must_use]
pub fn coverage(
    synthesis: &str,
    claims: &[Claim],
    evidence: &[&str],
    budget: &Budget,
) -> Option<Coverage> {
    if synthesis.trim().is_empty() {
        return None;
    }
    let document = Document::read(synthesis, evidence, budget);
    let mut holding = Claims::of(claims);
    let mut not_judged: Vec<Range<usize>> = Vec::new();
    let mut words: Vec<(usize, String)> = Vec::new();
    // Whether every assertion of a wording is covered, and where the first that is not stands.
    let mut distinct: BTreeMap<String, Option<Range<usize>>> = BTreeMap::new();
    for assertion in &document.assertions {
        if !budget.spend(assertion.text.text().len() * UNITS_PER_BYTE) {
            break;
        }
        let held = holding.hold(assertion);
        let place = (!held.is_covered).then(|| assertion.span.clone());
        let entry = distinct.entry(key(assertion.text.text())).or_insert_with(|| place.clone());
        if entry.is_some() && place.is_none() {
            *entry = None;
        }
        not_judged.extend(held.open);
        words.extend(held.missing.into_iter().map(|word| (assertion.span.start, word)));
    }
    let mut uncovered: Vec<Range<usize>> = distinct.values().flatten().cloned().collect();
    uncovered.sort_unstable_by_key(|place| (place.start, place.end));
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Some(Coverage {
        covered: count(distinct.len() - uncovered.len()),
        sentences: count(distinct.len()),
        uncovered,
        spans: spans(synthesis, document, not_judged),
        words: named(words),
    })
}

/// The uncovered stretches: those of the document and what no claim says.
fn spans(synthesis: &str, document: Document, not_judged: Vec<Range<usize>>) -> Vec<Uncovered> {
    let open = merged(not_judged);
    let seen = visible(synthesis);
    let open = subtract(&seen, &subtract(&seen, &open));
    let mut all: Vec<Uncovered> = document
        .uncovered
        .into_iter()
        .flat_map(|uncovered| {
            let left = subtract(core::slice::from_ref(&uncovered.span), &open);
            left.into_iter().map(move |span| Uncovered { span, reason: uncovered.reason })
        })
        .collect();
    all.extend(open.into_iter().map(|span| Uncovered { span, reason: Reason::NotJudged }));
    all.sort_unstable_by_key(|uncovered| uncovered.span.start);
    all
}

fn named(mut words: Vec<(usize, String)>) -> Vec<String> {
    words.sort_by_key(|(place, _)| *place);
    let mut named: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for (_, word) in words {
        if named.len() < MAX_WORDS && seen.insert(word.to_lowercase()) {
            named.push(word);
        }
    }
    named
}

/// The content words of an assertion or a claim.
fn tokens(assertion: &Assertion) -> Vec<Token> {
    tokens::of_assertion(assertion)
}

#[cfg(test)]
mod tests;
