//! Claims that something happened at an instant: "at 12:51:24", "on 26 November", "since 30 July".
//!
//! What happened has to be found among the dated lines and records by its names and words; then its instant has
//! to be the claimed one.

use std::ops::Range;

use gsar_core::text::tokens::words;

use crate::claim::lengths::lengths;
use crate::claim::reading::Role;
use crate::evidence::chronicle::{Chronicle, Event};
use crate::evidence::moments::{DAY, Day, MINUTE, Moment, SECOND, day_at, moments};
use crate::matching::asked::{Asked, Pick, asked, is_plain};
use crate::matching::episodes::{Ages, find_bounds};
use crate::matching::places::{Places, fields_of};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::event_words::is_left_out;
use crate::vocabulary::lexicon::Sense;
use crate::vocabulary::phases::Phase;

/// Decides a claim that something happened at an instant.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let text = reading.text;
    let is_plain =
        is_plain(reading) && reading.quotations.is_empty() && !reading.has_alternatives();
    let times = times(text);
    let [time] = times.as_slice() else { return None };
    if !is_plain || !lengths(text).is_empty() {
        return None;
    }
    let joint = words(text.get(..time.span.start)?).last();
    let says = |table: &[&str]| {
        joint.as_ref().is_some_and(|word| table.iter().any(|entry| word.is(entry)))
    };
    let is_origin = says(&["from"])
        && words(text.get(..time.span.start)?).collect::<Vec<_>>().iter().rev().nth(1).is_some_and(
            |word| ["is", "are", "was", "were", "dates", "date"].iter().any(|verb| word.is(verb)),
        );
    if !is_origin
        && says(&[
            "after", "before", "by", "until", "till", "from", "between", "through", "to", "and",
        ])
    {
        return None;
    }
    let is_rough = says(&["around", "about", "approximately", "roughly", "circa"]);
    let mut thing = asked(case, 0..text.len(), std::slice::from_ref(&time.span));
    if says(&["since"]) && thing.phase.is_none() {
        thing.phase = Some(Phase::Start);
    }
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let found = find_bounds(case, chronicle, &thing, Ages::Without)?;
    let answers: Vec<Option<bool>> =
        found.events.iter().map(|event| is_near(time, event, is_rough)).collect();
    let any = answers.contains(&Some(true));
    let hit = answers.iter().position(|answer| *answer == Some(true));
    let settled = thing.pick == Pick::All || found.events.len() == 1;
    if any && settled {
        let event = found.events.get(hit?)?;
        let enough = found.is_full && is_told(case, &thing, time);
        return enough.then(|| {
            Ruling::grounded(Basis::Stated, vec![Cite::Field(event.field)], note::at(case, event))
        });
    }
    let all_differ = !answers.is_empty() && answers.iter().all(|answer| *answer == Some(false));
    let is_one = thing.words != 0 && found.events.iter().all(|event| event.at == found.earliest());
    let is_firm = is_one
        || thing.of_alert && thing.phase.is_some()
        || thing.strict != 0
        || (thing.words.count_ones() + u32::from(thing.phase.is_some())) >= 2;
    // A time of day is that of the day of the incident, and of no other.
    let day = chronicle.usual_day(case.day);
    let is_that_day = time.day.is_some()
        || day.is_some_and(|day| found.events.iter().all(|event| event.at.div_euclid(DAY) == day));
    if !is_that_day {
        return None;
    }
    let is_close = found.is_close && thing.words.count_ones() >= 4;
    if !(all_differ && (found.is_full || is_close) && is_firm && found.is_firm)
        || found.is_vague && thing.pick != Pick::All
        || has_rival(case, chronicle, &thing, time)
    {
        return None;
    }
    if states_a_level(text) {
        return None;
    }
    // "Since a campaign began on 5 October" dates another thing than the claim is about.
    const JOINING: [&str; 8] =
        ["since", "when", "while", "after", "before", "until", "because", "once"];
    let before: Vec<_> = words(text.get(..time.span.start)?).collect();
    let joins = before.iter().rev().skip(1).any(|word| JOINING.iter().any(|joint| word.is(joint)));
    let is_mentioned = found.events.iter().any(|event| mentions(case, event, time));
    if joins || is_mentioned {
        return None;
    }
    let event = found.events.first()?;
    Some(Ruling::contradicted(Basis::Stated, vec![Cite::Field(event.field)], note::at(case, event)))
}

