//! When things happened: every line and record of the evidence that says when.
//!
//! A line is stamped by the instant it begins with; a record by the fields that hold an instant or an age. The
//! key of the field says what the instant is of: a start, an end, the first or last of several. Nothing here
//! knows what a claim asks.

use std::ops::Range;

use gsar_core::text::figures::Date;
use gsar_core::text::tokens::words;

use crate::evidence::ages::{age, ages};
use crate::evidence::moments::{DAY, Moment, SECOND, moments};
use crate::evidence::observations::{Corpus, NONE, ValueKind};
use crate::matching::candidates::{Target, is_line};
use crate::vocabulary::phases::{Phase, phase_of_key};

/// Which instants can be compared with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// A zone is stated.
    Zoned,
    /// No zone is stated.
    Local,
    /// An age: counted back from when that item was made.
    Ago(u32),
}

/// Something that the evidence dates.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The line or record that tells of it.
    pub(crate) place: Target,
    /// The field that says when.
    pub(crate) field: u32,
    /// Microseconds since the epoch; for an age, back from zero.
    pub(crate) at: i64,
    /// How finely it is stated, in microseconds.
    pub(crate) grain: i64,
    /// Minutes east of UTC, as it is written.
    pub(crate) offset: i32,
    pub(crate) clock: Clock,
    pub(crate) phase: Phase,
    /// Whether the day is known.
    pub(crate) is_dated: bool,
}

impl Event {
    /// Whether it can be told which of two came first.
    pub(crate) fn is_comparable(&self, other: &Event) -> bool {
        let dated = self.is_dated == other.is_dated;
        dated
            && match (self.clock, other.clock) {
                (Clock::Ago(_), Clock::Ago(_)) => true,
                (Clock::Ago(_), _) | (_, Clock::Ago(_)) => false,
                (Clock::Zoned, Clock::Local) => self.offset == 0,
                (Clock::Local, Clock::Zoned) => other.offset == 0,
                _ => true,
            }
    }
}

/// The events of the evidence.
#[derive(Debug, Default)]
pub(crate) struct Chronicle {
    /// In the order of their fields.
    events: Vec<Event>,
    /// Objects and the number of their event, sorted.
    by_object: Vec<(u32, u32)>,
}

impl Chronicle {
    /// Dates the evidence; a day without a year is of the year of the incident.
    pub(crate) fn of(corpus: &Corpus<'_>, day: Option<Date>) -> Self {
        let mut chronicle = Self::default();
        let mut writer = Writer { corpus, day, events: &mut chronicle.events };
        for field in 0..u32::try_from(corpus.fields.len()).unwrap_or(0) {
            writer.field(field);
        }
        for (number, event) in chronicle.events.iter().enumerate() {
            if let (Target::Object(object), Ok(number)) = (event.place, u32::try_from(number)) {
                chronicle.by_object.push((object, number));
            }
        }
        chronicle.by_object.sort_unstable();
        chronicle
    }

    /// The events that a place tells of.
    pub(crate) fn at(&self, place: Target) -> Vec<&Event> {
        match place {
            Target::Line(field) => self.within(field..field + 1).iter().collect(),
            Target::Object(object) => {
                let start = self.by_object.partition_point(|(other, _)| *other < object);
                self.by_object
                    .get(start..)
                    .unwrap_or_default()
                    .iter()
                    .take_while(|(other, _)| *other == object)
                    .filter_map(|(_, number)| self.events.get(*number as usize))
                    .collect()
            }
        }
    }

    /// The day of the incident, as days since the epoch: the one given, else that on which most of the events lie.
    pub(crate) fn usual_day(&self, day: Option<Date>) -> Option<i64> {
        const LEAST: usize = 4;
        if let Some(day) = day {
            return Some(day.days());
        }
        let mut days: Vec<i64> = self
            .events
            .iter()
            .filter(|event| event.is_dated && !matches!(event.clock, Clock::Ago(_)))
            .map(|event| event.at.div_euclid(DAY))
            .collect();
        days.sort_unstable();
        let most = days.chunk_by(|a, b| a == b).max_by_key(|run| run.len())?;
        (most.len() >= LEAST && most.len() * 2 >= days.len()).then(|| most.first().copied())?
    }

    /// Every event.
    pub(crate) fn all(&self) -> &[Event] {
        &self.events
    }

    /// Whether a place tells of an event.
    pub(crate) fn has(&self, place: Target) -> bool {
        match place {
            Target::Line(field) => !self.within(field..field + 1).is_empty(),
            Target::Object(object) => {
                let at = self.by_object.partition_point(|(other, _)| *other < object);
                self.by_object.get(at).is_some_and(|(other, _)| *other == object)
            }
        }
    }

