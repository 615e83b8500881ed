//! Whether the members of a list keep to a bound: each took longer than five seconds, none used more than 1 GiB.

use std::cmp::Ordering;

use gsar_core::text::figures::{Agreement, Comparator, Dimension, Figure, agree};
use gsar_core::text::tokens::words;

use crate::claim::portions::Portion;
use crate::claim::reading::Reading;
use crate::matching::measures::{Attribute, Measured, measure, order};
use crate::matching::members::Member;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// How many of the members keep to the bound, as the claim has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of them.
    Each,
    /// Not one.
    None,
}

/// The most members that are cited.
const MOST_CITED: usize = 4;

/// The bounds that figures of a claim state: one, or "between" and "and".
pub(crate) fn read(reading: &Reading<'_>, figures: &[usize]) -> Option<Vec<Figure>> {
    let figure = |number: &usize| reading.figures.figures.get(*number);
    match figures {
        [one] => {
            let bound = with_comparator(reading, figure(one)?);
            // "in its five days" bounds nothing.
            let bounds = bound.comparator.is_some() || bound.unit.dimension == Dimension::Count;
            bounds.then(|| vec![bound])
        }
        [low, high] => {
            let (low, high) = (figure(low)?, figure(high)?);
            let before = words(reading.text.get(..low.span.start)?).last()?;
            let gap = reading.text.get(low.span.end..high.span.start)?;
            let joined = before.is("between") && words(gap).all(|word| word.is("and"))
                || before.is("from") && words(gap).all(|word| word.is("to"));
            let low = if low.unit.dimension == Dimension::Count {
                Figure { unit: high.unit, ..low.clone() }
            } else {
                low.clone()
            };
            joined.then(|| {
                vec![
                    Figure { comparator: Some(Comparator::AtLeast), ..low },
                    Figure { comparator: Some(Comparator::AtMost), ..high.clone() },
                ]
            })
        }
        _ => None,
    }
}

/// "Faster than five seconds" is under five seconds.
fn with_comparator(reading: &Reading<'_>, figure: &Figure) -> Figure {
    let before = reading.text.get(..figure.span.start).unwrap_or("");
    let mut last = [None, None];
    for word in words(before) {
        last = [last[1].take(), Some(word)];
    }
    let comparator = match &last {
        [Some(word), Some(than)] if than.is("than") => {
            let is_any = |table: &[&str]| table.iter().any(|known| word.is(known));
            if is_any(&["faster", "quicker", "smaller", "shorter", "lighter"]) {
                Some(Comparator::Under)
            } else if is_any(&["slower", "larger", "bigger", "heavier"]) {
                Some(Comparator::Over)
            } else {
                None
            }
        }
        _ => None,
    };
    Figure { comparator: figure.comparator.or(comparator), ..figure.clone() }
}

/// Whether a quantity keeps to a bound; a rounded bound that is met is kept to.
fn keeps_to(bound: &Figure, stated: &Figure) -> Option<bool> {
    let order = order(stated, bound)?;
    let plain = Figure { comparator: None, ..bound.clone() };
    let rounded = || agree(&plain, stated) == Agreement::Same;
    Some(match bound.comparator {
        Some(Comparator::Over) => order == Ordering::Greater,
        Some(Comparator::Under) => order == Ordering::Less,
        Some(Comparator::AtLeast) => order != Ordering::Less || rounded(),
        Some(Comparator::AtMost) => order != Ordering::Greater || rounded(),
        None => rounded(),
    })
}

/// Whether a quantity keeps to all bounds without any rounding: what none does, 39.6 of 40 does not do either.
fn reaches(bounds: &[Figure], stated: &Figure) -> bool {
    bounds.iter().all(|bound| match (bound.comparator, order(stated, bound)) {
        (Some(Comparator::Over | Comparator::AtLeast), Some(order)) => order != Ordering::Less,
        (Some(Comparator::Under | Comparator::AtMost), Some(order)) => order != Ordering::Greater,
        (None, Some(_)) => keeps_to(bound, stated) == Some(true),
        (_, None) => false,
    })
}

/// Whether a quantity is a bound itself.
fn is_at(bounds: &[Figure], stated: &Figure) -> bool {
    bounds
        .iter()
        .any(|bound| bound.comparator.is_some() && order(stated, bound) == Some(Ordering::Equal))
}

/// What the members say to a bound.
pub(crate) fn weigh(
    case: &Case<'_, '_, '_>,
    members: &[Member],
    bounds: &[Figure],
    wanted: Wanted,
    portion: &Portion,
) -> Option<Ruling> {
    let dimension = bounds.first()?.unit.dimension;
    if bounds.iter().any(|bound| bound.unit.dimension != dimension) {
        return None;
    }
    // A bare number has to stand under the very noun that it counts.
    let noun = bounds.iter().fold(0, |bits, bound| bits | case.reading.noun(&bound.span));
    let attribute = match dimension {
        Dimension::Count if noun == 0 => return None,
        Dimension::Count => Attribute::Named(noun | portion.predicate),
        _ => Attribute::Unit(dimension),
    };
    let measured: Vec<Option<Measured>> = members
        .iter()
        .map(|member| {
            measure(case, member, attribute)
                .filter(|measured| dimension != Dimension::Count || measured.key & noun == noun)
        })
        .collect();
    let keeps = |measured: &Measured| -> Option<bool> {
        bounds
            .iter()
            .try_fold(true, |keeps, bound| Some(keeps && keeps_to(bound, &measured.figure)?))
    };
    let is_good = |measured: &Measured| match (wanted, keeps(measured)) {
        (Wanted::Each, Some(keeps)) => keeps,
        (Wanted::None, Some(_)) => !reaches(bounds, &measured.figure),
        (_, None) => false,
    };
    let is_bad = |measured: &Measured| match (wanted, keeps(measured)) {
        (Wanted::Each, Some(keeps)) => !keeps && !is_at(bounds, &measured.figure),
        (Wanted::None, Some(keeps)) => {
            keeps && reaches(bounds, &measured.figure) && !is_at(bounds, &measured.figure)
        }
        (_, None) => false,
    };
    let known: Vec<&Measured> = measured.iter().flatten().collect();
    // A bare `count` that no word of the claim names counts something else.
    let is_named = |measured: &Measured| dimension != Dimension::Count || measured.key != 0;
    if let Some(other) = known.iter().find(|measured| is_bad(measured) && is_named(measured)) {
        let cites = vec![Cite::Field(other.field)];
        return Some(Ruling::contradicted(Basis::Stated, cites, note::says(case, other.field)));
    }
    let all = known.len() >= 2
        && known.len() == members.len()
        && known.iter().all(|measured| is_good(measured));
    all.then(|| {
        let cites = known.iter().take(MOST_CITED).map(|measured| Cite::Field(measured.field));
        let item = known.first().map_or(0, |measured| case.corpus.item_of(measured.field));
        let says = note::count(case, item, known.len(), known.len());
        Ruling::grounded(Basis::Derived, cites.collect(), says)
    })
}
