//! Computes how much of a report its claims cover (docs/POLICY.md, "The guards").
//!
//! Every visible byte of a report is either covered by a claim or uncovered for a reason. A claim covers bytes inside its
//! span whose content words it contains; a claim without a trusted span covers the assertions with which it shares at
//! least 0.6 of the content words, all figures and times, and the polarity. Verdicts on the claims do not matter.

mod assertion_coverage;
mod tokens;

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Budget;
use crate::claim::Claim;
use crate::duplicates::key;
use crate::report::{Document, Reason, UNITS_PER_BYTE, Uncovered, merged, subtract, visible};

pub use crate::report::ClaimKind;
pub use assertion_coverage::not_covered;

use assertion_coverage::ClaimIndex;

/// How much of a report its claims cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The number of assertions covered by claims.
    pub covered: u32,
    /// The number of distinct assertions: sentences, headings, table rows, lines of code, and the presuppositions of questions
    /// and proposals.
    pub sentences: u32,
    /// The uncovered assertions: half-open byte ranges of the synthesis, in order.
    pub uncovered: Vec<Range<usize>>,
    /// The visible spans outside all claims, in order, each with its reason.
    pub spans: Vec<Uncovered>,
    /// Figures, identifiers, times, states and negations that are uncovered and appear in no claim; at most [`MAX_WORDS`],
    /// in the order of the report.
    pub words: Vec<String>,
}

/// The maximum number of [`Coverage::words`].
pub const MAX_WORDS: usize = 12;

/// Measures how much of a synthesis the claims cover (docs/POLICY.md, "The guards"); `None` without a synthesis.
/// Whole lines copied from `evidence`, the texts of the evidence, need no claim.
///
/// The work is bounded: beyond some thousands of claims and sentences with common words, sentences are matched by equal
/// wording only, so that the result may be too low but never too high.
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
    let mut index = ClaimIndex::new(claims);
    let mut not_judged: Vec<Range<usize>> = Vec::new();
    let mut words: Vec<(usize, String)> = Vec::new();
    // The first uncovered assertion of each wording; `None` if one is covered.
    let mut distinct: BTreeMap<String, Option<Range<usize>>> = BTreeMap::new();
    for assertion in &document.assertions {
        if !budget.spend(assertion.text.text().len() * UNITS_PER_BYTE) {
            break;
        }
        let coverage = index.coverage(assertion);
        let span = (!coverage.is_covered).then(|| assertion.span.clone());
        let entry = distinct.entry(key(assertion.text.text())).or_insert_with(|| span.clone());
        if span.is_none() {
            *entry = None;
        }
        not_judged.extend(coverage.open);
        words.extend(coverage.missing.into_iter().map(|word| (assertion.span.start, word)));
    }
    let mut uncovered: Vec<Range<usize>> = distinct.values().flatten().cloned().collect();
    uncovered.sort_unstable_by_key(|span| (span.start, span.end));
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Some(Coverage {
        covered: count(distinct.len() - uncovered.len()),
        sentences: count(distinct.len()),
        uncovered,
        spans: spans(synthesis, document, not_judged),
        words: first_distinct(words),
    })
}

/// The uncovered spans of the document, and the spans that no claim covers.
fn spans(synthesis: &str, document: Document, not_judged: Vec<Range<usize>>) -> Vec<Uncovered> {
    let open = merged(not_judged);
    let visible = visible(synthesis);
    let open = subtract(&visible, &subtract(&visible, &open));
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

fn first_distinct(mut words: Vec<(usize, String)>) -> Vec<String> {
    words.sort_by_key(|(start, _)| *start);
    let mut distinct: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for (_, word) in words {
        if distinct.len() < MAX_WORDS && seen.insert(word.to_lowercase()) {
            distinct.push(word);
        }
    }
    distinct
}

#[cfg(test)]
mod tests;
