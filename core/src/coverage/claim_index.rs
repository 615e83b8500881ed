//! Determines which words of an assertion appear in claims.

use core::ops::Range;
use std::collections::BTreeSet;

use super::ClaimKind;
use super::tokens::{Token, assertion_tokens, mark_figures, text_tokens};
use crate::claim::Claim;
use crate::report::{Assertion, Document, has_predicate, merge_ranges, subtract};
use crate::text::figures::{Agreement, Figures, agree, agree_times, figures};
use crate::text::polarity::is_negated;
use crate::text::tokens::{is_stop_word, words};

/// Returns the claim's span, unless it is much longer than the claim, since one claim must not cover every sentence.
fn trusted_span(claim: &Claim) -> Option<Range<usize>> {
    let max = claim.text.len().saturating_mul(2).saturating_add(64);
    claim.span.clone().filter(|span| span.len() <= max && !span.is_empty())
}

pub(super) struct ClaimIndex {
    claims: Vec<ClaimWords>,
    /// The claims with a trusted span as (start, furthest end so far, claim index), sorted by start.
    by_span: Vec<(usize, usize, usize)>,
    /// The content words of claims without a span as (word, claim index), sorted.
    by_word: Vec<(u64, u32)>,
    /// The number of `by_word` entries that may still be visited.
    budget: usize,
    shared_counts: Vec<u32>,
    /// The content words of all claims.
    all_words: BTreeSet<u64>,
}

struct ClaimWords {
    tokens: Vec<Token>,
    stems: BTreeSet<u64>,
    /// All words in lower case, including stop words.
    words: Vec<String>,
    span: Option<Range<usize>>,
    kind: ClaimKind,
    figures: Figures,
    is_negated: bool,
}

pub(super) struct AssertionCoverage {
    pub(super) is_covered: bool,
    /// The uncovered byte ranges.
    pub(super) uncovered: Vec<Range<usize>>,
    /// The uncovered words that may be a statement by themselves and appear in no claim.
    pub(super) missing_words: Vec<String>,
}

