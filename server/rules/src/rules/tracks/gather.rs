//! Tracks of evidence: what one metric of one thing read at several times, whatever the tool's shape.
//!
//! | shape | track |
//! |---|---|
//! | `timestamps` and `values` side by side | one, complete |
//! | `[time, value]` pairs | one, complete |
//! | records with a time and numbers | one for each number and thing, complete |
//! | `Name [thing] unit=… first=v@t last=v@t min=v@t max=v@t` | one, of which only the ends and extremes are known |

use std::collections::HashMap;

use gsar_core::text::figures::Unit;
use gsar_core::text::tokens::words;

use super::draft::Draft;
use super::exact::{self, Scale};
use super::naming::label_keys;
use super::queries;
use crate::evidence::moments::{SECOND, moments};
use crate::evidence::observations::{Corpus, Field, NONE, Place, ValueKind, is_naming};
use crate::verdict::ruling::Cite;
use crate::vocabulary::words::{Key, exact as exact_key, key, parts};

/// How much of a series is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    /// Every sample of its window.
    All,
    /// What a log happened to tell.
    Logged,
    /// The first, last, least and greatest sample.
    Ends,
}

/// One sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// Microseconds since the epoch, or since midnight where no date is stated.
    pub(super) micros: i64,
    /// The value at the track's scale.
    pub(super) value: i128,
    /// What to cite.
    pub(super) cite: Cite,
}

/// What one metric of one thing read at several times.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// How much is known.
    pub(super) known: Known,
    /// Its metric as the tool calls it.
    pub(super) name: String,
    /// The words of its metric.
    pub(super) metric: Vec<Key>,
    /// The words of its labels, and the names of whom it tells.
    pub(super) labels: Vec<Key>,
    /// Those of its labels that name nobody: the mode `idle`.
    pub(super) traits: Vec<Key>,
    /// Its labels with their values.
    pub(super) named: Vec<(Key, Key)>,
    /// Words of the question that it answers.
    pub(super) context: Vec<Key>,
    /// How its values read.
    pub(super) scale: Scale,
    /// Its samples in order of time.
    pub(super) points: Vec<Point>,
}

impl Track {
    /// The distance of two samples, in microseconds; at least a second.
    pub(super) fn step(&self) -> i64 {
        let gaps = self.points.windows(2).filter_map(|pair| match pair {
            [a, b] => Some(b.micros - a.micros),
            _ => None,
        });
        match self.known {
            Known::Ends => 60_000_000,
            Known::All | Known::Logged => gaps.min().unwrap_or(60_000_000).max(1_000_000),
        }
    }
}

/// All tracks of the evidence but the gauges of its logs.
pub(super) fn gather(corpus: &Corpus<'_>) -> Vec<Track> {
    let mut drafts = Vec::new();
    side_by_side(corpus, &mut drafts);
    pairs(corpus, &mut drafts);
    super::rows::rows(corpus, &mut drafts);
    super::rows::summaries(corpus, &mut drafts);
    drafts.into_iter().filter_map(Draft::finish).collect()
}

/// What the logs tell of gauges.
pub(super) fn of_gauges(corpus: &Corpus<'_>) -> Vec<Track> {
    super::gauges::gather(corpus).into_iter().filter_map(Draft::finish).collect()
}

/// The moment that a field states.
pub(super) fn moment(corpus: &Corpus<'_>, field: u32) -> Option<i64> {
    let text = corpus.value(field);
    if text.len() >= 9 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        let (whole, _) = text.split_once('.').unwrap_or((text, ""));
        let number: i64 = whole.parse().ok()?;
        return match whole.len() {
            9 | 10 => number.checked_mul(1_000_000),
            12 | 13 => number.checked_mul(1_000),
            15 | 16 => Some(number),
            _ => None,
        };
    }
    let found = corpus.field(field)?;
    let micros = found.micros.or_else(|| Some(moments(text, 1).first()?.micros()))?;
    Some(micros - micros.rem_euclid(SECOND))
}

