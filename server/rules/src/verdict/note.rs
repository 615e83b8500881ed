//! The sentence that says what decided a claim.

use gsar_core::text::figures::Figure;

use crate::claim::reading::Role;
use crate::evidence::chronicle::Event;
use crate::evidence::observations::NONE;
use crate::evidence::values::{Value, clock};
use crate::verdict::ruling::Case;

/// The most characters of evidence in a sentence.
const LONGEST: usize = 120;

fn item(case: &Case<'_, '_, '_>, number: u32) -> String {
    case.corpus.item(number).map_or_else(String::new, |item| item.id.to_string())
}

/// Shortened in the middle of nothing: at a character, with dots.
pub(crate) fn shortened(text: &str) -> String {
    let mut characters = text.char_indices();
    match characters.nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("").trim_end()),
        None => text.to_owned(),
    }
}

/// The path of a field in words: its key with a telling heading.
fn label(case: &Case<'_, '_, '_>, field: u32) -> String {
    let name = case.corpus.name(field);
    let Some(found) = case.corpus.field(field) else { return name.to_owned() };
    let heading = case.corpus.object(found.object).filter(|object| object.parent != NONE).and_then(
        |object| match object.place {
            crate::evidence::observations::Place::Member(start, end) => {
                Some(case.corpus.part(field, (start, end)))
            }
            _ => None,
        },
    );
    match heading {
        Some(heading) if heading.len() < 24 && !name.is_empty() => format!("{heading} {name}"),
        _ => name.to_owned(),
    }
}

/// "`ready` is false in pods".
pub(crate) fn says(case: &Case<'_, '_, '_>, field: u32) -> String {
    let of = item(case, case.corpus.item_of(field));
    let label = label(case, field);
    let value = shortened(case.corpus.value(field));
    let is_cell = case.corpus.field(field).is_some_and(|found| {
        found.place == crate::evidence::observations::Place::Line && found.name.1 <= found.quote.0
    });
    if is_cell && !label.is_empty() {
        let row = case.corpus.field(field).map_or("", |found| case.corpus.part(field, found.quote));
        return format!("{of} says `{}`", shortened(row));
    }
    let subject = bearer(case, field).map_or_else(String::new, |name| format!(" for {name}"));
    if label.is_empty() {
        format!("{of} says `{value}`")
    } else {
        format!("{label} is {value}{subject} in {of}")
    }
}

/// The name of what a field tells of, when the claim names it.
fn bearer(case: &Case<'_, '_, '_>, field: u32) -> Option<String> {
    let entity = case.reading.terms.iter().find(|term| term.role == Role::Entity)?;
    let key = entity.keys.first()?;
    case.corpus
        .by_name
        .of(*key)
        .take(64)
        .filter_map(|name| case.corpus.names.get(name as usize))
        .find(|name| case.corpus.holds(name.object, field))
        .map(|name| case.corpus.value(name.field).to_owned())
        .filter(|name| name.len() <= 80)
}

/// "limits memory is 512Mi in pods, not 1 GiB".
pub(crate) fn other_figure(
    case: &Case<'_, '_, '_>,
    claimed: &Figure,
    field: u32,
    value: &Value<'_>,
) -> String {
    let of = item(case, case.corpus.item_of(field));
    let stated = case.corpus.value(field).get(value.figure.span.clone()).unwrap_or("").to_owned();
    let wanted = case.reading.text.get(claimed.span.clone()).unwrap_or("");
    let name = match value.key {
        Some(key) if key != case.corpus.name(field) => key.to_owned(),
        _ => label(case, field),
    };
    if name.is_empty() {
        format!("{of} says {stated}, not {wanted}: `{}`", shortened(case.corpus.value(field)))
    } else {
        format!("{name} is {stated} in {of}, not {wanted}")
    }
}

/// "`2026-03-12T14:02:31Z …` in e1 is 26 s before `…` in e2".
pub(crate) fn in_order(case: &Case<'_, '_, '_>, a: &Event, b: &Event) -> String {
    let apart = a.at.abs_diff(b.at);
    let (seconds, millis) = (apart / 1_000_000, apart / 1_000 % 1_000);
    let length = match (seconds, millis) {
        (0, 0) => "no time".to_owned(),
        (seconds, 0) if seconds % 60 == 0 => format!("{} min", seconds / 60),
        (seconds, 0) => format!("{seconds} s"),
        (seconds, millis) => format!("{seconds}.{millis:03} s"),
    };
    let order = if a.at <= b.at { "before" } else { "after" };
    format!("{} is {length} {order} {}", dated(case, a), dated(case, b))
}

/// "it is dated `…` in e1".
pub(crate) fn at(case: &Case<'_, '_, '_>, event: &Event) -> String {
    format!("it is dated {}", dated(case, event))
}

/// "`fired_at: …` in e2", with what the place is about.
fn dated(case: &Case<'_, '_, '_>, event: &Event) -> String {
    let quote = case
        .corpus
        .field(event.field)
        .map_or("", |field| case.corpus.part(event.field, field.quote));
    format!("`{}` in {}", shortened(quote), item(case, case.corpus.item_of(event.field)))
}

