//! Claims about ages and paces that tools print as such: "the nodes joined 28 days ago", "the pod was 16 seconds old
//! when it was listed", "back-offs came at four to five per minute".
//!
//! An age is that of `AGE`, `LAST SEEN` or `7 (32s ago)`; a pace that of `3m30s (x256 over 58m)`.

use gsar_core::Class;
use gsar_core::text::figures::{Dimension, Figure};
use gsar_core::text::tokens::{Word, words};

use crate::claim::lengths::{Length, lengths};
use crate::claim::reading::Role;
use crate::evidence::ages::ages;
use crate::evidence::chronicle::Event;
use crate::evidence::moments::{HOUR, MINUTE, SECOND};
use crate::matching::asked::{Asked, asked, is_plain};
use crate::matching::episodes::{Ages, Found, find};
use crate::verdict::note;
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::event_words::is_left_out;
use crate::vocabulary::phases::Phase;

/// Decides a claim about an age or a pace.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    if !is_plain(case.reading) || !case.reading.quotations.is_empty() {
        return None;
    }
    age(case).or_else(|| pace(case))
}

/// "Came up 28 days ago", "is 16 seconds old", "has been up for 2.8 hours".
fn age(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let text = case.reading.text;
    let lengths = lengths(text);
    let [length] = lengths.as_slice() else { return None };
    let after = words(text.get(length.span.end..)?).next();
    let before: Vec<Word<'_>> = words(text.get(..length.span.start)?).collect();
    let is_aged =
        after.as_ref().is_some_and(|word| ["ago", "old"].iter().any(|aged| word.is(aged)));
    let lasts = before.last().is_some_and(|word| word.is("for"))
        && before.iter().any(|word| {
            ["up", "running", "existed", "exists", "alive"].iter().any(|state| word.is(state))
        });
    if !is_aged && !lasts {
        return None;
    }
    let mut thing = asked(case, 0..text.len(), std::slice::from_ref(&length.span));
    let restarts = before
        .iter()
        .any(|word| ["restarted", "restart", "restarts"].iter().any(|restart| word.is(restart)));
    let is_thing = is_aged && after.as_ref().is_some_and(|word| word.is("old"))
        || lasts
        || before.iter().any(|word| {
            ["joined", "created", "deployed", "added"].iter().any(|made| word.is(made))
        });
    if is_thing && !restarts {
        thing = thing.in_phase(Phase::Created);
        thing.forget(
            case,
            &[
                "old", "up", "running", "existed", "joined", "added", "listed", "age", "ago",
                "cluster",
            ],
        );
    } else if restarts {
        thing.phase = Some(Phase::Last);
    }
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let found = find(case, chronicle, &thing, Ages::Only)?;
    let event = *found.events.first()?;
    let answer = agreed(&found, |event| length.is(event.at.checked_neg()?, event.grain - 1))?;
    rule(case, &thing, Some(length), &found, event, answer)
}

/// "Four to five per minute", "about once in five minutes", "every 30 seconds".
fn pace(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let text = case.reading.text;
    let all: Vec<Word<'_>> = words(text).collect();
    let every = all.iter().position(|word| word.is("every"));
    let once = all.windows(2).position(|pair| {
        matches!(pair, [once, every] if once.is("once") && ["every", "in"].iter().any(|word| every.is(word)))
    });
    let lengths = lengths(text);
    let claimed = match (every.or(once), lengths.as_slice()) {
        (Some(_), [length]) => Pace::Each(length.clone()),
        (None, [length]) => Pace::Times(times(case)?, length.clone()),
        _ => Pace::Per(per(case)?),
    };
    let apart = match &claimed {
        Pace::Each(length) => vec![length.span.clone()],
        Pace::Per((_, _, spans)) => spans.clone(),
        Pace::Times((_, span), length) => vec![span.clone(), length.span.clone()],
    };
    let mut thing = asked(case, 0..text.len(), &apart);
    thing.forget(
        case,
        &["rate", "pace", "every", "per", "minute", "hour", "second", "day", "once", "times"],
    );
    let thing = thing.in_phase(Phase::Last);
    let chronicle = case.cache.chronicle(case.corpus, case.day);
    let found = find(case, chronicle, &thing, Ages::Only)?;
    let answer = |event: &Event| {
        let read = ages(case.corpus.value(event.field))?;
        let (total, grain) = read.first?;
        let count = i64::from(read.count.filter(|count| *count > 1)?);
        match &claimed {
            Pace::Each(length) => length.is(total / count, grain / count),
            Pace::Times((times, _), length) => {
                let fits = length.is(total, grain - 1);
                if *times == count { fits } else { Some(false) }
            }
            Pace::Per((low, high, _)) => {
                // Tenths of events in a minute, from the shortest and the longest time that it may have been.
                let (least, most) = (
                    count.checked_mul(600 * SECOND)? / (total + grain),
                    count.checked_mul(600 * SECOND)? / (total - grain).max(1),
                );
                let slack = (high / 8).max(5);
                if most >= low - slack && least <= high + slack {
                    Some(true)
                } else if most * 2 < *low || least > high * 2 {
                    Some(false)
                } else {
                    None
                }
            }
        }
    };
    // "280 times within an hour" is true where it is so of one of those that are meant.
    let exact = matches!(claimed, Pace::Times(..))
        .then(|| found.events.iter().copied().find(|event| answer(event) == Some(true)))
        .flatten();
    let (event, answer) = match exact {
        Some(event) => (event, true),
        None => (*found.events.first()?, agreed(&found, answer)?),
    };
    let length = match &claimed {
        Pace::Each(length) | Pace::Times(_, length) => Some(length),
        Pace::Per(_) => None,
    };
    rule(case, &thing, length, &found, event, answer)
}