/// Whether the text of a line or record has the claimed instant too.
fn mentions(case: &Case<'_, '_, '_>, event: &Event, time: &Moment) -> bool {
    fields_of(case, event.place).into_iter().any(|field| {
        times(case.corpus.value(field)).iter().any(|other| {
            other.grain == time.grain
                && (time.day.is_none()
                    || other.day.is_some_and(|day| {
                        time.day.is_some_and(|own| (own.month, own.day) == (day.month, day.day))
                    }))
                && (time.grain == DAY || other.of_day == time.of_day)
        })
    })
}

/// Whether something with the names and half of the words of the claim happened at its instant after all.
fn has_rival(case: &Case<'_, '_, '_>, chronicle: &Chronicle, thing: &Asked, time: &Moment) -> bool {
    let all = (thing.words).count_ones();
    Places::of(case, chronicle, thing).each().any(|(place, mask)| {
        let half = (mask & thing.words).count_ones() * 2 >= all.max(1);
        thing.strict & !mask == 0
            && half
            && chronicle.at(place).into_iter().any(|event| {
                let is_other = thing.phase.is_some()
                    && event.phase != Phase::Stamp
                    && thing.phase != Some(event.phase);
                !is_other && is_at(time, event) != Some(false)
            })
    })
}

/// Whether the thing and its instant are all that the claim says.
fn is_told(case: &Case<'_, '_, '_>, thing: &Asked, time: &Moment) -> bool {
    let reading = case.reading;
    let told = |sense: Sense| matches!(sense, Sense::Extreme);
    reading.terms.iter().enumerate().all(|(place, term)| {
        let inside = time.span.start <= term.span.start && term.span.end <= time.span.end;
        inside
            || thing.has(place)
            || is_left_out(term.text)
            || term.role == Role::Kind
            || matches!(term.role, Role::Demand(sense) if told(sense))
            || term.text.eq_ignore_ascii_case("since")
    }) && reading.figures.times.iter().all(|other| overlaps(&other.span, &time.span))
}

/// Whether an event happened at an instant, or near it where that is only roughly stated.
fn is_near(time: &Moment, event: &Event, is_rough: bool) -> Option<bool> {
    let exact = is_at(time, event);
    if !is_rough || exact == Some(true) || time.grain >= DAY {
        return exact;
    }
    let width = if time.grain >= 60 * MINUTE { 30 * MINUTE } else { 5 * MINUTE };
    let shifted = |by: i64| {
        let moved = Moment {
            of_day: (time.of_day + by).rem_euclid(DAY),
            grain: MINUTE.max(time.grain.min(MINUTE)),
            ..time.clone()
        };
        is_at(&moved, event) == Some(true)
    };
    let steps = width / MINUTE;
    if (-steps..=steps).any(|step| shifted(step * MINUTE)) { Some(true) } else { exact }
}

/// A time that a claim states.
pub(crate) fn times(text: &str) -> Vec<Moment> {
    let mut found = moments(text, 8);
    for word in words(text) {
        let inside = |moment: &Moment| {
            moment.span.start <= word.span.start && word.span.end <= moment.span.end
        };
        if found.iter().any(inside) {
            continue;
        }
        let starts = word.text.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
        if starts && let Some((day, length)) = text.get(word.span.start..).and_then(day_at) {
            let span = word.span.start..word.span.start + length;
            if found.iter().any(|other| overlaps(&other.span, &span)) {
                continue;
            }
            found.push(whole_day(day, span));
        }
    }
    found.sort_by_key(|moment| moment.span.start);
    // "on 25 August at 05:50": one instant in two pieces.
    if let [a, b] = found.as_slice()
        && (a.day.is_some() && a.grain == DAY && b.day.is_none()
            || b.day.is_some() && b.grain == DAY && a.day.is_none())
    {
        let (day, clock) = if a.grain == DAY { (a, b) } else { (b, a) };
        let joined = Moment {
            span: day.span.start.min(clock.span.start)..day.span.end.max(clock.span.end),
            day: day.day,
            ..clock.clone()
        };
        return vec![joined];
    }
    found
}

fn whole_day(day: Day, span: Range<usize>) -> Moment {
    Moment { span, of_day: 0, grain: DAY, day: Some(day), offset: None }
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether an event happened at an instant; `None` where that cannot be told.
pub(crate) fn is_at(time: &Moment, event: &Event) -> Option<bool> {
    if matches!(event.clock, crate::evidence::chronicle::Clock::Ago(_)) {
        return None;
    }
    let written = event.at + i64::from(event.offset) * MINUTE;
    let readings: &[i64] = match time.offset {
        Some(_) => &[event.at],
        None => &[event.at, written],
    };
    let mut answers = readings.iter().map(|at| is_at_clock(time, *at, event));
    let first = answers.next()?;
    answers.fold(first, |all, one| match (all, one) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    })
}

