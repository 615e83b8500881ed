//! Claims about how often something happens, from a number of events and the time they took.
//!
//! The evidence states both in one place: `(x256 over 58m)` beside an event, or the columns `RESTARTS` and `AGE` of a
//! row. The claim says a number per unit of time, or the time from one to the next.

use std::cmp::Ordering;
use std::sync::LazyLock;

use gsar_core::Class;
use gsar_core::text::figures::{Agreement, Decimal, Dimension, Figure, Unit, agree, figures};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::claim::phrases::tells_only;
use crate::claim::reading::{Reading, Role};
use crate::matching::measures::order;
use crate::matching::members::{Member, members};
use crate::rules::counts::as_figure;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::wordlists::WordList;

/// How often the claim says that something happens.
#[derive(Clone, Debug)]
struct Claimed {
    /// So many, or from so many to so many.
    times: (Figure, Option<Figure>),
    /// In such a time, in nanoseconds.
    period: i128,
    /// Whether the period is what is stated: "every five minutes".
    is_interval: Option<Figure>,
}

/// Words that only say that something happens, or how often.
static HAPPENING: LazyLock<WordList> = LazyLock::new(|| {
    WordList::of(
        "about almost average come comes day days each event events every frequency happen \
         happened happens hour hours minute minutes nearly occur occurred occurring occurs once \
         pace per rate roughly second seconds some times twice week",
    )
});

/// Decides a claim about a rate.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    if reading.has(MarkerKind::Negation) || reading.is_causal() || !reading.figures.times.is_empty()
    {
        return None;
    }
    let claimed = read(reading)?;
    let wanted = reading.bits(|term| match term.role {
        Role::Entity | Role::Name | Role::Code(_) => true,
        Role::Word => !tells_only(term.text) && !HAPPENING.has(term.text),
        Role::Kind | Role::Common | Role::Demand(_) => false,
    });
    if wanted == 0 {
        return None;
    }
    let lists = case.cache.lists(case.corpus);
    let mut rulings: Vec<(u32, Ruling)> = Vec::new();
    for (number, found) in members(case, lists)? {
        let Some(list) = lists.list(number) else { continue };
        let around = case.marks.around(case.corpus, list.parent) | case.marks.tool(list.item);
        for member in &found {
            let has = member.shown | member.named & mishaps(reading) | around;
            if member.shown & wanted == 0 || wanted & !has != 0 {
                continue;
            }
            if let Some(event) = event(case, member, reading)
                && let Some(holds) = compare(&claimed, &event)
            {
                let cites = event.fields.iter().map(|field| Cite::Field(*field)).collect();
                let says =
                    event.fields.first().map_or_else(String::new, |field| note::says(case, *field));
                rulings.push((
                    list.item,
                    if holds {
                        Ruling::grounded(Basis::Derived, cites, says)
                    } else {
                        Ruling::contradicted(Basis::Derived, cites, says)
                    },
                ));
            }
        }
    }
    rulings.sort_by_key(|(item, ruling)| {
        (ruling.class != Class::Grounded, case.corpus.item(*item).map(|item| &item.id))
    });
    let several = rulings.len() > 1;
    let (_, first) = rulings.into_iter().next()?;
    (first.class == Class::Grounded || !several).then_some(first)
}

fn mishaps(reading: &Reading<'_>) -> u64 {
    reading.bits(|term| term.is_mishap)
}