/// "Finished is Thu, 12 Mar 2026 14:07:52 +0000 in warmup".
pub(crate) fn other_time(case: &Case<'_, '_, '_>, field: u32) -> String {
    says(case, field)
}

/// "memory went from 1Gi to 512Mi in commit".
pub(crate) fn changed(case: &Case<'_, '_, '_>, before: u32, after: u32) -> String {
    let of = item(case, case.corpus.item_of(after));
    format!(
        "{} went from {} to {} in {of}",
        label(case, after),
        shortened(case.corpus.value(before)),
        shortened(case.corpus.value(after))
    )
}

fn time_of(micros: i64) -> String {
    let time = clock(micros);
    let seconds = time.seconds_of_day;
    format!("{:02}:{:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn written(case: &Case<'_, '_, '_>, series: u32, sample: u32) -> (String, String, String) {
    let object = case
        .corpus
        .series
        .get(series as usize)
        .and_then(|series| case.corpus.object(series.object));
    let number = object.map_or(0, |object| object.item);
    let sample = case.corpus.samples.get(sample as usize);
    let value = sample.and_then(|sample| {
        case.corpus.text(number).get(sample.number.0 as usize..sample.number.1 as usize)
    });
    (
        value.unwrap_or("").to_owned(),
        sample.map_or_else(String::new, |sample| time_of(sample.micros)),
        item(case, number),
    )
}

/// "node-cpu has 93.41 at 14:04:00 UTC".
pub(crate) fn sample(case: &Case<'_, '_, '_>, series: u32, sample: u32) -> String {
    let (value, at, of) = written(case, series, sample);
    format!("{of} has {value} at {at}")
}

/// "the greatest sample in node-cpu is 93.41 at 14:04:00 UTC".
pub(crate) fn extreme(case: &Case<'_, '_, '_>, series: u32, sample: u32, peak: bool) -> String {
    let (value, at, of) = written(case, series, sample);
    format!("the {} sample in {of} is {value} at {at}", if peak { "greatest" } else { "least" })
}

/// "the samples in memory go from 698224640 to 738828288".
pub(crate) fn between(case: &Case<'_, '_, '_>, low: u32, high: u32, series: u32) -> String {
    let ((low, ..), (high, _, of)) = (written(case, series, low), written(case, series, high));
    format!("the samples in {of} go from {low} to {high}")
}

/// "all 12 samples in edge keep to it".
pub(crate) fn all_samples(case: &Case<'_, '_, '_>, series: u32, number: usize) -> String {
    let object = case
        .corpus
        .series
        .get(series as usize)
        .and_then(|series| case.corpus.object(series.object));
    format!(
        "all {number} samples in {} keep to it",
        item(case, object.map_or(0, |object| object.item))
    )
}

/// "3 of 4 in pods are so".
pub(crate) fn count(case: &Case<'_, '_, '_>, number: u32, satisfied: usize, all: usize) -> String {
    format!("{satisfied} of {all} in {} are so", item(case, number))
}

/// "MEMORY is 315Mi for a in top, against 365Mi".
pub(crate) fn compared(case: &Case<'_, '_, '_>, one: u32, other: u32) -> String {
    format!("{}, against `{}`", says(case, one), shortened(case.corpus.value(other)))
}

/// "7 + 6 + 8 = 21 in pods".
pub(crate) fn sum(case: &Case<'_, '_, '_>, fields: &[u32], total: &Figure) -> String {
    const MOST: usize = 8;
    let of =
        fields.first().map_or_else(String::new, |field| item(case, case.corpus.item_of(*field)));
    let first = |field: &u32| case.corpus.value(*field).split(' ').next().unwrap_or("");
    let mut parts: Vec<&str> = fields.iter().take(MOST).map(first).collect();
    if fields.len() > MOST {
        parts.push("…");
    }
    let digits = 10_i128.checked_pow(total.value.places).unwrap_or(1);
    format!("{} = {} in {of}", parts.join(" + "), total.value.mantissa / digits)
}

/// "12 lines in kernel tell of it".
pub(crate) fn lines(case: &Case<'_, '_, '_>, number: u32, lines: usize) -> String {
    format!(
        "{lines} {} in {} tell of it",
        if lines == 1 { "line" } else { "lines" },
        item(case, number)
    )
}

/// "events lists everything that was asked for and has nothing of it".
pub(crate) fn absent(case: &Case<'_, '_, '_>, number: u32) -> String {
    let of = item(case, number);
    let exhaustive = case.corpus.item(number).is_some_and(|item| item.exhaustive);
    if exhaustive {
        format!("{of} lists everything in its scope and has nothing of it")
    } else {
        format!("{of} is the answer to a search for it and has nothing")
    }
}

/// "the evidence would bear out `…rose…` as well".
pub(crate) fn blind(contrary: &str) -> String {
    format!("no place shows it: what fits it would bear out `{}` as well", shortened(contrary))
}

/// "nothing in 11 items mentions batch, job".
pub(crate) fn not_mentioned(case: &Case<'_, '_, '_>, missing: &[&str]) -> String {
    let items = case.corpus.evidence.len();
    let noun = if items == 1 { "item" } else { "items" };
    format!("nothing in {items} {noun} mentions {}", missing.join(", "))
}
