//! This module is the rule of changes: the claim says that a value of a subject went from one figure to another.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fit::{Fit, Found, differ};
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, Sign, TypedClaim};
use crate::facts::{GroupId, RecordId};
use crate::text::figures::{Agreement, ClockTime, Figure, agree, agree_times, compare_values};

/// The rule.
pub(super) struct Change;

/// What the claim says.
struct Stated<'c> {
    from: &'c Figure,
    to: &'c Figure,
    start: Option<&'c ClockTime>,
    end: Option<&'c ClockTime>,
    rises: bool,
}

/// The value of one attribute in one record.
struct Sample {
    record: RecordId,
    at: Option<ClockTime>,
    figure: Figure,
}

impl Rule for Change {
    fn id(&self) -> RuleId {
        RuleId("change")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let Some(stated) = stated(claim) else { return Outcome::Silent };
        let mut series: BTreeMap<(GroupId, Vec<Cow<'_, str>>), Vec<Sample>> = BTreeMap::new();
        for fit in fits {
            let record = fit.record;
            let is_value = |term: &usize| {
                claim
                    .terms
                    .get(*term)
                    .is_some_and(|term| !matches!(term.kind, Kind::Name | Kind::Word))
            };
            if fit.left_over().any(|term| !is_value(&term)) || !super::names_subject(claim, fit) {
                continue;
            }
            let Some(group) = index.facts().record(record).map(|record| record.group) else {
                continue;
            };
            let Some(cell) = attribute(fit) else { continue };
            let Some(figure) = cell.figures.first().cloned() else { continue };
            let at = index.facts().time_of(record).cloned();
            series.entry((group, cell.cell.attribute.clone())).or_default().push(Sample {
                record,
                at,
                figure,
            });
        }
        let outcomes: Vec<Outcome> =
            series.values().map(|samples| of_series(&stated, samples)).collect();
        let mut spoken = outcomes.into_iter().filter(|outcome| *outcome != Outcome::Silent);
        match (spoken.next(), spoken.next()) {
            (Some(outcome), None) => outcome,
            _ => Outcome::Silent,
        }
    }
}

fn stated<'c>(claim: &'c TypedClaim<'_>) -> Option<Stated<'c>> {
    let mut signs = claim.signs();
    let rises = match (signs.next()?, signs.next()) {
        (Sign::Up, None) => true,
        (Sign::Down, None) => false,
        _ => return None,
    };
    let figures: Vec<&Figure> = claim
        .terms
        .iter()
        .filter_map(|term| match &term.kind {
            Kind::Figure(figure) => Some(figure),
            _ => None,
        })
        .collect();
    let times: Vec<&ClockTime> = claim
        .terms
        .iter()
        .filter_map(|term| match &term.kind {
            Kind::Time(time) => Some(time),
            _ => None,
        })
        .collect();
    let [from, to] = figures.as_slice() else { return None };
    let (start, end) = match times.as_slice() {
        [] => (None, None),
        [start, end] => (Some(*start), Some(*end)),
        _ => return None,
    };
    // "fell to 3 from 9" says the later value first.
    let before_last = claim
        .text
        .get(..claim.terms.iter().rfind(|term| matches!(term.kind, Kind::Figure(_)))?.span.start)?;
    let is_reversed = before_last.trim_end().ends_with("from");
    let (from, to) = if is_reversed { (*to, *from) } else { (*from, *to) };
    let (start, end) = if is_reversed { (end, start) } else { (start, end) };
    Some(Stated { from, to, start, end, rises })
}

/// The one value of a record whose attribute the claim names; without such, its only figure.
fn attribute<'r, 'f, 'a>(fit: &'r Fit<'f, 'a>) -> Option<&'r super::index::CellView<'f, 'a>> {
    let is_own_value = |cell: &&super::index::CellView<'f, 'a>| {
        cell.depth == 0 && cell.is_value() && cell.figures.len() == 1
    };
    let mut named = fit.found.iter().flatten().filter_map(|found| match found {
        Found::Attribute(cell) => fit.cells.get(*cell).filter(is_own_value),
        _ => None,
    });
    if let Some(first) = named.next() {
        return named.all(|other| core::ptr::eq(other, first)).then_some(first);
    }
    let mut own = fit.cells.iter().filter(is_own_value);
    own.next().filter(|_| own.next().is_none())
}

fn of_series(stated: &Stated<'_>, samples: &[Sample]) -> Outcome {
    let at = |time: Option<&ClockTime>, sample: &Sample| {
        time.is_none_or(|time| {
            sample.at.as_ref().is_some_and(|at| agree_times(time, at) == Agreement::Same)
        })
    };
    let has = |figure: &Figure, sample: &Sample| agree(figure, &sample.figure) == Agreement::Same;
    let first =
        samples.iter().position(|sample| at(stated.start, sample) && has(stated.from, sample));
    let last = samples.iter().rposition(|sample| at(stated.end, sample) && has(stated.to, sample));
    let wanted = if stated.rises { Ordering::Less } else { Ordering::Greater };
    if let (Some(first), Some(last)) = (first, last)
        && let (Some(from), Some(to)) = (samples.get(first), samples.get(last))
    {
        let order = compare_values(&from.figure, &to.figure);
        return match (first < last, order) {
            (true, Some(order)) if order == wanted => {
                Outcome::Supports(vec![from.record, to.record])
            }
            (true, Some(order)) if order == wanted.reverse() => {
                Outcome::Refutes(vec![from.record, to.record])
            }
            _ => Outcome::Silent,
        };
    }
    // At both of the stated times it had other values.
    let (Some(start), Some(end)) = (stated.start, stated.end) else { return Outcome::Silent };
    let of = |time: &ClockTime| {
        let mut there = samples.iter().filter(|sample| at(Some(time), sample));
        there.next().filter(|_| there.next().is_none())
    };
    match (of(start), of(end)) {
        (Some(from), Some(to))
            if differ(stated.from, &from.figure) && differ(stated.to, &to.figure) =>
        {
            Outcome::Refutes(vec![from.record, to.record])
        }
        _ => Outcome::Silent,
    }
}
