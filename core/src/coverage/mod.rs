//! Computes how much of a report its claims cover (docs/POLICY.md, "The guards").
//!
//! A claim covers the bytes in its span whose content words it contains. A claim without a span covers an assertion if
//! it contains most of the assertion's content words and all its figures, and has the same polarity.

mod claim_index;
mod tokens;

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Budget;
use crate::claim::Claim;
use crate::duplicates::key;
use crate::report::{Document, Reason, UNITS_PER_BYTE, Uncovered, merge_ranges, subtract, visible};

pub use crate::report::ClaimKind;
pub use claim_index::not_covered;

use claim_index::ClaimIndex;

/// The coverage of a report by its claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The number of assertions covered by claims.
    pub covered: u32,
    /// The number of distinct assertions, such as sentences, headings, table rows and lines of code.
    pub sentences: u32,
    /// The half-open byte ranges of uncovered assertions in the synthesis, in order.
    pub uncovered: Vec<Range<usize>>,
    /// The visible spans that no claim covers, in order, with the reasons.
    pub spans: Vec<Uncovered>,
    /// The figures, names, times, states and negations that no claim contains; at most [`MAX_WORDS`].
    pub words: Vec<String>,
}

/// The maximum length of [`Coverage::words`].
pub const MAX_WORDS: usize = 12;

/// Measures how much of a synthesis its claims cover. Returns `None` for an empty synthesis.
///
/// Lines copied from `evidence` need no claim. For very large inputs, the coverage may be underestimated but not
/// overestimated.
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
    let document = Document::parse(synthesis, evidence, budget);
    let mut index = ClaimIndex::new(claims);
    let mut unjudged: Vec<Range<usize>> = Vec::new();
    let mut words: Vec<(usize, String)> = Vec::new();
    // The first uncovered assertion with each wording, or `None` if any assertion with this wording is covered.
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
        unjudged.extend(coverage.uncovered);
        words.extend(coverage.missing_words.into_iter().map(|word| (assertion.span.start, word)));
    }
    let mut uncovered: Vec<Range<usize>> = distinct.values().flatten().cloned().collect();
    uncovered.sort_unstable_by_key(|span| (span.start, span.end));
    let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    Some(Coverage {
        covered: count(distinct.len() - uncovered.len()),
        sentences: count(distinct.len()),
        uncovered,
        spans: spans(synthesis, document, unjudged),
        words: first_distinct(words),
    })
}

fn spans(synthesis: &str, document: Document, unjudged: Vec<Range<usize>>) -> Vec<Uncovered> {
    let unjudged = merge_ranges(unjudged);
    let visible = visible(synthesis);
    let unjudged = subtract(&visible, &subtract(&visible, &unjudged));
    let mut spans: Vec<Uncovered> = document
        .uncovered
        .into_iter()
        .flat_map(|uncovered| {
            let ranges = subtract(core::slice::from_ref(&uncovered.span), &unjudged);
            ranges.into_iter().map(move |span| Uncovered { span, reason: uncovered.reason })
        })
        .collect();
    spans.extend(unjudged.into_iter().map(|span| Uncovered { span, reason: Reason::NotJudged }));
    spans.sort_unstable_by_key(|uncovered| uncovered.span.start);
    spans
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
