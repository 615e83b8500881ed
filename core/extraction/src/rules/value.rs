//! This module is the rule of values and states: the claim says of a subject what one record says of it, or the same
//! attribute of that very subject has another value.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::attribution::{bound_by_name, figures_belong, nearness};
use super::fit::{Fit, Found, differ};
use super::index::CellView;
use super::prose::{same_order, same_polarity, same_segment, segments};
use super::{Index, Outcome, Rule, RuleId, names_subject};
use crate::claim::{Kind, TypedClaim};
use crate::facts::{Cell, RecordId};
use crate::lexicon::LEXICON;
use crate::text::figures::{Agreement, ClockTime, Figure, agree_times};
use crate::text::polarity;
use crate::text::tokens::words;

/// The rule.
pub(super) struct ValueOfSubject;

impl Rule for ValueOfSubject {
    fn id(&self) -> RuleId {
        RuleId("value")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let shows =
            |fit: &&Fit<'_, '_>| fit.left_over().next().is_none() && is_shown(claim, fit, index);
        if let Some(first) = fits.iter().find(shows) {
            return Outcome::Supports(vec![first.record]);
        }
        if claim.is_hedged || segments(claim.text).len() > 1 {
            return Outcome::Silent;
        }
        if let Some(misplaced) =
            fits.iter().find(|fit| fit.left_over().next().is_none() && is_of_neighbour(claim, fit))
        {
            return Outcome::Refutes(vec![misplaced.record]);
        }
        let refuting: Vec<(&Fit<'_, '_>, usize)> = fits
            .iter()
            .filter_map(|fit| {
                let mut left_over = fit.left_over();
                let only = left_over.next().filter(|_| left_over.next().is_none())?;
                is_refuted(claim, fit, only, index).then_some((fit, only))
            })
            .collect();
        // What a record says counts once, not again for each that it holds for.
        let is_refuting = |id: RecordId| refuting.iter().any(|(fit, _)| fit.record == id);
        let is_own = |id: RecordId| {
            let parent = |id: RecordId| index.facts().record(id)?.parent;
            !core::iter::successors(parent(id), |id| parent(*id)).any(is_refuting)
        };
        let refuting: Vec<(&Fit<'_, '_>, usize)> =
            refuting.iter().filter(|(fit, _)| is_own(fit.record)).copied().collect();
        // A row of the thing has another value, and a row of the value is another thing: both say so.
        let group = |fit: &Fit<'_, '_>| index.facts().record(fit.record).map(|record| record.group);
        let Some((first, _)) = refuting.first() else { return Outcome::Silent };
        let in_one_group = refuting.iter().all(|(other, _)| group(other) == group(first));
        let missing: BTreeSet<usize> = refuting.iter().map(|(_, term)| *term).collect();
        let is_open = missing.iter().any(|term| fits.iter().any(|fit| may_show(claim, fit, *term)));
        if in_one_group && !is_open {
            Outcome::Refutes(vec![first.record])
        } else {
            Outcome::Silent
        }
    }
}

/// Whether a record of all that the claim names has what is missing elsewhere, under whatever words.
fn may_show(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, missing: usize) -> bool {
    let mut terms = claim.terms.iter().zip(&fit.found).enumerate();
    let has_names = terms.all(|(at, (term, found))| {
        at == missing || !matches!(term.kind, Kind::Name) || !found.is_empty()
    });
    has_names
        && fit.found.get(missing).is_some_and(|found| {
            found.iter().any(|found| match found {
                Found::Value(cell, _) => fit.cells.get(*cell).is_some_and(|view| {
                    !view.is_value() || nearness(claim, fit, missing, *cell, None) > 0
                }),
                Found::Attribute(_) => false,
                Found::Path | Found::Scope => true,
            })
        })
}

