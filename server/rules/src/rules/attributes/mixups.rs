//! Units mixed up: the evidence has the claim's very number, in another unit of the same dimension.
//!
//! The number itself tells that the two speak of the same, so that half of the claim's words are enough beside
//! it; but nowhere may a quantity stand that bears the claim out.

use gsar_core::text::figures::{Agreement, Dimension, Figure, System, Unit};

use super::reach::{fields, headings, keys_of, needed, said_in, tie};
use super::spoken;
use crate::claim::reading::Role;
use crate::evidence::values::{Value, compare};
use crate::matching::scope;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// A claim with the number of the evidence and another unit.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let mut refuted = None;
    let is_of_another_time = |field: u32| {
        let (claimed, stated) = (&case.reading.figures.times, case.cache.times(case.corpus, field));
        !claimed.is_empty()
            && !stated.is_empty()
            && !stated.iter().any(|stated| scope::is_meant(case, claimed, stated))
    };
    for figure in &case.reading.figures.figures {
        if !can_be_mixed_up(figure) {
            continue;
        }
        let spoken = spoken(case.reading, figure.unit.dimension);
        for field in fields(case, &spoken, &[]) {
            if is_of_another_time(field) {
                continue;
            }
            for value in case.cache.values(case.corpus, field) {
                match compare(figure, &value.figure) {
                    Agreement::Same => return None,
                    Agreement::Different if refuted.is_none() => {
                        if is_other_unit(figure, &value.figure)
                            && speaks_of_it(case, field, value, &spoken)
                        {
                            refuted = Some((field, note::other_figure(case, figure, field, value)));
                        }
                    }
                    Agreement::Different | Agreement::Incomparable => {}
                }
            }
        }
        if refuted.is_some() {
            break;
        }
    }
    let (field, says) = refuted?;
    Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(field)], says))
}

fn can_be_mixed_up(figure: &Figure) -> bool {
    !matches!(figure.unit.dimension, Dimension::Count | Dimension::Percent | Dimension::Multiple)
        && figure.value.mantissa != 0
}

/// Whether a field has every name and half of the words of the claim, one of them beside the value.
fn speaks_of_it(
    case: &Case<'_, '_, '_>,
    field: u32,
    value: &Value<'_>,
    spoken: &[super::concepts::Spoken],
) -> bool {
    let Some(found) = case.corpus.field(field) else { return false };
    let Some(tie) = tie(case, field) else { return false };
    let mut beside = keys_of(super::hold::window(case.corpus.value(field), &value.figure));
    beside.extend(keys_of(value.key.unwrap_or("")));
    beside.extend_from_slice(case.corpus.key_words(found));
    beside.extend(headings(case.corpus, found));
    let stated = spoken.iter().find(|spoken| spoken.concept.is_stated(&beside, &beside));
    let said = stated.map_or(0, |stated| stated.bits);
    let needed = needed(case, said);
    let strict =
        case.reading.bits(|term| matches!(term.role, Role::Entity | Role::Name | Role::Code(_)));
    let have = (needed & tie.all).count_ones() + u32::from(stated.is_some());
    let lack = (needed & !tie.all).count_ones();
    let words = case.reading.bits(|term| matches!(term.role, Role::Word));
    let is_pair = value.key.is_some() && tie.own & words != 0;
    let is_beside = stated.is_some() || is_pair || said_in(case, &beside) != 0;
    strict & needed & !tie.all == 0 && is_beside && have >= lack && have > 0
}

/// Whether the two would agree in another unit of the claim's dimension.
pub(crate) fn is_other_unit(claimed: &Figure, stated: &Figure) -> bool {
    const SECOND: u64 = 1_000_000_000;
    let factors: &[u64] = match claimed.unit.dimension {
        Dimension::Duration => {
            &[1, 1_000, 1_000_000, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND]
        }
        Dimension::Bytes => {
            &[1, 1_000, 1_000_000, SECOND, 1_000 * SECOND, 1 << 10, 1 << 20, 1 << 30, 1 << 40]
        }
        Dimension::Cores => &[1_000_000, SECOND],
        Dimension::Rate => &[86_400, 1_440, 24, 1],
        Dimension::ByteRate => &[
            3_600,
            3_600_000,
            3_600_000_000,
            3_600 * SECOND,
            3_600 << 10,
            3_600 << 20,
            3_600 << 30,
        ],
        Dimension::Count
        | Dimension::Percent
        | Dimension::Multiple
        | Dimension::Bits
        | Dimension::BitRate => &[],
    };
    let is_exact = claimed.value.is_same_number(stated.value);
    let is_telling = claimed.value.mantissa.unsigned_abs() >= 10;
    (is_exact || is_telling)
        && factors.iter().filter(|factor| **factor != claimed.unit.factor).any(|factor| {
            let unit = Unit { factor: *factor, system: System::Neutral, ..claimed.unit };
            let claimed = Figure { unit, comparator: None, ..claimed.clone() };
            let stated = Figure { comparator: None, ..stated.clone() };
            compare(&claimed, &stated) == Agreement::Same
        })
}
