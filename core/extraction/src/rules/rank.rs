//! This module is the rule of ranks: the claim says that one of several has the most or the least of something.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fit::{Fit, Found};
use super::index::CellView;
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, Sign, TypedClaim};
use crate::facts::RecordId;
use crate::text::figures::{Figure, compare_values};

/// The rule.
pub(super) struct Rank;

impl Rule for Rank {
    fn id(&self) -> RuleId {
        RuleId("rank")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let mut signs = claim.signs();
        let greatest = match (signs.next(), signs.next()) {
            (Some(Sign::Most), None) => true,
            (Some(Sign::Least), None) => false,
            _ => return Outcome::Silent,
        };
        let ranked: Vec<(RecordId, bool)> = fits
            .iter()
            .filter_map(|fit| {
                let is_sign = |term: &usize| {
                    claim.terms.get(*term).is_some_and(|term| matches!(term.kind, Kind::Sign(_)))
                };
                if fit.left_over().any(|term| !is_sign(&term)) {
                    return None;
                }
                if is_sampled(claim, fit, fits, index) {
                    return None;
                }
                Some((fit.record, is_first(claim, fit, greatest, index)?))
            })
            .collect();
        let Some((record, is_so)) = ranked.first() else { return Outcome::Silent };
        if ranked.iter().any(|(_, other)| other != is_so) {
            Outcome::Silent
        } else if *is_so {
            Outcome::Supports(vec![*record])
        } else {
            Outcome::Refutes(vec![*record])
        }
    }
}

/// Whether the group of a record has more than one record of the thing that the claim names: samples, not things.
fn is_sampled(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    fits: &[Fit<'_, '_>],
    index: &Index<'_>,
) -> bool {
    let group = |fit: &Fit<'_, '_>| index.facts().record(fit.record).map(|record| record.group);
    let has_names = |fit: &Fit<'_, '_>| {
        let mut terms = claim.terms.iter().zip(&fit.found);
        terms.all(|(term, found)| !matches!(term.kind, Kind::Name) || !found.is_empty())
    };
    claim.names().next().is_some()
        && fits.iter().filter(|other| group(other) == group(fit) && has_names(other)).count() > 1
}

/// Whether the record has the most, or the least, of the attribute that the claim names; `None` where it names none,
/// or more than one.
fn is_first(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    greatest: bool,
    index: &Index<'_>,
) -> Option<bool> {
    let facts = index.facts();
    let group = facts.record(fit.record)?.group;
    let members = &facts.group(group)?.records;
    if members.len() < 2 || !is_named(claim, fit) {
        return None;
    }
    let cell = ranked_by(fit)?;
    let own = cell.figures.first()?;
    let others: Option<Vec<Figure>> = members
        .iter()
        .filter(|id| **id != fit.record)
        .map(|id| figure_of(*id, cell.cell.attribute.as_slice(), index))
        .collect();
    let wanted = if greatest { Ordering::Greater } else { Ordering::Less };
    let orders: Option<Vec<Ordering>> =
        others?.iter().map(|other| compare_values(own, other)).collect();
    let orders = orders?;
    if orders.iter().all(|order| *order == wanted) {
        Some(true)
    } else {
        orders.contains(&wanted.reverse()).then_some(false)
    }
}

/// The value by which a record is ranked: that of the attribute which the claim names, else the only figure it has.
fn ranked_by<'r, 'f, 'a>(fit: &'r Fit<'f, 'a>) -> Option<&'r CellView<'f, 'a>> {
    let is_figure =
        |cell: &&CellView<'f, 'a>| cell.depth == 0 && cell.is_value() && cell.figures.len() == 1;
    let mut named = fit.found.iter().flatten().filter_map(|found| match found {
        Found::Attribute(cell) => fit.cells.get(*cell).filter(is_figure),
        _ => None,
    });
    if let Some(cell) = named.next() {
        return named.all(|other| core::ptr::eq(other, cell)).then_some(cell);
    }
    let mut figures = fit.cells.iter().filter(is_figure);
    figures.next().filter(|_| figures.next().is_none())
}

fn figure_of(
    record: RecordId,
    attribute: &[alloc::borrow::Cow<'_, str>],
    index: &Index<'_>,
) -> Option<Figure> {
    let record = index.facts().record(record)?;
    record.cells.iter().find(|cell| cell.attribute == attribute)?.figure()
}

fn is_named(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    claim.terms.iter().zip(&fit.found).any(|(term, found)| {
        matches!(term.kind, Kind::Name | Kind::Word)
            && found.iter().any(|found| match found {
                Found::Value(cell, _) => fit.cells.get(*cell).is_some_and(|cell| cell.depth == 0),
                Found::Path => true,
                _ => false,
            })
    })
}
