//! This module says whether a figure of a claim is the value of the attribute that the claim names beside it. It
//! decides nothing.

use alloc::vec::Vec;
use core::ops::Range;

use super::fit::{Fit, Found};
use super::prose::segments;
use crate::claim::{Kind, TypedClaim};
use crate::text::figures::Unit;

/// How many words apart a word and a figure of one statement stand in prose.
const NEAR: usize = 5;

/// Whether each figure is the value of the attribute that the claim names beside it.
pub(super) fn figures_belong(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let figures =
        claim.terms.iter().enumerate().filter(|(_, term)| matches!(term.kind, Kind::Figure(_)));
    figures.map(|(at, _)| at).all(|at| {
        let places = fit.found.get(at).map(Vec::as_slice).unwrap_or_default();
        places.iter().any(|place| match place {
            Found::Value(cell, span) if counts_same(claim, fit, at, *cell, span) => {
                let own = nearness(claim, fit, at, *cell, Some(span));
                let rival = (0..fit.cells.len())
                    .filter(|other| other != cell && is_comparable(fit, *cell, *other))
                    .map(|other| nearness(claim, fit, at, other, None))
                    .max();
                own > 0 && rival.is_none_or(|rival| rival < own)
                    || is_only_figure(fit, *cell)
                        && (names_series(claim, fit, at) || is_bare_value(claim, fit, *cell))
            }
            _ => false,
        })
    })
}

/// Whether a cell is the only figure of its record: the value of a sample.
fn is_only_figure(fit: &Fit<'_, '_>, cell: usize) -> bool {
    let mut own = fit
        .cells
        .iter()
        .enumerate()
        .filter(|(_, view)| view.depth == 0 && !view.figures.is_empty());
    own.next()
        .is_some_and(|(only, view)| only == cell && view.is_value() && view.figures.len() == 1)
        && own.next().is_none()
}

/// Whether a cell is called no more than a value, of a thing that its record names: `{"name": "limit", "value": 3}`.
fn is_bare_value(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, cell: usize) -> bool {
    let is_value =
        fit.cells.get(cell).and_then(|view| view.cell.attribute.last()).is_some_and(|name| {
            name.eq_ignore_ascii_case("value") || name.eq_ignore_ascii_case("values")
        });
    is_value
        && claim.terms.iter().zip(&fit.found).any(|(term, found)| {
            matches!(term.kind, Kind::Name | Kind::Word)
                && found.iter().any(|found| match found {
                    Found::Value(of, _) => {
                        *of != cell && fit.cells.get(*of).is_some_and(|view| view.depth == 0)
                    }
                    _ => false,
                })
        })
}

/// Whether a word beside a figure is what its record stands under: the name of a series.
fn names_series(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, figure: usize) -> bool {
    beside(claim, figure).any(|term| {
        fit.found.get(term).is_some_and(|found| {
            found.iter().any(|found| match found {
                Found::Path => true,
                Found::Value(cell, _) => fit.cells.get(*cell).is_some_and(|view| view.depth > 0),
                _ => false,
            })
        })
    })
}

/// Whether what the claim counts is what stands beside the number.
fn counts_same(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    figure: usize,
    cell: usize,
    at: &Range<usize>,
) -> bool {
    let (Some(term), Some(next)) = (claim.terms.get(figure), claim.terms.get(figure + 1)) else {
        return true;
    };
    let is_count = matches!(&term.kind, Kind::Figure(figure) if figure.unit == Unit::COUNT);
    let between = claim.text.get(term.span.end..next.span.start).unwrap_or_default();
    if !is_count || !matches!(next.kind, Kind::Word) || !between.trim().is_empty() {
        return true;
    }
    let Some(view) = fit.cells.get(cell) else { return false };
    fit.found.get(figure + 1).is_some_and(|found| {
        found.iter().any(|found| match found {
            Found::Attribute(of) => *of == cell,
            Found::Value(of, span) => *of == cell && words_between(view, span, at) <= 1,
            Found::Path | Found::Scope => view.is_value(),
        })
    })
}

fn is_comparable(fit: &Fit<'_, '_>, cell: usize, other: usize) -> bool {
    let dimension = |at: usize| {
        let cell = fit.cells.get(at)?;
        cell.figures.first().map(|figure| figure.unit.dimension)
    };
    dimension(cell).is_some() && dimension(cell) == dimension(other)
}