impl ClaimIndex {
    pub(super) fn new(claims: &[Claim]) -> Self {
        const MAX_VISITS: usize = 4_000_000;
        let claims: Vec<ClaimWords> = claims
            .iter()
            .map(|claim| {
                let tokens = text_tokens(&claim.text);
                ClaimWords {
                    stems: tokens.iter().flat_map(|token| [token.key, token.stem]).collect(),
                    tokens,
                    words: lower_words(&claim.text),
                    span: trusted_span(claim),
                    kind: ClaimKind::classify(&claim.text),
                    figures: figures(&claim.text),
                    is_negated: is_negated(&claim.text),
                }
            })
            .collect();
        let mut by_span: Vec<(usize, usize, usize)> = claims
            .iter()
            .enumerate()
            .filter_map(|(index, claim)| {
                claim.span.as_ref().map(|span| (span.start, span.end, index))
            })
            .collect();
        by_span.sort_unstable();
        let mut furthest = 0;
        for (_, end, _) in &mut by_span {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        let mut by_word: Vec<(u64, u32)> = (0_u32..)
            .zip(&claims)
            .filter(|(_, claim)| claim.span.is_none())
            .flat_map(|(index, claim)| claim.tokens.iter().map(move |token| (token.key, index)))
            .collect();
        by_word.sort_unstable();
        by_word.dedup();
        let all_words = claims.iter().flat_map(|claim| claim.stems.iter().copied()).collect();
        let shared_counts = vec![0; claims.len()];
        Self { claims, by_span, by_word, budget: MAX_VISITS, shared_counts, all_words }
    }

    pub(super) fn coverage(&mut self, assertion: &Assertion) -> AssertionCoverage {
        let text = assertion.text.text();
        let mut tokens = assertion_tokens(assertion);
        let figures_in_text = figures(text);
        mark_figures(text, &mut tokens, &figures_in_text);
        let mut covered = vec![false; tokens.len()];
        let mut covered_ranges: Vec<Range<usize>> = Vec::new();
        for index in self.claims_overlapping(&assertion.span) {
            let Some(claim) = self.claims.get(index) else { continue };
            let Some(span) = claim.span.clone().filter(|_| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let overlap = span.start.max(assertion.span.start)..span.end.min(assertion.span.end);
            if mark_covered_tokens(claim, assertion, &tokens, &overlap, &mut covered) {
                covered_ranges.push(overlap);
            }
        }
        for index in self.claims_with_most_words(&tokens) {
            let Some(claim) = self.claims.get(index) else { continue };
            let agrees = may_cover(claim.kind, assertion.kind)
                && claim.is_negated == is_negated(text)
                && contains_figures(&claim.figures, &figures_in_text);
            if agrees {
                covered_ranges.push(assertion.span.clone());
                for (token, covered) in tokens.iter().zip(&mut covered) {
                    *covered |= token.is_figure || claim.contains(token);
                }
            }
        }
        self.assertion_coverage(assertion, &tokens, &covered, covered_ranges)
    }

    fn assertion_coverage(
        &self,
        assertion: &Assertion,
        tokens: &[Token],
        covered: &[bool],
        covered_ranges: Vec<Range<usize>>,
    ) -> AssertionCoverage {
        let uncovered_tokens =
            || tokens.iter().zip(covered).filter(|(_, covered)| !**covered).map(|(token, _)| token);
        let uncovered_count = uncovered_tokens().count();
        let has_uncovered_critical = uncovered_tokens().any(|token| token.is_critical);
        let is_mostly_covered = uncovered_count * 10 <= tokens.len() * 4;
        let is_empty = tokens.is_empty() && !has_predicate(assertion.text.text());
        let is_covered =
            is_empty || !covered_ranges.is_empty() && is_mostly_covered && !has_uncovered_critical;
        let covered_ranges = merge_ranges(covered_ranges);
        let mut uncovered = subtract(core::slice::from_ref(&assertion.span), &covered_ranges);
        uncovered.extend(uncovered_tokens().filter_map(|token| token.source.clone()));
        let missing_words = uncovered_tokens()
            .filter(|token| token.is_critical)
            .filter(|token| {
                !self.all_words.contains(&token.key) && !self.all_words.contains(&token.stem)
            })
            .map(|token| token.text.clone())
            .collect();
        AssertionCoverage { is_covered, uncovered, missing_words }
    }

    fn claims_overlapping(&self, range: &Range<usize>) -> Vec<usize> {
        let end = self.by_span.partition_point(|(start, _, _)| *start < range.end);
        let mut found = Vec::new();
        for (_, furthest, index) in self.by_span.iter().take(end).rev() {
            if *furthest <= range.start {
                break;
            }
            let ends_after = self
                .claims
                .get(*index)
                .and_then(|claim| claim.span.as_ref())
                .is_some_and(|span| span.end > range.start);
            if ends_after {
                found.push(*index);
            }
        }
        found
    }

    /// Returns the claims without a span that contain at least 60% of the distinct words.
    fn claims_with_most_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.claims_with_words(tokens, 6)
    }

    fn claims_with_some_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.claims_with_words(tokens, 0)
    }