/// A second, minute, hour, day or week, in nanoseconds.
fn unit_of_time(word: &str) -> Option<i128> {
    const SECOND: i128 = 1_000_000_000;
    let units =
        [("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800)];
    let singular = word.strip_suffix('s').unwrap_or(word);
    units
        .iter()
        .find(|(name, _)| singular.eq_ignore_ascii_case(name))
        .map(|(_, seconds)| seconds * SECOND)
}

fn read(reading: &Reading<'_>) -> Option<Claimed> {
    let text = reading.text;
    let all = reading.figures.figures.as_slice();
    let is_count =
        |figure: &Figure| figure.unit.dimension == Dimension::Count && figure.value.places == 0;
    if let [figure] = all
        && figure.unit.dimension == Dimension::Rate
    {
        // Rates count by the day.
        let factor = i128::from(figure.unit.factor).max(1);
        let times = Figure { unit: Unit::COUNT, ..figure.clone() };
        return Some(Claimed {
            times: (times, None),
            period: 86_400_000_000_000 / factor,
            is_interval: None,
        });
    }
    let last = all.last()?;
    if last.unit.dimension == Dimension::Duration && last.value.places == 0 {
        let before = words(text.get(..last.span.start)?).last()?;
        let often = before.is("every") || before.is("in") || before.is("each") || before.is("per");
        let times = match all {
            [_] if before.is("every") => as_figure(1),
            [times, _] if is_count(times) => times.clone(),
            _ => return None,
        };
        let period = last.value.mantissa.checked_mul(i128::from(last.unit.factor))?;
        let interval = (times.value.mantissa == 1).then(|| Figure {
            approximate: last.approximate || times.approximate,
            comparator: None,
            ..last.clone()
        });
        let once = text.get(times.span.clone()).is_some_and(|written| {
            written.is_empty() || written.eq_ignore_ascii_case("once") || !before.is("in")
        });
        return (often && once).then_some(Claimed {
            times: (times, None),
            period,
            is_interval: interval,
        });
    }
    // "four to five per minute", "forty times a day".
    let mut after = words(text.get(last.span.end..)?).peekable();
    after.next_if(|word| word.is("times"));
    let joins = after
        .next()
        .is_some_and(|word| ["per", "a", "an", "each", "every"].iter().any(|per| word.is(per)));
    let period = after.next().and_then(|word| unit_of_time(word.text))?;
    let times = match all {
        [one] if is_count(one) => (one.clone(), None),
        [low, high] if is_count(low) && is_count(high) => {
            let gap = text.get(low.span.end..high.span.start)?;
            let ranges = words(gap).all(|word| word.is("to") || word.is("and") || word.is("or"));
            ranges.then(|| (low.clone(), Some(high.clone())))?
        }
        _ => return None,
    };
    joins.then_some(Claimed { times, period, is_interval: None })
}

/// A number of events and the time that they took, in nanoseconds, with the fields that say so.
struct Event {
    number: i128,
    duration: Span,
    fields: Vec<u32>,
}

/// A time as a tool states it, in whole units: `6d` is anything from six days to seven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    least: i128,
    most: i128,
}

fn event(case: &Case<'_, '_, '_>, member: &Member, reading: &Reading<'_>) -> Option<Event> {
    let corpus = case.corpus;
    let repeated = member.fields(corpus).find_map(|field| {
        let (number, duration) = repeated(corpus.value(field))?;
        Some(Event { number, duration, fields: vec![field] })
    });
    repeated.or_else(|| {
        let is_mishap = member.named & mishaps(reading) != 0;
        let number = member
            .fields(corpus)
            .find(|field| corpus.name(*field).eq_ignore_ascii_case("restarts"));
        let age =
            member.fields(corpus).find(|field| corpus.name(*field).eq_ignore_ascii_case("age"));
        let (number, age) = number.zip(age).filter(|_| is_mishap)?;
        let times = corpus.value(number).split(' ').next()?.parse().ok()?;
        let duration = nanoseconds(corpus.value(age))?;
        Some(Event { number: times, duration, fields: vec![number, age] })
    })
}

/// `3m30s (x256 over 58m)`: 256 in 58 minutes.
fn repeated(value: &str) -> Option<(i128, Span)> {
    let (_, rest) = value.split_once("(x")?;
    let (number, rest) = rest.split_once(" over ")?;
    let (duration, _) = rest.split_once(')')?;
    Some((number.parse().ok()?, nanoseconds(duration)?))
}

fn nanoseconds(written: &str) -> Option<Span> {
    let found = figures(written).figures;
    let [figure] = found.as_slice() else { return None };
    let is_time = figure.unit.dimension == Dimension::Duration && figure.value.places == 0;
    let unit = i128::from(figure.unit.factor);
    let least = figure.value.mantissa.checked_mul(unit).filter(|least| is_time && *least > 0)?;
    Some(Span { least, most: least.checked_add(unit)? })
}

/// Whether the events came as often as claimed.
fn compare(claimed: &Claimed, event: &Event) -> Option<bool> {
    const FEWEST: i128 = 5;
    if event.number < FEWEST {
        return None;
    }
    let plain = |mantissa: i128, unit: Unit| Figure {
        span: 0..0,
        value: Decimal { mantissa, places: 3 },
        unit,
        approximate: false,
        comparator: None,
    };
    let Span { least, most } = event.duration;
    let ends = if let Some(interval) = &claimed.is_interval {
        let factor = i128::from(interval.unit.factor);
        let each = |time: i128| {
            Some(plain(time.checked_mul(1_000)? / event.number / factor, interval.unit))
        };
        (each(least)?, each(most)?)
    } else {
        let events = event.number.checked_mul(claimed.period)?.checked_mul(1_000)?;
        (plain(events / most, Unit::COUNT), plain(events / least, Unit::COUNT))
    };
    let stated = claimed.is_interval.as_ref().unwrap_or(&claimed.times.0);
    match &claimed.times.1 {
        None => {
            let agreements = (agree(stated, &ends.0), agree(stated, &ends.1));
            let sides = (order(&ends.0, stated)?, order(&ends.1, stated)?);
            match agreements {
                (Agreement::Same, _) | (_, Agreement::Same) => Some(true),
                // The stated value lies between what the units leave open.
                (Agreement::Different, Agreement::Different) => Some(sides.0 != sides.1),
                _ => None,
            }
        }
        Some(high) => {
            let within = order(&ends.1, stated)? != Ordering::Less
                && order(&ends.0, high)? != Ordering::Greater;
            Some(within)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_events_state_number_and_time() {
        const MINUTE: i128 = 60_000_000_000;
        let minutes = |least| Span { least: least * MINUTE, most: (least + 1) * MINUTE };
        assert_eq!(repeated("3m30s (x256 over 58m)"), Some((256, minutes(58))));
        assert_eq!(repeated("16m (x70 over 5h43m)"), Some((70, minutes(343))));
        assert_eq!(repeated("16m"), None);
        assert_eq!(repeated("(x over 3m)"), None);
    }
}