fn is_at_clock(time: &Moment, at: i64, event: &Event) -> Option<bool> {
    let claimed = time.of_day - i64::from(time.offset.unwrap_or(0)) * MINUTE;
    let day_of_event = at.div_euclid(DAY);
    let gap = match time.day {
        Some(day) => {
            if !event.is_dated {
                return None;
            }
            let year = crate::evidence::values::clock(at).date?.year;
            let claimed_day = day.date(year).days();
            if time.grain == DAY {
                return Some(claimed_day == day_of_event);
            }
            at - (claimed_day * DAY + claimed)
        }
        None => {
            let within = (at.rem_euclid(DAY) - claimed).rem_euclid(DAY);
            if within > DAY / 2 { within - DAY } else { within }
        }
    };
    let grain = time.grain.max(1);
    let early = if grain >= MINUTE { grain / 2 } else { grain };
    if event.grain > grain && gap <= 0 && -gap < event.grain && gap != 0 {
        return None;
    }
    if (-early..grain.max(2)).contains(&gap) {
        return Some(gap > -early || grain < SECOND);
    }
    (gap.abs() > grain).then_some(false)
}

/// Whether a claim tells how something stood at its time, which a record of another time does not deny: "was up at 03:58".
fn states_a_level(text: &str) -> bool {
    const STANDING: [&str; 8] =
        ["are", "is", "remained", "stayed", "still", "stood", "was", "were"];
    let stands = words(text).any(|word| STANDING.iter().any(|standing| word.is(standing)));
    let happens = words(text).any(|word| {
        let text = word.text;
        text.len() > 4 && text.ends_with("ed") && !word.is("remained") && !word.is("stayed")
    });
    stands && !happens
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, json, text};

    const EVENTS: &str = r#"{"events":[
        {"date":"2026-03-27T08:04:18Z","message":"Multi-AZ failover of ledger-db initiated.","source":"ledger-db"},
        {"date":"2026-03-27T08:04:21Z","message":"Instance restarting.","source":"ledger-db"},
        {"date":"2026-03-27T08:04:58Z","message":"Multi-AZ failover of ledger-db completed.","source":"ledger-db"},
        {"date":"2026-03-27T08:05:04Z","message":"Instance is available and accepting connections.","source":"ledger-db"},
        {"date":"2026-03-28T11:00:00Z","message":"Backup of ledger-db completed.","source":"ledger-db"}]}"#;

    #[test]
    fn an_event_is_dated_by_its_record() {
        expect(
            &[json("events", "rds_events", EVENTS)],
            &[
                ("The failover of ledger-db completed at 08:04:58 UTC.", Grounded),
                ("The failover of ledger-db completed at 08:05 UTC on 27 March 2026.", Grounded),
                ("The failover of ledger-db completed at 09:04:58 CET.", Grounded),
                ("The failover of ledger-db completed at 08:14:58 UTC on 27 March.", Contradicted),
                ("The failover of orders-db completed at 08:04:58 UTC.", Ungrounded),
                ("On 28 March the backup of ledger-db completed.", Grounded),
                ("The backup of ledger-db completed on 29 March 2026.", Contradicted),
                ("The failover of ledger-db may have completed on 29 March 2026.", Ungrounded),
            ],
        );
    }

    #[test]
    fn h22_what_is_to_expire_is_not_dated_by_the_line_that_says_so() {
        let log = "\
2026-03-12 10:15:28,398 INFO validating certificate of ledger
2026-03-12 10:15:28,411 WARNING certificate of ledger expired on 2026-03-03 17:00:08
2026-03-12 10:15:29,000 INFO retrying
2026-03-12 10:15:30,000 INFO retrying
";
        expect(
            &[text("log", "kubectl logs ledger-0", log)],
            &[
                ("The certificate of ledger expired on 3 March 2026.", Grounded),
                ("The certificate of ledger expired on 5 March 2026.", Contradicted),
                ("The certificate of ledger was validated at 10:15:28.", Grounded),
                ("The certificate of ledger was validated at 10:25:28.", Contradicted),
            ],
        );
    }
}
