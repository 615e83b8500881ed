//! A quantity that each member of a list states under one key: memory of pods, restarts, load of users.
//!
//! The key is the one that has the claim's words for it; where several keys do, the members state nothing. A line
//! without keys states its one measured figure, when the request or the line has the words.

use std::cmp::Ordering;

use gsar_core::text::figures::{Decimal, Dimension, Figure};
use gsar_core::text::tokens::words;

use crate::evidence::values::Value;
use crate::matching::candidates::Target;
use crate::matching::magnitudes::bits_in;
use crate::matching::members::Member;
use crate::verdict::ruling::Case;
use crate::vocabulary::words::{exact, key};

/// A figure with the field that states it.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) field: u32,
    pub(crate) figure: Figure,
    /// The claim's terms that its key has.
    pub(crate) key: u64,
}

/// What a claim asks of each member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute {
    /// What the terms name.
    Named(u64),
    /// How long something took.
    Duration,
    /// The only quantity of that sort.
    Unit(Dimension),
}

/// The quantity that a member states.
pub(crate) fn measure(
    case: &Case<'_, '_, '_>,
    member: &Member,
    wanted: Attribute,
) -> Option<Measured> {
    match member.target {
        Target::Object(_) => {
            of_record(case, member, wanted).or_else(|| in_prose(case, member, wanted))
        }
        Target::Line(field) => of_line(case, field, wanted),
    }
}

fn of_record(case: &Case<'_, '_, '_>, member: &Member, wanted: Attribute) -> Option<Measured> {
    let mut best: Option<(u32, Measured)> = None;
    let mut is_unclear = false;
    for field in member.fields(case.corpus) {
        let [value, ..] = case.cache.values(case.corpus, field) else { continue };
        if value.figure.span.start > 0 {
            continue;
        }
        let found = case.corpus.field(field)?;
        let (rank, key) = match wanted {
            Attribute::Named(terms) => {
                let mut bits = bits_in(case.reading, case.corpus.key_words(found), terms);
                if let Some(object) =
                    case.corpus.object(found.object).filter(|object| !object.is_record)
                {
                    bits |= bits_in(case.reading, case.corpus.heading_words(object), terms);
                }
                let is_bare = bits == 0 && is_bare_number(case.corpus.name(field));
                (bits.count_ones() * 8 + u32::from(is_bare), bits)
            }
            Attribute::Duration => {
                (u32::from(value.figure.unit.dimension == Dimension::Duration), 0)
            }
            Attribute::Unit(wanted) => (u32::from(value.figure.unit.dimension == wanted), 0),
        };
        if rank == 0 || is_age(case.corpus.name(field)) && !matches!(wanted, Attribute::Named(_)) {
            continue;
        }
        // `restarts` is the number of restarts, `restarts_limit` is not: the shorter key names it better.
        let rank = rank + u32::from(case.corpus.key_words(found).len() <= 2);
        let measured = Measured { field, figure: value.figure.clone(), key };
        match &best {
            Some((other, _)) if *other > rank => {}
            Some((other, before)) if *other == rank => {
                is_unclear |= before.figure.value != measured.figure.value;
            }
            _ => {
                best = Some((rank, measured));
                is_unclear = false;
            }
        }
    }
    best.filter(|_| !is_unclear).map(|(_, measured)| measured)
}

/// The quantity in the one text of a record that has such: an event's message.
fn in_prose(case: &Case<'_, '_, '_>, member: &Member, wanted: Attribute) -> Option<Measured> {
    if matches!(wanted, Attribute::Named(_)) {
        return None;
    }
    let mut found = member.fields(case.corpus).filter_map(|field| of_line(case, field, wanted));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Whether a key leaves what it counts to the headings around it.
fn is_bare_number(name: &str) -> bool {
    ["count", "total", "value", "number", "amount"]
        .iter()
        .any(|bare| name.eq_ignore_ascii_case(bare))
}

fn is_age(name: &str) -> bool {
    ["age", "uptime", "last seen", "since"].iter().any(|age| name.eq_ignore_ascii_case(age))
}

/// The figure of a text that the claim's words stand beside, where it has several of one sort.
fn beside<'v>(case: &Case<'_, '_, '_>, field: u32, values: &[&'v Value<'_>]) -> Option<&'v Figure> {
    let text = case.corpus.value(field);
    let mut found = values.iter().filter(|value| {
        let span = &value.figure.span;
        let after = words(text.get(span.end..).unwrap_or("")).next();
        let before = words(text.get(..span.start).unwrap_or("")).last();
        after
            .into_iter()
            .chain(before)
            .any(|word| bits_in(case.reading, &[exact(word.text), key(word.text)], u64::MAX) != 0)
    });
    let first = found.next()?;
    found.next().is_none().then_some(&first.figure)
}