/// Whether a record that has every term of the claim says what the claim says.
fn is_shown(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, index: &Index<'_>) -> bool {
    let is_own = |found: &Found| match found {
        Found::Value(cell, _) | Found::Attribute(cell) => {
            fit.cells.get(*cell).is_some_and(|cell| cell.depth == 0)
        }
        _ => false,
    };
    let own = fit.found.iter().filter(|found| found.iter().any(is_own)).count();
    let valued = claim.terms.iter().zip(&fit.found).any(|(_, found)| {
        found.iter().any(|found| matches!(found, Found::Value(..)) && is_own(found))
    });
    let rests_on_question = fit.found.iter().flatten().any(|found| match found {
        Found::Value(cell, _) => fit.cells.get(*cell).is_some_and(CellView::is_asked),
        _ => false,
    });
    !rests_on_question
        && !rests_on_nothing(fit)
        && own >= 1
        && claim.terms.len() >= 2
        && says_more_than_names(claim)
        && valued
        && has_subject(claim, fit, index)
        && figures_belong(claim, fit)
        && bound_by_name(claim, fit)
        && same_segment(claim, fit)
        && same_order(claim, fit)
        && same_polarity(claim, fit)
}

/// Whether a claim says anything of the one thing that it names.
fn says_more_than_names(claim: &TypedClaim<'_>) -> bool {
    claim.terms.iter().filter(|term| !term.is_kind()).count() >= 2
}

/// Whether an attribute that the claim names has no value here, or none at all: `approved_by: null`.
fn rests_on_nothing(fit: &Fit<'_, '_>) -> bool {
    let value_is_said = |cell: usize| {
        fit.found.iter().flatten().any(|found| matches!(found, Found::Value(of, _) if *of == cell))
    };
    fit.found.iter().flatten().any(|found| match found {
        Found::Attribute(cell) => fit.cells.get(*cell).is_some_and(|view| {
            polarity::is_blank_answer(view.cell.text.trim()) && !value_is_said(*cell)
        }),
        _ => false,
    })
}

/// Whether the claim says whose value it is, or only one thing has such a value.
fn has_subject(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>, index: &Index<'_>) -> bool {
    let alone = index
        .facts()
        .record(fit.record)
        .and_then(|record| index.facts().group(record.group))
        .is_some_and(|group| group.records.len() == 1);
    names_subject(claim, fit) || alone
}

/// Whether a record that has every term of the claim gives the value that the claim gives to a neighbour of the thing
/// that the claim names, and gives the thing another.
fn is_of_neighbour(claim: &TypedClaim<'_>, fit: &Fit<'_, '_>) -> bool {
    let named = claim.terms.iter().zip(&fit.found);
    let attributes: Vec<usize> = named
        .filter(|(term, _)| matches!(term.kind, Kind::Name | Kind::Word))
        .filter_map(|(_, found)| match found.as_slice() {
            [Found::Attribute(cell)] if is_whole_attribute(fit, *cell) => Some(*cell),
            _ => None,
        })
        .collect();
    let [own] = attributes.as_slice() else { return false };
    // "The target in zone c is healthy": a row's first value names it, and its column says what kind of thing it is.
    if *own == 0 && fit.cells.len() > 2 {
        return false;
    }
    let Some(own_view) = fit.cells.get(*own).filter(|view| view.depth == 0 && view.is_value())
    else {
        return false;
    };
    // What stands in one value of the record, as the name stands for one.
    let elsewhere =
        claim.terms.iter().zip(&fit.found).any(|(term, found)| match found.as_slice() {
            [Found::Value(cell, _)] if cell != own && !matches!(term.kind, Kind::Sign(_)) => {
                fit.cells.get(*cell).is_some_and(|view| {
                    view.depth == 0
                        && view.is_value()
                        && view.words.len() == own_view.words.len()
                        && view.cell.attribute.len() == own_view.cell.attribute.len()
                        && view.figures.len() == own_view.figures.len()
                        && view.times.len() == own_view.times.len()
                        && view.cell.text != own_view.cell.text
                })
            }
            _ => false,
        });
    let in_own = fit
        .found
        .iter()
        .flatten()
        .any(|found| matches!(found, Found::Value(cell, _) if cell == own));
    elsewhere && !in_own
}