/// How often something is claimed to happen.
enum Pace {
    /// Once in a length of time.
    Each(Length),
    /// So many times in a length of time.
    Times((i64, std::ops::Range<usize>), Length),
    /// Tenths of events in a minute, least and greatest, with where they are stated.
    Per((i64, i64, Vec<std::ops::Range<usize>>)),
}

/// "280 times": how many, and where it is stated.
fn times(case: &Case<'_, '_, '_>) -> Option<(i64, std::ops::Range<usize>)> {
    let reading = case.reading;
    reading.figures.figures.iter().find_map(|figure| {
        let written = reading.text.get(figure.span.start..)?;
        let is_times = words(written).take(2).any(|word| word.is("times"));
        let count = i64::try_from(figure.value.mantissa).ok()?;
        (is_times && figure.value.places == 0 && !figure.approximate && figure.comparator.is_none())
            .then(|| (count, figure.span.clone()))
    })
}

/// "Four to five per minute": tenths of events in a minute.
fn per(case: &Case<'_, '_, '_>) -> Option<(i64, i64, Vec<std::ops::Range<usize>>)> {
    let reading = case.reading;
    let unit = words(reading.text).skip_while(|word| !word.is("per")).nth(1)?;
    let length = match () {
        () if unit.is("second") => SECOND,
        () if unit.is("minute") => MINUTE,
        () if unit.is("hour") => HOUR,
        () => return None,
    };
    let rates: Vec<&Figure> = reading
        .figures
        .figures
        .iter()
        .filter(|figure| matches!(figure.unit.dimension, Dimension::Rate | Dimension::Count))
        .collect();
    if rates.is_empty() || rates.len() > 2 {
        return None;
    }
    let tenths = |figure: &Figure| {
        let value = i64::try_from(figure.value.mantissa).ok().filter(|value| *value < 1_000_000)?;
        let places = 10_i64.checked_pow(figure.value.places)?;
        Some(value * 10 * MINUTE / length / places)
    };
    let values: Vec<i64> = rates.iter().filter_map(|figure| tenths(figure)).collect();
    let spans = rates.iter().map(|figure| figure.span.clone()).collect();
    Some((*values.iter().min()?, *values.iter().max()?, spans))
}

/// What all events say alike.
fn agreed(found: &Found<'_>, answer: impl Fn(&Event) -> Option<bool>) -> Option<bool> {
    let mut answers = found.events.iter().map(|event| answer(event));
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

fn rule(
    case: &Case<'_, '_, '_>,
    thing: &Asked,
    length: Option<&Length>,
    found: &Found<'_>,
    event: &Event,
    answer: bool,
) -> Option<Ruling> {
    let inside = |start: usize, end: usize| {
        length.is_some_and(|length| length.span.start <= start && end <= length.span.end)
    };
    let is_told = case.reading.terms.iter().enumerate().all(|(place, term)| {
        thing.has(place)
            || inside(term.span.start, term.span.end)
            || is_left_out(term.text)
            || matches!(term.role, Role::Kind | Role::Demand(_))
    });
    if !found.is_full || found.is_vague || !is_told {
        return None;
    }
    let class = if answer { Class::Grounded } else { Class::Contradicted };
    Some(Ruling {
        class,
        basis: Basis::Stated,
        cites: vec![Cite::Field(event.field)],
        note: note::says(case, event.field),
    })
}

#[cfg(test)]
mod tests {
    use gsar_core::Class::{Contradicted, Grounded, Ungrounded};

    use crate::tests::{expect, text};

    #[test]
    fn ages_and_paces_are_those_that_the_tool_prints() {
        let pods = "\
NAME                          READY   STATUS             RESTARTS      AGE
ledger-66f4b9d7c8-4tqzw       0/1     CrashLoopBackOff   7 (32s ago)   11m
cart-5d8f7c9b64-aa2bb         1/1     Running            0             25d
";
        let events = "\
LAST SEEN            TYPE      REASON    OBJECT                        MESSAGE
3m30s (x256 over 58m)   Warning   BackOff   Pod/ledger-66f4b9d7c8-4tqzw   Back-off restarting failed container
";
        expect(
            &[text("pods", "kubectl get pods", pods), text("events", "kubectl get events", events)],
            &[
                ("ledger was created 11 minutes ago.", Grounded),
                ("ledger was created 11 hours ago.", Contradicted),
                ("cart has been up for about 25 days.", Grounded),
                ("The last restart of ledger was 32 seconds ago.", Grounded),
                ("The last restart of ledger was 32 minutes ago.", Contradicted),
                ("The last restart of billing was 32 seconds ago.", Ungrounded),
                ("BackOff events come at a rate of four to five per minute.", Grounded),
                ("BackOff events came about every 14 seconds.", Grounded),
                ("BackOff events came about every five minutes.", Contradicted),
            ],
        );
    }
}