/// Fields that stand directly in an object.
pub(super) fn direct<'c>(
    corpus: &'c Corpus<'_>,
    object: u32,
) -> impl Iterator<Item = (u32, &'c Field)> {
    const MOST: u32 = 2_000;
    let (start, end) = corpus.object(object).map_or((0, 0), |found| found.fields);
    (start..end.min(start.saturating_add(MOST)))
        .filter_map(move |number| corpus.field(number).map(|field| (number, field)))
        .filter(move |(_, field)| field.object == object)
}

/// What the objects around a series say of its metric and of whom it tells.
struct Described {
    name: String,
    labels: Vec<Key>,
    traits: Vec<Key>,
    named: Vec<(Key, Key)>,
    unit: Option<Unit>,
}

/// Reads the labels around the array `values`; `skipped` are arrays of samples.
fn described(corpus: &Corpus<'_>, owner: u32, skipped: &[u32]) -> Described {
    const MOST: u32 = 80;
    let mut found = Described {
        name: String::new(),
        labels: Vec::new(),
        traits: Vec::new(),
        named: Vec::new(),
        unit: None,
    };
    let mut rank = usize::MAX;
    let mut seen = 0;
    let (start, end) = corpus.object(owner).map_or((0, 0), |object| object.fields);
    let mut number = start;
    while number < end && seen < MOST {
        let Some(field) = corpus.field(number) else { break };
        if skipped.contains(&field.object) {
            number = corpus.object(field.object).map_or(end, |object| object.fields.1);
            continue;
        }
        seen += 1;
        let (name, value) = (corpus.name(number), corpus.value(number));
        match NAMES.iter().position(|known| name.eq_ignore_ascii_case(known)) {
            Some(place) if field.kind == ValueKind::Text && place < rank => {
                rank = place;
                value.clone_into(&mut found.name);
            }
            Some(_) => {}
            None if name.eq_ignore_ascii_case("unit") || name.eq_ignore_ascii_case("units") => {
                found.unit = unit_named(value);
            }
            None if field.kind == ValueKind::Text => {
                label_keys(value, &mut found.labels);
                found.named.push((exact_key(name), exact_key(value)));
                if TRAITS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                    label_keys(value, &mut found.traits);
                }
            }
            None => {}
        }
        number += 1;
    }
    for (number, object) in corpus.around(owner) {
        if let Place::Member(first, last) = object.place
            && rank == usize::MAX
        {
            rank = NAMES.len();
            let text = corpus.text(object.item);
            text.get(first as usize..last as usize).unwrap_or("").clone_into(&mut found.name);
        }
        if number != owner {
            for (field, read) in direct(corpus, number).take(40) {
                let name = corpus.name(field);
                if read.kind == ValueKind::Text && (is_naming(name) || name.ends_with("dentifier"))
                {
                    label_keys(corpus.value(field), &mut found.labels);
                }
            }
        }
    }
    found
}

/// Keys under which tools name a metric, the most telling first.
pub(super) const NAMES: [&str; 10] = [
    "metric_name",
    "metricname",
    "__name__",
    "metric",
    "label",
    "display_name",
    "expression",
    "title",
    "series",
    "id",
];

/// Labels that part a metric and name nobody.
const TRAITS: [&str; 13] = [
    "mode",
    "code",
    "status",
    "status_code",
    "state",
    "type",
    "device",
    "direction",
    "method",
    "phase",
    "reason",
    "level",
    "class",
];

/// The unit that a tool writes out: `Bytes/Second`, `Percent`, `ms`.
pub(super) fn unit_named(text: &str) -> Option<Unit> {
    let (what, per) = text.split_once('/').map_or((text, None), |(what, per)| (what, Some(per)));
    let unit = match what {
        "Count" | "count" | "requests" | "ops" => Unit::COUNT,
        other => Unit::named(other)?,
    };
    per.map_or(Some(unit), |per| unit.per(Unit::named(per)?))
}

