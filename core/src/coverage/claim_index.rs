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

/// The claim's span, unless it is much longer than the claim: one claim must not cover every sentence.
fn trusted_span(claim: &Claim) -> Option<Range<usize>> {
    let max = claim.text.len().saturating_mul(2).saturating_add(64);
    claim.span.clone().filter(|span| span.len() <= max && !span.is_empty())
}

pub(super) struct ClaimIndex {
    claims: Vec<ClaimWords>,
    /// Claims with a trusted span, sorted by start: (start, furthest end so far, claim index).
    by_span: Vec<(usize, usize, usize)>,
    /// Content words of claims without a span: (word, claim index), sorted.
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
    /// Uncovered words that may be part of a statement and appear in no claim.
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
            .filter_map(|(at, claim)| claim.span.as_ref().map(|span| (span.start, span.end, at)))
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
            .flat_map(|(at, claim)| claim.tokens.iter().map(move |token| (token.key, at)))
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
        let stated = figures(text);
        mark_figures(text, &mut tokens, &stated);
        let mut covered = vec![false; tokens.len()];
        let mut covering: Vec<Range<usize>> = Vec::new();
        for at in self.claims_overlapping(&assertion.span) {
            let Some(claim) = self.claims.get(at) else { continue };
            let Some(span) = claim.span.clone().filter(|_| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let inside = span.start.max(assertion.span.start)..span.end.min(assertion.span.end);
            if mark_covered_within(claim, assertion, &tokens, &inside, &mut covered) {
                covering.push(inside);
            }
        }
        for at in self.claims_with_most_words(&tokens) {
            let Some(claim) = self.claims.get(at) else { continue };
            let agrees = may_cover(claim.kind, assertion.kind)
                && claim.is_negated == is_negated(text)
                && contains_figures(&claim.figures, &stated);
            if agrees {
                covering.push(assertion.span.clone());
                for (token, covered) in tokens.iter().zip(&mut covered) {
                    *covered |= token.is_figure || claim.contains(token);
                }
            }
        }
        self.assertion_coverage(assertion, &tokens, &covered, covering)
    }

    fn assertion_coverage(
        &self,
        assertion: &Assertion,
        tokens: &[Token],
        covered: &[bool],
        covering: Vec<Range<usize>>,
    ) -> AssertionCoverage {
        let open_tokens =
            || tokens.iter().zip(covered).filter(|(_, covered)| !**covered).map(|(token, _)| token);
        let open_count = open_tokens().count();
        let open_critical = open_tokens().any(|token| token.is_critical);
        let is_mostly_covered = open_count * 10 <= tokens.len() * 4;
        let is_empty = tokens.is_empty() && !has_predicate(assertion.text.text());
        let is_covered = is_empty || !covering.is_empty() && is_mostly_covered && !open_critical;
        let covering = merge_ranges(covering);
        let mut open = subtract(core::slice::from_ref(&assertion.span), &covering);
        open.extend(open_tokens().filter_map(|token| token.source.clone()));
        let missing = open_tokens()
            .filter(|token| token.is_critical)
            .filter(|token| {
                !self.all_words.contains(&token.key) && !self.all_words.contains(&token.stem)
            })
            .map(|token| token.text.clone())
            .collect();
        AssertionCoverage { is_covered, uncovered: open, missing_words: missing }
    }

    fn claims_overlapping(&self, range: &Range<usize>) -> Vec<usize> {
        let before_end = self.by_span.partition_point(|(start, _, _)| *start < range.end);
        let mut found = Vec::new();
        for (_, furthest, at) in self.by_span.iter().take(before_end).rev() {
            if *furthest <= range.start {
                break;
            }
            let ends_after = self
                .claims
                .get(*at)
                .and_then(|claim| claim.span.as_ref())
                .is_some_and(|span| span.end > range.start);
            if ends_after {
                found.push(*at);
            }
        }
        found
    }

