//! Claims that something lies so far from a stated instant: "two minutes after 01:44:30", "by 14:02, a minute earlier".
//!
//! Only the thing has to be found among the dated lines and records; its instant has to be the stated one and the
//! length between them. That something else happened at the stated instant is another claim.

use gsar_core::text::tokens::words;

use crate::claim::lengths::{Length, lengths};
use crate::claim::relations::{Link, Relation, relations};
use crate::evidence::chronicle::{Clock, Event};
use crate::evidence::moments::{DAY, MINUTE, Moment};
use crate::matching::asked::{asked, is_plain};
use crate::matching::episodes::{Ages, find_bounds};
use crate::matching::places::Places;
use crate::rules::chronology::is_told;
use crate::rules::instants::times;
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};

/// Decides a claim that puts something so far before or after an instant.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let text = reading.text;
    let stated = times(text);
    let [instant] = stated.as_slice() else { return None };
    if instant.grain >= DAY || !is_plain(reading) || reading.has_alternatives() {
        return None;
    }
    let lengths = lengths(text);
    let [length] = lengths.as_slice() else { return None };
    relations(text, &lengths).iter().find_map(|relation| weigh(case, relation, length, instant))
}

fn weigh(
    case: &Case<'_, '_, '_>,
    relation: &Relation,
    length: &Length,
    instant: &Moment,
) -> Option<Ruling> {
    // How much later than the instant the thing is, in lengths.
    let (thing, sign) = if is_only(case, &relation.first, instant) {
        (&relation.second, -1)
    } else if is_only(case, &relation.second, instant) {
        (&relation.first, 1)
    } else {
        return None;
    };
    let later = match relation.link {
        Link::After => sign,
        Link::Before => -sign,
        Link::Together | Link::Apart => return None,
    };
    let apart = [length.span.clone(), instant.span.clone()];
    let thing = asked(case, thing.clone(), &apart);
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let found = find_bounds(case, chronicle, &thing, Ages::Without)?;
    if found.is_vague || !found.is_full {
        return None;
    }
    let mut answers = found.events.iter().map(|event| lies(event, instant, length, later));
    let first = answers.next()??;
    if answers.any(|answer| answer != Some(first)) {
        return None;
    }
    let event = *found.events.first()?;
    let cites = vec![Cite::Field(event.field)];
    if first {
        let anchor = asked(case, instant.span.clone(), &[]);
        return is_told(case, relation, &thing, &anchor)
            .then(|| Ruling::grounded(Basis::Derived, cites, note::at(case, event)));
    }
    let is_firm = found.is_firm && (thing.strict | thing.words).count_ones() >= 2;
    let has_rival = || {
        let all = thing.words.count_ones().max(1);
        Places::of(case, chronicle, &thing).each().any(|(place, mask)| {
            thing.strict & !mask == 0
                && (mask & thing.words).count_ones() * 2 >= all
                && chronicle
                    .at(place)
                    .into_iter()
                    .any(|event| lies(event, instant, length, later) != Some(false))
        })
    };
    (is_firm && !has_rival())
        .then(|| Ruling::contradicted(Basis::Derived, cites, note::at(case, event)))
}

/// Whether a side of the claim is the instant and nothing else.
fn is_only(case: &Case<'_, '_, '_>, side: &std::ops::Range<usize>, instant: &Moment) -> bool {
    let text = case.reading.text;
    let outside = |from: usize, to: usize| {
        words(text.get(from..to).unwrap_or("-"))
            .all(|word| ["at", "utc", "on", "by"].iter().any(|plain| word.is(plain)))
    };
    side.start <= instant.span.start
        && instant.span.end <= side.end
        && outside(side.start, instant.span.start)
        && outside(instant.span.end, side.end)
}

/// Whether an event lies so far from an instant; `None` where that is too close to tell.
fn lies(event: &Event, instant: &Moment, length: &Length, later: i64) -> Option<bool> {
    if matches!(event.clock, Clock::Ago(_)) {
        return None;
    }
    let claimed = instant.of_day - i64::from(instant.offset.unwrap_or(0)) * MINUTE;
    let origin = match instant.day {
        Some(day) if event.is_dated => {
            let year = crate::evidence::values::clock(event.at).date?.year;
            day.date(year).days() * DAY + claimed
        }
        Some(_) => return None,
        None => {
            let within = (event.at.rem_euclid(DAY) - claimed).rem_euclid(DAY);
            event.at - if within > DAY / 2 { within - DAY } else { within }
        }
    };
    let apart = (event.at - origin) * later;
    let grain = instant.grain.max(event.grain).max(1);
    if apart < -grain {
        return Some(false);
    }
    length.is(apart.max(0), grain - 1)
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, text};

    const LOG: &str = "\
2026-05-04 12:30:15,892 INFO main - Started LedgerApplication in 0.658 seconds
2026-05-04 12:51:24,856 ERROR exec-20 - Failed to acquire database connection
2026-05-04 12:53:30,102 INFO exec-21 - Database connection pool recovered
";

    #[test]
    fn what_happened_is_measured_from_an_instant() {
        expect(
            &[text("log", "kubectl logs ledger-0", LOG)],
            &[
                ("The database connection pool recovered two minutes after 12:51:24.", Grounded),
                ("The database connection pool recovered 126 seconds after 12:51:24.", Grounded),
                (
                    "The database connection pool recovered five minutes after 12:51:24.",
                    Contradicted,
                ),
                (
                    "The database connection pool recovered two minutes before 12:51:24.",
                    Contradicted,
                ),
                ("The cache connection pool recovered two minutes after 12:51:24.", Ungrounded),
            ],
        );
    }
}
