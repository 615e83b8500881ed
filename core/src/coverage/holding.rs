//! This module says which words of an assertion the claims hold. It knows nothing of Markdown.

use core::ops::Range;
use std::collections::BTreeSet;

use super::tokens::{Token, mark_figures, of_text};
use super::{ClaimKind, tokens};
use crate::claim::Claim;
use crate::report::{Assertion, Document, has_predicate};
use crate::text::figures::{Agreement, Figures, agree, agree_times, figures};
use crate::text::polarity::is_negated;
use crate::text::tokens::{is_stop_word, words};

/// Where a claim stands. A span far longer than its claim says where a report stands, not where the claim
/// does, and is not believed: one claim must not cover every sentence.
fn place(claim: &Claim) -> Option<Range<usize>> {
    let longest = claim.text.len().saturating_mul(2).saturating_add(64);
    claim.span.clone().filter(|span| span.len() <= longest && !span.is_empty())
}

/// Claims, ready to be asked what they hold.
pub(super) struct Claims {
    claims: Vec<Held>,
    /// Claims with a believed span: start, furthest end up to there, index; by start.
    placed: Vec<(usize, usize, usize)>,
    /// Content words of claims without one, and the claims that hold them, sorted.
    words: Vec<(u64, u32)>,
    /// How many entries of `words` may still be visited.
    budget: usize,
    shared: Vec<u32>,
    /// Every content word of every claim.
    all: BTreeSet<u64>,
}

struct Held {
    tokens: Vec<Token>,
    stems: BTreeSet<u64>,
    /// Every word, stop words included, in lower case.
    words: Vec<String>,
    span: Option<Range<usize>>,
    kind: ClaimKind,
    figures: Figures,
    is_negated: bool,
}

/// What the claims hold of an assertion.
pub(super) struct Holding {
    pub(super) is_covered: bool,
    /// Bytes that no claim covers.
    pub(super) open: Vec<Range<usize>>,
    /// Words that may carry a statement, are not covered here and stand in no claim.
    pub(super) missing: Vec<String>,
}