    fn claims_with_words(&mut self, tokens: &[Token], min_share_tenths: u64) -> Vec<usize> {
        let mut keys: Vec<u64> =
            tokens.iter().filter(|token| !token.is_figure).map(|token| token.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut visited: Vec<u32> = Vec::new();
        for key in &keys {
            let start = self.by_word.partition_point(|(word, _)| word < key);
            let matching = self.by_word.iter().skip(start).take_while(|(word, _)| word == key);
            for (_, claim) in matching.take(self.budget) {
                self.budget -= 1;
                if let Some(count) = self.shared_counts.get_mut(*claim as usize) {
                    if *count == 0 {
                        visited.push(*claim);
                    }
                    *count += 1;
                }
            }
        }
        let mut found = Vec::new();
        for claim in visited {
            if let Some(count) = self.shared_counts.get_mut(claim as usize) {
                if u64::from(*count) * 10 >= keys.len() as u64 * min_share_tenths {
                    found.push(claim as usize);
                }
                *count = 0;
            }
        }
        found
    }
}

impl ClaimWords {
    fn contains(&self, token: &Token) -> bool {
        self.stems.contains(&token.key) || self.stems.contains(&token.stem)
    }
}

fn may_cover(claim: ClaimKind, assertion: ClaimKind) -> bool {
    assertion != ClaimKind::Statement || claim == ClaimKind::Statement
}

/// Marks the tokens in a range that a claim contains. Returns `false` if the claim makes a different statement.
fn mark_covered_tokens(
    claim: &ClaimWords,
    assertion: &Assertion,
    tokens: &[Token],
    range: &Range<usize>,
    covered: &mut [bool],
) -> bool {
    let is_in_range = |token: &Token| match &token.source {
        Some(source) => source.start < range.end && range.start < source.end,
        None => true,
    };
    let tokens_in_range: Vec<&Token> = tokens.iter().filter(|token| is_in_range(token)).collect();
    let words: Vec<&str> = tokens_in_range.iter().map(|token| token.text.as_str()).collect();
    let is_whole = *range == assertion.span;
    let part = if is_whole { assertion.text.text().to_owned() } else { words.join(" ") };
    let figures_in_part = figures(&part);
    let has_figures = contains_figures(&claim.figures, &figures_in_part);
    let contained_count = tokens_in_range.iter().filter(|token| claim.contains(token)).count();
    if !tokens_in_range.is_empty() && contained_count == 0 || is_negated(&part) && !claim.is_negated
    {
        return false;
    }
    // A claim that denies the assertion does not state it.
    if claim.is_negated && !is_negated(&part) && is_whole {
        return false;
    }
    for (token, covered) in tokens.iter().zip(covered) {
        if is_in_range(token) {
            *covered |= claim.contains(token) || token.is_figure && has_figures;
        }
    }
    true
}

fn contains_figures(claim_figures: &Figures, part_figures: &Figures) -> bool {
    let contains_times = part_figures.times.iter().all(|time| {
        claim_figures.times.iter().any(|other| {
            agree_times(other, time) == Agreement::Same
                || agree_times(time, other) == Agreement::Same
        })
    });
    contains_times
        && part_figures.figures.iter().all(|figure| {
            claim_figures.figures.iter().any(|other| {
                agree(other, figure) == Agreement::Same || agree(figure, other) == Agreement::Same
            })
        })
}

/// Returns the assertions that no claims state verbatim. They must be judged separately.
#[must_use]
pub fn not_covered<'d>(document: &'d Document, claims: &[Claim]) -> Vec<&'d Assertion> {
    let mut index = ClaimIndex::new(claims);
    document.assertions.iter().filter(|assertion| !index.states_verbatim(assertion)).collect()
}

impl ClaimIndex {
    /// Returns `true` if every content word of an assertion is covered by claims that are contiguous runs of its words.
    fn states_verbatim(&mut self, assertion: &Assertion) -> bool {
        let tokens = assertion_tokens(assertion);
        let words = lower_words(assertion.text.text());
        let mut is_stated: Vec<bool> = words.iter().map(|word| is_stop_word(word)).collect();
        if is_stated.iter().all(|is_stated| *is_stated) {
            return !has_predicate(assertion.text.text());
        }
        let mut candidates = self.claims_overlapping(&assertion.span);
        candidates.extend(self.claims_with_some_words(&tokens));
        for index in candidates {
            let Some(claim) =
                self.claims.get(index).filter(|claim| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let length = claim.words.len();
            let mut windows = words.windows(length.max(1));
            if let Some(start) = windows.position(|window| window == claim.words.as_slice()) {
                is_stated
                    .iter_mut()
                    .skip(start)
                    .take(length)
                    .for_each(|is_stated| *is_stated = true);
            }
        }
        is_stated.into_iter().all(|is_stated| is_stated)
    }
}

fn lower_words(text: &str) -> Vec<String> {
    words(text).map(|word| word.text.to_lowercase()).collect()
}