    /// The events that some fields say the time of.
    pub(crate) fn within(&self, fields: Range<u32>) -> &[Event] {
        let start = self.events.partition_point(|event| event.field < fields.start);
        let end = self.events.partition_point(|event| event.field < fields.end);
        self.events.get(start..end).unwrap_or_default()
    }
}

struct Writer<'a, 'e> {
    corpus: &'a Corpus<'e>,
    day: Option<Date>,
    events: &'a mut Vec<Event>,
}

/// An instant in a line stands within so many bytes of its beginning.
const LATEST_STAMP: usize = 64;

impl Writer<'_, '_> {
    fn field(&mut self, number: u32) {
        let corpus = self.corpus;
        let Some(field) = corpus.field(number) else { return };
        let line = Target::Line(number);
        if let Some(micros) = field.micros {
            self.push(line, number, Read::instant(micros), Phase::Stamp);
            return;
        }
        if is_line(corpus, number) {
            if let Some((read, phase)) = self.stamp(corpus.value(number)) {
                self.push(line, number, read, phase);
                self.mentions(number);
            }
            return;
        }
        let thing = Target::Object(field.object);
        match field.kind {
            ValueKind::Text => self.keyed(number, thing),
            ValueKind::Number => {
                let key = corpus.name(number);
                if let Some(phase) = phase_of_key(key)
                    && let Some(micros) = epoch(corpus.value(number))
                {
                    self.push(thing, number, Read::instant(micros), phase);
                }
            }
            ValueKind::True | ValueKind::False | ValueKind::Nothing => {}
        }
    }

    fn keyed(&mut self, number: u32, thing: Target) {
        let corpus = self.corpus;
        let (key, value) = (corpus.name(number), corpus.value(number));
        if key.is_empty() {
            // The instants of samples, apart from their values.
            return;
        }
        if value.len() <= LATEST_STAMP
            && let Some(moment) = moments(value, 1).into_iter().next()
            && moment.day.is_some()
        {
            let rest = value.len() - (moment.span.end - moment.span.start);
            if rest <= 16 {
                let read = self.read(&moment);
                let phase = match phase_of_key(key) {
                    // What was seen once was seen then.
                    Some(Phase::Last) if self.was_once(number, thing) => Phase::Stamp,
                    phase => phase.unwrap_or(Phase::Stamp),
                };
                self.push(thing, number, read, phase);
            }
            return;
        }
        // `12:30:15 INFO main: started` may look like a key with its value.
        if let Some(quote) = corpus.field(number).map(|field| field.quote)
            && key.len() > 10
            && key.bytes().filter(u8::is_ascii_digit).count() >= 4
            && let Some((read, phase)) = self.stamp(corpus.part(number, quote))
        {
            self.push(Target::Line(number), number, read, phase);
            return;
        }
        self.aged(number, thing, key, value);
    }

    /// `AGE`, `LAST SEEN`, `7 (32s ago)`.
    fn aged(&mut self, number: u32, thing: Target, key: &str, value: &str) {
        let is = |wanted: &str| key.eq_ignore_ascii_case(wanted);
        if is("restarts") || is("restart count") {
            if let Some((_, ago)) = value.split_once('(')
                && ago.ends_with("ago)")
                && let Some((length, grain)) = age(ago.trim_end_matches(')'))
            {
                self.push(thing, number, self.ago(number, length, grain), Phase::Last);
            }
            return;
        }
        if !(is("age") || is("last seen") || is("first seen") || is("up") || is("uptime")) {
            return;
        }
        let Some(read) = ages(value) else { return };
        let is_event = is("last seen") || read.count.is_some() || self.has_sibling(number, thing);
        let phase = match () {
            () if !is_event => Phase::Created,
            () if is("first seen") => Phase::Start,
            () if read.count.is_some() => Phase::Last,
            () => Phase::Stamp,
        };
        if let Some((length, grain)) = read.first {
            self.push(thing, number, self.ago(number, length, grain), Phase::Start);
        }
        self.push(thing, number, self.ago(number, read.last.0, read.last.1), phase);
    }

    /// Whether the record of a field says that it happened once.
    fn was_once(&self, number: u32, thing: Target) -> bool {
        let Target::Object(object) = thing else { return false };
        let Some(fields) = self.corpus.object(object).map(|object| object.fields) else {
            return false;
        };
        (fields.0..fields.1.max(number)).take(12).any(|field| {
            let key = self.corpus.name(field);
            key.eq_ignore_ascii_case("count") && self.corpus.value(field).trim() == "1"
        })
    }

