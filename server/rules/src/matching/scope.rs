//! Which of several records a claim speaks of by their time: "from 19:16 on every request passed".

use gsar_core::text::figures::ClockTime;
use gsar_core::text::tokens::words;

use crate::evidence::values::{moment, same_time};
use crate::verdict::ruling::Case;

/// Those of some records that fall into the time that a claim speaks of; all of them where the claim states one
/// moment at which none has a time, that of a look at all of them.
pub(crate) fn in_scope(case: &Case<'_, '_, '_>, records: Vec<u32>) -> Vec<u32> {
    let meant: Vec<u32> =
        records.iter().copied().filter(|record| is_in_scope(case, *record)).collect();
    if meant.is_empty() && !is_stretch(case) { records } else { meant }
}

/// Whether a claim speaks of a stretch of time: from a moment on, up to one, or between two.
pub(crate) fn is_stretch(case: &Case<'_, '_, '_>) -> bool {
    match case.reading.figures.times.as_slice() {
        [] => false,
        [time] => !matches!(side(case, time), Side::At),
        _ => true,
    }
}

/// Whether a record falls into the time that a claim speaks of; one without a time of its own does.
pub(crate) fn is_in_scope(case: &Case<'_, '_, '_>, record: u32) -> bool {
    const MOST_FIELDS: usize = 24;
    let claimed = &case.reading.figures.times;
    if claimed.is_empty() {
        return true;
    }
    let Some(fields) = case.corpus.object(record).map(|object| object.fields) else { return true };
    let stated: Vec<ClockTime> = (fields.0..fields.1)
        .take(MOST_FIELDS)
        .flat_map(|field| case.cache.times(case.corpus, field).to_vec())
        .collect();
    stated.is_empty() || stated.iter().any(|stated| is_meant(case, claimed, stated))
}

/// Whether a moment falls into the time that a claim speaks of.
pub(crate) fn is_meant(case: &Case<'_, '_, '_>, claimed: &[ClockTime], stated: &ClockTime) -> bool {
    let at = moment(stated, case.day);
    match claimed {
        [time] => match (side(case, time), at.zip(moment(time, case.day))) {
            (Side::At, _) | (_, None) => same_time(time, stated),
            (Side::From, Some((at, from))) => at >= from,
            (Side::Until, Some((at, until))) => at <= until,
        },
        [start, .., end] => moment(start, case.day).zip(moment(end, case.day)).zip(at).is_some_and(
            |((from, until), at)| from <= at && at < until + i64::from(end.grain) * 1_000_000,
        ),
        [] => true,
    }
}

/// On which side of its one time a claim speaks.
enum Side {
    At,
    From,
    Until,
}

fn side(case: &Case<'_, '_, '_>, time: &ClockTime) -> Side {
    let before = case.reading.text.get(..time.span.start).unwrap_or("");
    let is = |wanted: &[&str]| {
        words(before).last().is_some_and(|word| wanted.iter().any(|entry| word.is(entry)))
    };
    if is(&["from", "since", "after"]) {
        Side::From
    } else if is(&["until", "till", "before"]) {
        Side::Until
    } else {
        Side::At
    }
}
