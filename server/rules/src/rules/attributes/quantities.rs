//! Quantities: a number with its unit, of one attribute of one thing.

use gsar_core::text::figures::{Agreement, Dimension, Unit};

use gsar_core::text::tokens::words;

use super::Found;
use super::concepts::spoken;
use super::hold::{Hold, hold};
use super::mixups::is_other_unit;
use super::reach::{fields, is_resource_kind, keys_of, tie};
use super::slots::Slot;
use crate::claim::reading::Role;
use crate::evidence::values::{Value, compare};
use crate::rules::counts::is_universal;
use crate::verdict::note;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::Key;

/// How the evidence's figure relates to the claim's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Same,
    Different,
    /// The same number in another unit.
    OtherUnit,
}

/// The words inside a rate: "847 calls per second".
fn said_of_rate(case: &Case<'_, '_, '_>, slot: &Slot) -> Vec<Key> {
    let written = case.reading.text.get(slot.figure.span.clone()).unwrap_or("");
    if slot.figure.unit.dimension == Dimension::Rate { keys_of(written) } else { Vec::new() }
}

/// What the evidence says to a quantity.
pub(crate) fn weigh(case: &Case<'_, '_, '_>, slot: &Slot) -> Found {
    let spoken = spoken(case.reading, slot.figure.unit.dimension);
    let mut agreeing: Option<u32> = None;
    let mut differing: Option<(u32, String)> = None;
    let mut is_disputed = false;
    let mut records: Vec<u32> = Vec::new();
    // The items that have the claimed value, and those that have another.
    let mut items: (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    let named = case.reading.bits(|term| match term.role {
        Role::Entity => true,
        Role::Name => !is_resource_kind(term.text),
        _ => false,
    }) & !slot.bits;
    for field in fields(case, &spoken, &said_of_rate(case, slot)) {
        if tie(case, field).is_none_or(|tie| named & !tie.all != 0) {
            continue;
        }
        let values = case.cache.values(case.corpus, field);
        for value in values.iter().filter(|value| !value.is_statistic) {
            let Some(hold) = hold(case, slot, &spoken, field, value) else { continue };
            let Some(relation) = relation(slot, value, &hold) else { continue };
            match relation {
                Relation::Same => {
                    agreeing.get_or_insert(field);
                    items.0.push(case.corpus.item_of(field));
                    let record = case.corpus.field(field).map_or(0, |found| found.object);
                    if !records.contains(&record) {
                        records.push(record);
                    }
                }
                Relation::Different if hold.is_keyed && hold.is_close => {
                    is_disputed = true;
                    items.1.push(case.corpus.item_of(field));
                    differing.get_or_insert_with(|| {
                        (field, note::other_figure(case, &slot.figure, field, value))
                    });
                }
                Relation::Different => is_disputed |= hold.is_alone && is_universal(case.reading),
                Relation::OtherUnit => {
                    differing.get_or_insert_with(|| {
                        (field, note::other_figure(case, &slot.figure, field, value))
                    });
                }
            }
        }
    }
    // Where another item says otherwise of the same, the evidence disagrees with itself.
    let is_named = case.reading.bits(|term| term.role == Role::Entity) != 0
        && items.1.iter().all(|item| items.0.contains(item));
    // One that agrees is not every one.
    if is_universal(case.reading)
        && records.len() == 1
        && agreeing.is_some_and(|field| !is_of_workload(case, field))
    {
        return Found::Open;
    }
    match (agreeing, differing) {
        (Some(field), _) if is_of_any(case) => Found::Agrees(field),
        (Some(field), _) if !is_disputed || is_named && !is_universal(case.reading) => {
            Found::Agrees(field)
        }
        (None, Some((field, says))) if is_only(case, slot) => Found::Differs(field, says),
        _ => Found::Open,
    }
}

/// Whether a field tells of the very workload that the claim names: of what all its pods are made from.
fn is_of_workload(case: &Case<'_, '_, '_>, field: u32) -> bool {
    let corpus = case.corpus;
    let Some(found) = corpus.field(field) else { return false };
    case.reading.terms.iter().filter(|term| term.role == Role::Entity).any(|term| {
        let names = term.keys.first().map(|key| corpus.by_name.of(*key).take(500));
        names.into_iter().flatten().filter_map(|name| corpus.names.get(name as usize)).any(|name| {
            let is_place = ["namespace", "node", "cluster", "host"]
                .iter()
                .any(|place| corpus.name(name.field).eq_ignore_ascii_case(place));
            !is_place && corpus.around(found.object).any(|(number, _)| number == name.object)
        })
    })
}

/// Whether a claim speaks of any one of several: "one login request took two seconds".
fn is_of_any(case: &Case<'_, '_, '_>) -> bool {
    let first = words(case.reading.text).next();
    first.is_some_and(|word| ["one", "some", "a", "an"].iter().any(|any| word.is(any)))
}

/// Whether the claim has no other quantity of the same dimension: of two, it is open which is which.
fn is_only(case: &Case<'_, '_, '_>, slot: &Slot) -> bool {
    let dimension = slot.figure.unit.dimension;
    let figures = &case.reading.figures.figures;
    figures.iter().filter(|figure| figure.unit.dimension == dimension).count() <= 1
}

fn relation(slot: &Slot, value: &Value<'_>, hold: &Hold) -> Option<Relation> {
    let mut stated = value.figure.clone();
    if let Some(unit) = hold.unit
        && stated.unit == Unit::COUNT
    {
        stated.unit = unit;
    }
    let mut claimed = slot.figure.clone();
    if hold.is_bound {
        claimed.comparator = None;
    }
    match compare(&claimed, &stated) {
        Agreement::Same => Some(Relation::Same),
        Agreement::Different if is_other_unit(&claimed, &stated) => Some(Relation::OtherUnit),
        Agreement::Different => Some(Relation::Different),
        Agreement::Incomparable => None,
    }
}