/// `timestamps` and `values` in one object.
fn side_by_side(corpus: &Corpus<'_>, drafts: &mut Vec<Draft>) {
    let parents: HashMap<u32, u32> = corpus
        .by_heading
        .of(key("values"))
        .filter_map(|object| corpus.object(object).map(|found| (found.parent, object)))
        .collect();
    for times in corpus.by_heading.of(key("timestamps")) {
        let Some(owner) = corpus.object(times).map(|object| object.parent) else { continue };
        let Some(values) = parents.get(&owner).copied() else { continue };
        let both = direct(corpus, times).zip(direct(corpus, values));
        let points: Vec<_> = both
            .filter_map(|((time, _), (value, _))| {
                let read = exact::parse(corpus.value(value))?;
                Some((moment(corpus, time)?, read, Cite::Field(value)))
            })
            .collect();
        let Described { name, labels, unit, .. } = described(corpus, owner, &[times, values]);
        let asked = asked(corpus, owner);
        drafts.push(Draft {
            known: Known::All,
            name,
            labels,
            traits: Vec::new(),
            named: Vec::new(),
            context: context(&asked),
            unit: unit.or_else(|| queries::unit(&asked)),
            points,
        });
    }
}

/// `[time, value]` pairs under labels.
fn pairs(corpus: &Corpus<'_>, drafts: &mut Vec<Draft>) {
    for (number, series) in (0_u32..).zip(&corpus.series) {
        let Some(object) = corpus.object(series.object) else { continue };
        let text = corpus.text(object.item);
        let owner =
            if object.is_record || object.parent == NONE { series.object } else { object.parent };
        let mut points = Vec::new();
        for sample in series.samples.0..series.samples.1 {
            let Some(found) = corpus.samples.get(sample as usize) else { continue };
            let written = text.get(found.number.0 as usize..found.number.1 as usize);
            if let Some(value) = written.and_then(exact::parse) {
                points.push((found.micros, value, Cite::Sample { series: number, sample }));
            }
        }
        let Described { name, labels, traits, named, unit } =
            described(corpus, owner, &[series.object]);
        let asked = asked(corpus, owner);
        let metric = asked.iter().find_map(|asked| queries::metric(asked));
        let heading = corpus.heading(object);
        let is_column = object.place == Place::Line && !heading.is_empty();
        let name = match metric {
            _ if is_column => heading.to_owned(),
            Some(metric) if matches!(name.as_str(), "" | "result" | "series" | "data") => {
                queries::name(&asked, metric)
            }
            _ => name,
        };
        drafts.push(Draft {
            known: Known::All,
            unit: unit.or_else(|| queries::unit(&asked).filter(|_| !is_column)),
            name,
            labels,
            traits,
            named,
            context: context(&asked),
            points,
        });
    }
}

/// The questions that a series answers, in its own item and in the request.
fn asked<'e>(corpus: &Corpus<'e>, owner: u32) -> Vec<&'e str> {
    let item = corpus.object(owner).and_then(|object| corpus.item(object.item));
    questions(corpus, owner)
        .into_iter()
        .chain(item.iter().flat_map(|item| [item.query.as_str(), item.tool.as_str()]))
        .map(queries::expression)
        .collect()
}

fn context(asked: &[&str]) -> Vec<Key> {
    let mut found = Vec::new();
    for word in asked.iter().flat_map(|asked| words(asked)) {
        found.push(exact_key(word.text));
        found.extend(parts(word.text).map(key));
        found.push(key(word.text));
    }
    found
}

/// What the answer repeats of the question, in the objects around a series.
fn questions<'e>(corpus: &Corpus<'e>, owner: u32) -> Vec<&'e str> {
    const ASKED: [&str; 4] = ["query", "expr", "expression", "description"];
    let mut found = Vec::new();
    for (number, object) in corpus.around(owner) {
        let last = object.fields.0.saturating_add(40).min(object.fields.1);
        for field in object.fields.0..last {
            let direct = corpus.field(field).is_some_and(|read| read.object == number);
            if direct && ASKED.iter().any(|asked| corpus.name(field).eq_ignore_ascii_case(asked)) {
                found.push(corpus.value(field));
            }
        }
    }
    found
}
