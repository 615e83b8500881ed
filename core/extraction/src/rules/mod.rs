//! This module rules on typed claims over facts: a list of rules, each asked of every claim. It knows nothing of
//! classes, policies or judges.
//!
//! A rule supports a claim, refutes it, or is silent. All rules are asked; where one supports and another refutes,
//! nothing is said. A rule that is in doubt is silent.

mod attribution;
mod change;
mod fit;
mod index;
mod members;
mod owner;
mod prose;
mod quantifier;
mod rank;
mod samples;
mod series;
mod sets;
mod unit;
mod value;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::ops::Range;

use fit::{Fit, Found, kinds};
pub use index::Index;

use crate::claim::{Kind, TypedClaim};
use crate::facts::RecordId;

/// The most records that are held against one claim; with more, nothing is said.
const MAX_CANDIDATES: usize = 1024;

/// The name of a rule, as it stands in answers, records and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleId(pub &'static str);

/// What a rule says of a claim, with the records that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The facts show it.
    Supports(Vec<RecordId>),
    /// The facts show something else.
    Refutes(Vec<RecordId>),
    /// Nothing follows.
    Silent,
}

/// A rule: what it says of a claim, held against each record that it may be about.
trait Rule: Sync {
    /// Its name.
    fn id(&self) -> RuleId;
    /// What it says of a claim.
    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome;
}

/// All rules, in the order in which they are listed to people; the order decides nothing.
static RULES: [&dyn Rule; 7] = [
    &value::ValueOfSubject,
    &rank::Rank,
    &change::Change,
    &owner::OfAnother,
    &sets::Sets,
    &unit::OfUnit,
    &series::OfSeries,
];

/// A claim held against the records that it may be about.
#[derive(Debug)]
pub struct Held<'h, 'c, 'a> {
    claim: &'h TypedClaim<'c>,
    index: &'h Index<'a>,
    /// None where there are too many.
    fits: Option<Vec<Fit<'h, 'a>>>,
}

impl<'h, 'c, 'a> Held<'h, 'c, 'a> {
    /// Finds the records.
    #[must_use]
    pub fn new(claim: &'h TypedClaim<'c>, index: &'h Index<'a>) -> Self {
        let kinds = kinds(claim, index);
        let fit = |record| Fit::new(claim, &kinds, record, index);
        let fits = candidates(claim, index).map(|records| records.into_iter().map(fit).collect());
        Self { claim, index, fits }
    }

    /// What all rules together say of the claim, and which rules spoke.
    #[must_use]
    pub fn rule(&self) -> (Outcome, Vec<RuleId>) {
        let said = self.each_rule();
        let outcome = together(said.iter().map(|(_, outcome)| outcome));
        (outcome, said.into_iter().map(|(rule, _)| rule).collect())
    }

    /// What each rule by itself says of the claim, without those that are silent.
    #[must_use]
    pub fn each_rule(&self) -> Vec<(RuleId, Outcome)> {
        let Some(fits) = &self.fits else { return Vec::new() };
        let said = RULES.iter().map(|rule| (rule.id(), rule.apply(self.claim, fits, self.index)));
        said.filter(|(_, outcome)| *outcome != Outcome::Silent).collect()
    }

    /// For people who wonder why nothing was said: the terms that the best record lacks, with that record.
    #[must_use]
    pub fn left_over(&self) -> Option<(RecordId, Vec<&'c str>)> {
        let best = self.fits.as_ref()?.iter().min_by_key(|fit| fit.left_over().count())?;
        let terms = best.left_over().filter_map(|term| Some(self.claim.terms.get(term)?.text));
        Some((best.record, terms.collect()))
    }
}

/// What follows from what rules say: nothing where one supports and another refutes.
#[must_use]
pub fn together<'o>(said: impl IntoIterator<Item = &'o Outcome>) -> Outcome {
    let (mut supports, mut refutes) = (None, None);
    for outcome in said {
        match outcome {
            Outcome::Silent => {}
            Outcome::Supports(records) => supports = supports.or(Some(records)),
            Outcome::Refutes(records) => refutes = refutes.or(Some(records)),
        }
    }
    match (supports, refutes) {
        (Some(records), None) => Outcome::Supports(records.clone()),
        (None, Some(records)) => Outcome::Refutes(records.clone()),
        _ => Outcome::Silent,
    }
}

/// The names of all rules, in the order in which they are listed to people.
pub fn rule_ids() -> impl Iterator<Item = RuleId> {
    RULES.iter().map(|rule| rule.id())
}

/// The records that have all but one of the claim's names and words, themselves or by what holds for them.
fn candidates(claim: &TypedClaim<'_>, index: &Index<'_>) -> Option<BTreeSet<RecordId>> {
    let mut candidates = BTreeSet::new();
    for term in claim.terms.iter().filter(|term| matches!(term.kind, Kind::Name | Kind::Word)) {
        for word in &term.words {
            candidates.extend(index.with_word(word.key));
        }
    }
    let facts = index.facts();
    // What holds for a record counts as its own.
    let below: Vec<RecordId> = facts
        .records()
        .filter(|(_, record)| record.parent.is_some_and(|parent| candidates.contains(&parent)))
        .map(|(id, _)| id)
        .collect();
    candidates.extend(below);
    let lacking = |record: &RecordId| {
        let terms = claim.terms.iter().filter(|term| matches!(term.kind, Kind::Name));
        terms.filter(|term| term.words.iter().any(|word| !index.has(*record, word.key))).count()
    };
    candidates.retain(|record| lacking(record) <= 1);
    (candidates.len() <= MAX_CANDIDATES).then_some(candidates)
}

/// Whether the claim names something that the record, or what holds for it, has as a value or a key.
fn names_subject(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    claim.terms.iter().zip(&fit.found).any(|(term, found)| {
        matches!(term.kind, Kind::Name | Kind::Word)
            && found.iter().any(|found| matches!(found, Found::Value(..) | Found::Path))
    })
}

/// The bytes, in the item of a record, of the cells in which it, or what holds for it, has terms of a claim.
#[must_use]
pub fn cited(claim: &TypedClaim<'_>, record: RecordId, index: &Index<'_>) -> Vec<Range<usize>> {
    let kinds = kinds(claim, index);
    let fit = Fit::new(claim, &kinds, record, index);
    let cell = |found: &Found| match found {
        Found::Value(cell, _) | Found::Attribute(cell) => fit.cells.get(*cell),
        Found::Path | Found::Scope => None,
    };
    let mut spans: Vec<Range<usize>> =
        fit.found.iter().flatten().filter_map(cell).map(|view| view.cell.span.clone()).collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}

#[cfg(test)]
mod tests;