    /// Whether the row of a field is that of an event: it has a reason or message.
    fn has_sibling(&self, number: u32, thing: Target) -> bool {
        let Target::Object(object) = thing else { return false };
        let Some(fields) = self.corpus.object(object).map(|object| object.fields) else {
            return false;
        };
        // The object is closed: its fields are known.
        (fields.0..fields.1.max(number)).take(12).any(|field| {
            let key = self.corpus.name(field);
            key.eq_ignore_ascii_case("reason") || key.eq_ignore_ascii_case("message")
        })
    }

    fn ago(&self, number: u32, length: i64, grain: i64) -> Read {
        Read {
            at: -length,
            grain,
            offset: 0,
            clock: Clock::Ago(self.corpus.item_of(number)),
            is_dated: true,
        }
    }

    /// The instants further on in a line that say what they are of: `expires_at=…`, "expired on …".
    fn mentions(&mut self, number: u32) {
        const MOST: usize = 4;
        const LONGEST: usize = 400;
        let text = self.corpus.value(number);
        let mut end = text.len().min(LONGEST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        for moment in moments(text.get(..end).unwrap_or(""), MOST).iter().skip(1) {
            let phase = phase_before(text, moment);
            if let Some(phase) = phase.filter(|_| moment.day.is_some()) {
                let read = self.read(moment);
                self.push(Target::Line(number), number, read, phase);
            }
        }
    }

    /// The instant that a line begins with, and what it is of.
    fn stamp(&self, text: &str) -> Option<(Read, Phase)> {
        let mut end = text.len().min(LATEST_STAMP + 40);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let moment = moments(text.get(..end)?, 1).into_iter().next()?;
        let starts = moment.span.start;
        let undated_elsewhere = moment.day.is_none() && starts > 2;
        let phase = phase_before(text, &moment).unwrap_or(Phase::Stamp);
        (starts <= LATEST_STAMP && !undated_elsewhere).then(|| (self.read(&moment), phase))
    }

    fn read(&self, moment: &Moment) -> Read {
        const SOME_YEAR: u16 = 2_000;
        let year = self.day.map_or(SOME_YEAR, |day| day.year);
        let date = moment.day.map(|day| day.date(year)).or(self.day);
        let days = date.map_or(0, Date::days);
        let offset = moment.offset.unwrap_or(0);
        Read {
            at: days * DAY + moment.of_day - i64::from(offset) * 60 * SECOND,
            grain: moment.grain,
            offset,
            clock: if moment.offset.is_some() { Clock::Zoned } else { Clock::Local },
            is_dated: moment.day.is_some(),
        }
    }

    fn push(&mut self, place: Target, field: u32, read: Read, phase: Phase) {
        let Read { at, grain, offset, clock, is_dated } = read;
        self.events.push(Event { place, field, at, grain, offset, clock, phase, is_dated });
    }
}

/// What the words before an instant in a line say that it is of: "expired on", `issued_at=`.
fn phase_before(text: &str, moment: &Moment) -> Option<Phase> {
    let before = text.get(..moment.span.start).unwrap_or("");
    let last = words(before).collect::<Vec<_>>().into_iter().rev().take(2);
    last.into_iter().find_map(|word| phase_of_key(word.text).filter(|phase| *phase != Phase::Stamp))
}

struct Read {
    at: i64,
    grain: i64,
    offset: i32,
    clock: Clock,
    is_dated: bool,
}

impl Read {
    fn instant(micros: i64) -> Self {
        let grain = if micros % SECOND == 0 { SECOND } else { 1_000 };
        Self { at: micros, grain, offset: 0, clock: Clock::Zoned, is_dated: true }
    }
}

/// Seconds to nanoseconds since the epoch, as microseconds.
fn epoch(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i64 = whole.parse().ok().filter(|number| *number > 0)?;
    match whole.len() {
        10 => {
            let digits = fraction.get(..6.min(fraction.len())).unwrap_or("");
            let places = u32::try_from(digits.len()).ok()?;
            let part = digits.parse::<i64>().unwrap_or(0) * 10_i64.pow(6 - places);
            Some(number * SECOND + part)
        }
        13 => Some(number * 1_000),
        16 => Some(number),
        19 => Some(number / 1_000),
        _ => None,
    }
}

/// The object that a field is read in, and the one around it where that is only a part of a record.
pub(crate) fn objects_of(corpus: &Corpus<'_>, field: u32) -> [u32; 2] {
    let Some(object) = corpus.field(field).map(|field| field.object) else { return [NONE; 2] };
    let outer = corpus
        .object(object)
        .filter(|found| !found.is_record && found.parent != NONE)
        .map_or(NONE, |found| found.parent);
    [object, outer]
}