/// How many words that the claim has beside a figure are the attribute of a cell, or stand beside the figure in prose.
pub(super) fn nearness(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    figure: usize,
    cell: usize,
    at: Option<&Range<usize>>,
) -> usize {
    let Some(view) = fit.cells.get(cell) else { return 0 };
    let weight = |term: usize| if in_one_segment(claim, figure, term) { SAME_SEGMENT } else { 1 };
    let belongs = |term: &usize| {
        fit.found.get(*term).is_some_and(|found| {
            found.iter().any(|found| match found {
                Found::Attribute(of) => *of == cell,
                Found::Value(of, span) if *of == cell && !view.is_value() => {
                    at.is_none_or(|at| words_between(view, span, at) <= NEAR)
                }
                _ => false,
            })
        })
    };
    beside(claim, figure).filter(belongs).map(weight).sum()
}

/// How much more a word counts that stands beside a figure without a comma or "and" between.
const SAME_SEGMENT: usize = 4;

fn in_one_segment(claim: &TypedClaim<'_>, a: usize, b: usize) -> bool {
    let start = |term: usize| claim.terms.get(term).map(|term| term.span.start);
    let (Some(a), Some(b)) = (start(a), start(b)) else { return false };
    segments(claim.text).iter().any(|segment| segment.contains(&a) && segment.contains(&b))
}

/// The terms of a claim from the figure before one to the figure after it.
fn beside(claim: &TypedClaim<'_>, figure: usize) -> impl Iterator<Item = usize> {
    let is_figure =
        |at: &usize| claim.terms.get(*at).is_some_and(|term| matches!(term.kind, Kind::Figure(_)));
    let mut from = (0..figure).rev().find(is_figure).map_or(0, |at| at + 1);
    let to = (figure + 1..claim.terms.len()).find(is_figure).unwrap_or(claim.terms.len());
    if to - from == 1 && from > 0 {
        // "from 100 GB to 200 GB": both are of what stands before the first.
        from = (0..from - 1).rev().find(is_figure).map_or(0, |at| at + 1);
    }
    (from..to).filter(move |at| *at != figure)
}

fn words_between(
    view: &super::index::CellView<'_, '_>,
    a: &Range<usize>,
    b: &Range<usize>,
) -> usize {
    let (first, second) = if a.start < b.start { (a, b) } else { (b, a) };
    view.words
        .iter()
        .filter(|word| word.span.start >= first.end && word.span.end <= second.start)
        .count()
}

/// Whether what the claim says of a name that is itself an attribute is the value of that very attribute:
/// `{"cart": "v2", "stock": "v3"}`.
pub(super) fn bound_by_name(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let attributes_of = |wanted: fn(&Kind) -> bool| -> Vec<usize> {
        let terms = claim.terms.iter().zip(&fit.found).filter(|(term, _)| wanted(&term.kind));
        let attributes = terms
            .filter(|(_, found)| found.iter().all(|found| matches!(found, Found::Attribute(_))));
        attributes
            .flat_map(|(_, found)| found.iter())
            .filter_map(|found| match found {
                Found::Attribute(cell) => Some(*cell),
                _ => None,
            })
            .collect()
    };
    let has_quantity =
        claim.terms.iter().any(|term| matches!(term.kind, Kind::Figure(_) | Kind::Time(_)));
    let bound = if has_quantity {
        attributes_of(|kind| matches!(kind, Kind::Name))
    } else {
        attributes_of(|kind| matches!(kind, Kind::Name | Kind::Word))
    };
    let in_bound = |found: &Vec<Found>| {
        found.iter().any(|found| matches!(found, Found::Value(cell, _) if bound.contains(cell)))
    };
    let of_kind = |wanted: fn(&Kind) -> bool| -> Vec<bool> {
        let terms = claim.terms.iter().zip(&fit.found).filter(|(term, _)| wanted(&term.kind));
        terms.map(|(_, found)| in_bound(found)).collect()
    };
    let quantities = of_kind(|kind| matches!(kind, Kind::Figure(_) | Kind::Time(_)));
    bound.is_empty()
        || if quantities.is_empty() {
            of_kind(|kind| matches!(kind, Kind::Name | Kind::Word)).contains(&true)
        } else {
            !quantities.contains(&false)
        }
}