fn of_line(case: &Case<'_, '_, '_>, field: u32, wanted: Attribute) -> Option<Measured> {
    let values = case.cache.values(case.corpus, field);
    let fits = |figure: &Figure| match wanted {
        Attribute::Named(_) => figure.unit.dimension != Dimension::Count,
        Attribute::Duration => figure.unit.dimension == Dimension::Duration,
        Attribute::Unit(wanted) => figure.unit.dimension == wanted,
    };
    let measured: Vec<&Value<'_>> = values.iter().filter(|value| fits(&value.figure)).collect();
    let figure = match measured.as_slice() {
        [value] => &value.figure,
        several => beside(case, field, several)?,
    };
    let key = match wanted {
        Attribute::Named(terms) => case.marks.field(field) & terms,
        Attribute::Duration | Attribute::Unit(_) => 0,
    };
    Some(Measured { field, figure: figure.clone(), key })
}

/// The size of a figure in its dimension's base unit, over a common power of ten.
fn scaled(figure: &Figure, places: u32) -> Option<i128> {
    let shift = 10_i128.checked_pow(places.checked_sub(figure.value.places)?)?;
    figure.value.mantissa.checked_mul(shift)?.checked_mul(i128::from(figure.unit.factor))
}

/// How two figures of one dimension compare; `None` for different dimensions.
pub(crate) fn order(a: &Figure, b: &Figure) -> Option<Ordering> {
    if a.unit.dimension != b.unit.dimension {
        return None;
    }
    let places = a.value.places.max(b.value.places);
    Some(scaled(a, places)?.cmp(&scaled(b, places)?))
}

/// The sum of figures of one dimension, in the unit of the first.
pub(crate) fn sum(figures: &[Figure]) -> Option<Figure> {
    let first = figures.first()?;
    let places = figures.iter().map(|figure| figure.value.places).max()?;
    let mut total = 0_i128;
    for figure in figures {
        if figure.unit.dimension != first.unit.dimension {
            return None;
        }
        total = total.checked_add(scaled(figure, places)?)?;
    }
    let factor = i128::from(first.unit.factor);
    // Kept to a thousandth of the unit, so that a sum over several units is no coarser than its parts.
    let value = if total % factor == 0 {
        Decimal { mantissa: total / factor, places }
    } else {
        Decimal { mantissa: total.checked_mul(1_000)? / factor, places: places.checked_add(3)? }
    };
    Some(Figure { value, approximate: false, comparator: None, ..first.clone() })
}

/// How many times as large one figure is as another, to three places.
pub(crate) fn ratio(a: &Figure, b: &Figure) -> Option<Decimal> {
    if a.unit.dimension != b.unit.dimension {
        return None;
    }
    let places = a.value.places.max(b.value.places);
    let (a, b) = (scaled(a, places)?, scaled(b, places)?);
    if b <= 0 || a < 0 {
        return None;
    }
    Some(Decimal { mantissa: a.checked_mul(1_000)?.checked_add(b / 2)? / b, places: 3 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gsar_core::text::figures::figures;

    fn figure(text: &str) -> Figure {
        figures(text).figures.remove(0)
    }

    #[test]
    fn figures_are_put_in_order_and_added() {
        assert_eq!(order(&figure("1Gi"), &figure("900Mi")), Some(Ordering::Greater));
        assert_eq!(order(&figure("1.5 s"), &figure("1500 ms")), Some(Ordering::Equal));
        assert_eq!(order(&figure("1.5 s"), &figure("15 %")), None);
        let total = sum(&[figure("315Mi"), figure("353Mi"), figure("365Mi")]).unwrap();
        assert_eq!((total.value.mantissa, total.value.places), (1033, 0));
        assert_eq!(sum(&[figure("3 s"), figure("4Mi")]), None);
        assert_eq!(ratio(&figure("300Mi"), &figure("100Mi")).unwrap().mantissa, 3_000);
        assert_eq!(ratio(&figure("2Gi"), &figure("512Mi")).unwrap().mantissa, 4_000);
        assert_eq!(ratio(&figure("2Gi"), &figure("0 Mi")), None);
    }
}