impl Claims {
    pub(super) fn of(claims: &[Claim]) -> Self {
        const MAX_VISITS: usize = 4_000_000;
        let claims: Vec<Held> = claims
            .iter()
            .map(|claim| {
                let tokens = of_text(&claim.text);
                Held {
                    stems: tokens.iter().flat_map(|token| [token.key, token.stem]).collect(),
                    tokens,
                    words: lower_words(&claim.text),
                    span: place(claim),
                    kind: ClaimKind::of(&claim.text),
                    figures: figures(&claim.text),
                    is_negated: is_negated(&claim.text),
                }
            })
            .collect();
        let mut placed: Vec<(usize, usize, usize)> = claims
            .iter()
            .enumerate()
            .filter_map(|(at, claim)| claim.span.as_ref().map(|span| (span.start, span.end, at)))
            .collect();
        placed.sort_unstable();
        let mut furthest = 0;
        for (_, end, _) in &mut placed {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        let mut words: Vec<(u64, u32)> = (0_u32..)
            .zip(&claims)
            .filter(|(_, claim)| claim.span.is_none())
            .flat_map(|(at, claim)| claim.tokens.iter().map(move |token| (token.key, at)))
            .collect();
        words.sort_unstable();
        words.dedup();
        let all = claims.iter().flat_map(|claim| claim.stems.iter().copied()).collect();
        let shared = vec![0; claims.len()];
        Self { claims, placed, words, budget: MAX_VISITS, shared, all }
    }

    /// Which words of an assertion claims hold.
    pub(super) fn hold(&mut self, assertion: &Assertion) -> Holding {
        let text = assertion.text.text();
        let mut tokens = tokens(assertion);
        let stated = figures(text);
        mark_figures(text, &mut tokens, &stated);
        let mut held = vec![false; tokens.len()];
        let mut covering: Vec<Range<usize>> = Vec::new();
        for at in self.overlapping(&assertion.span) {
            let Some(claim) = self.claims.get(at) else { continue };
            let Some(span) = claim.span.clone().filter(|_| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let inside = span.start.max(assertion.span.start)..span.end.min(assertion.span.end);
            if holds_within(claim, assertion, &tokens, &inside, &mut held) {
                covering.push(inside);
            }
        }
        for at in self.with_most_words(&tokens) {
            let Some(claim) = self.claims.get(at) else { continue };
            let agrees = may_cover(claim.kind, assertion.kind)
                && claim.is_negated == is_negated(text)
                && hold_all(&claim.figures, &stated);
            if agrees {
                covering.push(assertion.span.clone());
                for (token, held) in tokens.iter().zip(&mut held) {
                    *held |= token.is_figure || claim.holds(token);
                }
            }
        }
        self.holding(assertion, &tokens, &held, covering)
    }

    fn holding(
        &self,
        assertion: &Assertion,
        tokens: &[Token],
        held: &[bool],
        covering: Vec<Range<usize>>,
    ) -> Holding {
        let open_tokens =
            || tokens.iter().zip(held).filter(|(_, held)| !**held).map(|(token, _)| token);
        let open_count = open_tokens().count();
        let open_critical = open_tokens().any(|token| token.is_critical);
        let enough = open_count * 10 <= tokens.len() * 4;
        let says_nothing = tokens.is_empty() && !has_predicate(assertion.text.text());
        let is_covered = says_nothing || !covering.is_empty() && enough && !open_critical;
        let covering = super::merged(covering);
        let mut open = super::subtract(core::slice::from_ref(&assertion.span), &covering);
        open.extend(open_tokens().filter_map(|token| token.source.clone()));
        let missing = open_tokens()
            .filter(|token| token.is_critical)
            .filter(|token| !self.all.contains(&token.key) && !self.all.contains(&token.stem))
            .map(|token| token.text.clone())
            .collect();
        Holding { is_covered, open, missing }
    }

    /// The claims whose span touches a range.
    fn overlapping(&self, range: &Range<usize>) -> Vec<usize> {
        let before_end = self.placed.partition_point(|(start, _, _)| *start < range.end);
        let mut found = Vec::new();
        for (_, furthest, at) in self.placed.iter().take(before_end).rev() {
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

    /// The claims without a place that hold at least 0.6 of the distinct words.
    fn with_most_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.with_words(tokens, 6)
    }

    /// The claims without a place that hold any of the words.
    fn with_some_words(&mut self, tokens: &[Token]) -> Vec<usize> {
        self.with_words(tokens, 0)
    }

    fn with_words(&mut self, tokens: &[Token], least_tenths: u64) -> Vec<usize> {
        let mut wanted: Vec<u64> =
            tokens.iter().filter(|token| !token.is_figure).map(|token| token.key).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut touched: Vec<u32> = Vec::new();
        for word in &wanted {
            let from = self.words.partition_point(|(known, _)| known < word);
            let holding = self.words.iter().skip(from).take_while(|(known, _)| known == word);
            for (_, claim) in holding.take(self.budget) {
                self.budget -= 1;
                if let Some(count) = self.shared.get_mut(*claim as usize) {
                    if *count == 0 {
                        touched.push(*claim);
                    }
                    *count += 1;
                }
            }
        }
        let mut enough = Vec::new();
        for claim in touched {
            if let Some(count) = self.shared.get_mut(claim as usize) {
                if u64::from(*count) * 10 >= wanted.len() as u64 * least_tenths {
                    enough.push(claim as usize);
                }
                *count = 0;
            }
        }
        enough
    }
}

impl Held {
    fn holds(&self, token: &Token) -> bool {
        self.stems.contains(&token.key) || self.stems.contains(&token.stem)
    }
}

/// What states something is covered by statements only.
fn may_cover(claim: ClaimKind, assertion: ClaimKind) -> bool {
    assertion != ClaimKind::Statement || claim == ClaimKind::Statement
}

/// Marks the tokens inside a range that a claim holds; says whether the claim is about what stands there.
fn holds_within(
    claim: &Held,
    assertion: &Assertion,
    tokens: &[Token],
    inside: &Range<usize>,
    held: &mut [bool],
) -> bool {
    let is_inside = |token: &Token| match &token.source {
        Some(source) => source.start < inside.end && inside.start < source.end,
        None => true,
    };
    let within: Vec<&Token> = tokens.iter().filter(|token| is_inside(token)).collect();
    let words: Vec<&str> = within.iter().map(|token| token.text.as_str()).collect();
    let whole = *inside == assertion.span;
    let part = if whole { assertion.text.text().to_owned() } else { words.join(" ") };
    let stated = figures(&part);
    let same_figures = hold_all(&claim.figures, &stated);
    let held_here = within.iter().filter(|token| claim.holds(token)).count();
    if !within.is_empty() && held_here == 0 || is_negated(&part) && !claim.is_negated {
        return false;
    }
    // A claim that denies what stands there does not say it.
    if claim.is_negated && !is_negated(&part) && whole {
        return false;
    }
    for (token, held) in tokens.iter().zip(held) {
        if is_inside(token) {
            *held |= claim.holds(token) || token.is_figure && same_figures;
        }
    }
    true
}

/// Whether every figure and time of a sentence stands in a claim.
fn hold_all(claimed: &Figures, stated: &Figures) -> bool {
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

/// The assertions that the claims do not say word for word, and that must therefore be judged besides.
#[must_use]
pub fn not_covered<'d>(document: &'d Document, claims: &[Claim]) -> Vec<&'d Assertion> {
    let mut all = Claims::of(claims);
    document.assertions.iter().filter(|assertion| !all.say(assertion)).collect()
}

impl Claims {
    /// Whether claims say an assertion word for word: every content word, and nothing else.
    fn say(&mut self, assertion: &Assertion) -> bool {
        let tokens = tokens(assertion);
        let words = lower_words(assertion.text.text());
        let mut said: Vec<bool> = words.iter().map(|word| is_stop_word(word)).collect();
        if said.iter().all(|said| *said) {
            return !has_predicate(assertion.text.text());
        }
        let mut candidates = self.overlapping(&assertion.span);
        candidates.extend(self.with_some_words(&tokens));
        for at in candidates {
            let Some(claim) =
                self.claims.get(at).filter(|claim| may_cover(claim.kind, assertion.kind))
            else {
                continue;
            };
            let length = claim.words.len();
            let places = words.windows(length.max(1)).enumerate();
            let place = places.into_iter().find(|(_, window)| *window == claim.words.as_slice());
            if let Some((start, _)) = place {
                said.iter_mut().skip(start).take(length).for_each(|said| *said = true);
            }
        }
        said.into_iter().all(|said| said)
    }
}

fn lower_words(text: &str) -> Vec<String> {
    words(text).map(|word| word.text.to_lowercase()).collect()
}