    /// The claims without a span that share at least 60% of the distinct words.
    fn claims_with_most_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.claims_with_words(tokens, 6)
    }

    fn claims_with_some_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.claims_with_words(tokens, 0)
    }

    fn claims_with_words(&mut self, tokens: &[Token], min_tenths: u64) -> Vec<usize> {
        let mut keys: Vec<u64> =
            tokens.iter().filter(|token| !token.is_figure).map(|token| token.key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut touched: Vec<u32> = Vec::new();
        for key in &keys {
            let from = self.by_word.partition_point(|(known, _)| known < key);
            let matching = self.by_word.iter().skip(from).take_while(|(known, _)| known == key);
            for (_, claim) in matching.take(self.budget) {
                self.budget -= 1;
                if let Some(count) = self.shared_counts.get_mut(*claim as usize) {
                    if *count == 0 {
                        touched.push(*claim);
                    }
                    *count += 1;
                }
            }
        }
        let mut found = Vec::new();
        for claim in touched {
            if let Some(count) = self.shared_counts.get_mut(claim as usize) {
                if u64::from(*count) * 10 >= keys.len() as u64 * min_tenths {
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

/// Marks the tokens in a range that a claim contains. Returns `false` if the claim says something else.
fn mark_covered_within(
    claim: &ClaimWords,
    assertion: &Assertion,
    tokens: &[Token],
    inside: &Range<usize>,
    covered: &mut [bool],
) -> bool {
    let is_inside = |token: &Token| match &token.source {
        Some(source) => source.start < inside.end && inside.start < source.end,
        None => true,
    };
    let within: Vec<&Token> = tokens.iter().filter(|token| is_inside(token)).collect();
    let words: Vec<&str> = within.iter().map(|token| token.text.as_str()).collect();
    let is_whole = *inside == assertion.span;
    let part = if is_whole { assertion.text.text().to_owned() } else { words.join(" ") };
    let stated = figures(&part);
    let same_figures = contains_figures(&claim.figures, &stated);
    let contained = within.iter().filter(|token| claim.contains(token)).count();
    if !within.is_empty() && contained == 0 || is_negated(&part) && !claim.is_negated {
        return false;
    }
    // A claim that denies the assertion does not state it.
    if claim.is_negated && !is_negated(&part) && is_whole {
        return false;
    }
    for (token, covered) in tokens.iter().zip(covered) {
        if is_inside(token) {
            *covered |= claim.contains(token) || token.is_figure && same_figures;
        }
    }
    true
}

fn contains_figures(claimed: &Figures, stated: &Figures) -> bool {
    let times = stated.times.iter().all(|time| {
        claimed.times.iter().any(|other| {
            agree_times(other, time) == Agreement::Same
                || agree_times(time, other) == Agreement::Same
        })
    });
    times
        && stated.figures.iter().all(|figure| {
            claimed.figures.iter().any(|other| {
                agree(other, figure) == Agreement::Same || agree(figure, other) == Agreement::Same
            })
        })
}

/// The assertions that no claims state verbatim, which must be judged separately.
#[must_use]
pub fn not_covered<'d>(document: &'d Document, claims: &[Claim]) -> Vec<&'d Assertion> {
    let mut index = ClaimIndex::new(claims);
    document.assertions.iter().filter(|assertion| !index.states_verbatim(assertion)).collect()
}

impl ClaimIndex {
    /// Returns `true` if claims that are contiguous runs of words cover every content word of an assertion.
    fn states_verbatim(&mut self, assertion: &Assertion) -> bool {
        let tokens = assertion_tokens(assertion);
        let words = lower_words(assertion.text.text());
        let mut stated: Vec<bool> = words.iter().map(|word| is_stop_word(word)).collect();
        if stated.iter().all(|stated| *stated) {
            return !has_predicate(assertion.text.text());
        }
        let mut candidates = self.claims_overlapping(&assertion.span);
        candidates.extend(self.claims_with_some_words(&tokens));
        for at in candidates {
            let Some(claim) =
                self.claims.get(at).filter(|claim| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let length = claim.words.len();
            let mut windows = words.windows(length.max(1));
            if let Some(start) = windows.position(|window| window == claim.words.as_slice()) {
                stated.iter_mut().skip(start).take(length).for_each(|stated| *stated = true);
            }
        }
        stated.into_iter().all(|stated| stated)
    }
}

fn lower_words(text: &str) -> Vec<String> {
    words(text).map(|word| word.text.to_lowercase()).collect()
}