/// Whether a record that has every term but one has another value in its place.
fn is_refuted(
    claim: &TypedClaim<'_>,
    fit: &Fit<'_, '_>,
    missing: usize,
    index: &Index<'_>,
) -> bool {
    let Some(term) = claim.terms.get(missing) else { return false };
    let named = has_subject(claim, fit, index);
    if !named || !same_polarity(claim, fit) {
        return false;
    }
    match &term.kind {
        Kind::Figure(figure) => {
            let own: Vec<(usize, usize)> = (0..fit.cells.len())
                .filter(|cell| fit.cells.get(*cell).is_some_and(CellView::is_value))
                .map(|cell| (nearness(claim, fit, missing, cell, None), cell))
                .filter(|(near, _)| *near > 0)
                .collect();
            let best = own.iter().map(|(near, _)| *near).max();
            let mut of_best = own.iter().filter(|(near, _)| Some(*near) == best);
            let (Some((_, cell)), None) = (of_best.next(), of_best.next()) else { return false };
            fit.cells.get(*cell).is_some_and(|cell| {
                !counts_others(claim.text, figure, cell)
                    && !cell.figures.is_empty()
                    && cell.figures.iter().all(|other| differ(figure, other))
            })
        }
        Kind::Time(time) => {
            let named = |cell: usize| nearness(claim, fit, missing, cell, None) > 0;
            let mut cells = fit.cells.iter().enumerate().filter(|(at, cell)| {
                cell.is_value() && cell.depth == 0 && cell.times.len() == 1 && named(*at)
            });
            let (Some((_, cell)), None) = (cells.next(), cells.next()) else { return false };
            cell.times.iter().all(|other| are_apart(time, other))
        }
        Kind::Name | Kind::Word => is_another_value(term.text, fit, index),
        Kind::Sign(_) => false,
    }
}

/// Whether a number counts things of a kind that is not what a cell is of: "three pods" beside "READY 1/1".
fn counts_others(text: &str, figure: &Figure, cell: &CellView<'_, '_>) -> bool {
    let after = text.get(figure.span.end..).unwrap_or_default();
    let next = words(after).next().filter(|word| LEXICON.is_kind(word));
    next.is_some_and(|kind| {
        let mut of_cell = cell.cell.attribute.iter().flat_map(|name| words(name));
        !of_cell.any(|word| word.stem() == kind.stem())
    })
}

/// Whether an attribute is one word.
fn is_whole_attribute(fit: &Fit<'_, '_>, cell: usize) -> bool {
    let name = fit.cells.get(cell).and_then(|view| view.cell.attribute.last());
    name.is_some_and(|name| !name.contains(['_', ' ', '.']))
}

/// Whether two times of day cannot be one instant in two zones.
fn are_apart(a: &ClockTime, b: &ClockTime) -> bool {
    const ZONE_GRAIN: i64 = 900;
    let grain = i64::from(a.grain.max(b.grain));
    let gap = (i64::from(a.seconds_of_day) - i64::from(b.seconds_of_day)).rem_euclid(ZONE_GRAIN);
    agree_times(a, b) != Agreement::Same && gap.min(ZONE_GRAIN - gap) > grain
}

/// Whether a word is a value that a sibling of the record has where the record has another.
fn is_another_value(text: &str, fit: &Fit<'_, '_>, index: &Index<'_>) -> bool {
    let facts = index.facts();
    let Some(group) = facts.record(fit.record).map(|record| record.group) else { return false };
    let Some(key) = words(text).next().map(|word| word.key()) else { return false };
    let is_the_word = |text: &str| {
        let mut of_cell = words(text);
        of_cell.next().is_some_and(|word| word.key() == key) && of_cell.next().is_none()
    };
    let siblings = || {
        let others = index.with_word(key).iter().filter(|id| **id != fit.record);
        others.filter_map(|id| facts.record(*id)).filter(|record| record.group == group)
    };
    let mut own =
        fit.cells.iter().filter(|cell| cell.is_value() && cell.depth == 0 && cell.words.len() == 1);
    own.any(|own| {
        let excluded = own.words.iter().any(|word| LEXICON.excluded_by(word.key).contains(&key));
        let has_it =
            |cell: &Cell<'_>| cell.attribute == own.cell.attribute && is_the_word(&cell.text);
        excluded || siblings().any(|sibling| sibling.cells.iter().any(has_it))
    })
}
