//! This module gathers the samples of a series from the records that a claim may be about. It decides nothing.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::fit::{Fit, Found};
use super::index::CellView;
use super::{Index, names_subject};
use crate::claim::TypedClaim;
use crate::facts::{GroupId, RecordId};
use crate::text::figures::{ClockTime, Decimal, Figure, Unit};

/// The value of one attribute in one record.
pub(super) struct Sample {
    pub(super) record: RecordId,
    pub(super) at: Option<ClockTime>,
    pub(super) figure: Figure,
}

/// The series that have all terms of a claim but those that a rule takes account of, each in the order in which its
/// samples stand.
pub(super) fn series(
    claim: &TypedClaim<'_>,
    fits: &[Fit<'_, '_>],
    index: &Index<'_>,
    is_taken: impl Fn(usize) -> bool,
) -> Vec<Vec<Sample>> {
    let mut series: BTreeMap<(GroupId, Vec<Cow<'_, str>>), Vec<Sample>> = BTreeMap::new();
    for fit in fits {
        if fit.left_over().any(|term| !is_taken(term)) || !names_subject(claim, fit) {
            continue;
        }
        let Some(group) = index.facts().record(fit.record).map(|record| record.group) else {
            continue;
        };
        let Some(cell) = attribute(fit) else { continue };
        let Some(figure) = cell.figures.first().cloned() else { continue };
        let at = index.facts().time_of(fit.record).cloned();
        let sample = Sample { record: fit.record, at, figure };
        series.entry((group, cell.cell.attribute.clone())).or_default().push(sample);
    }
    series.into_values().collect()
}

/// The one value of a record whose attribute the claim names; without such, its only figure.
fn attribute<'r, 'f, 'a>(fit: &'r Fit<'f, 'a>) -> Option<&'r CellView<'f, 'a>> {
    let is_own_value =
        |cell: &&CellView<'f, 'a>| cell.depth == 0 && cell.is_value() && cell.figures.len() == 1;
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

/// How long it is from one time to another; negative where the second is earlier. Without both dates they are taken to
/// be less than half a day apart.
pub(super) fn gap(start: &ClockTime, end: &ClockTime) -> Option<Figure> {
    const DAY: i64 = 86_400;
    let seconds = match (start.seconds(), end.seconds()) {
        (Some(start), Some(end)) => end - start,
        _ => {
            let within = i64::from(end.seconds_of_day) - i64::from(start.seconds_of_day);
            let within = within.rem_euclid(DAY);
            if within > DAY / 2 { within - DAY } else { within }
        }
    };
    let value = Decimal { mantissa: i128::from(seconds), places: 0 };
    let unit = Unit::named("s")?;
    Some(Figure { span: 0..0, value, unit, approximate: false, comparator: None })
}
