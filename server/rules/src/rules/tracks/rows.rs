//! Tracks that stand in records with a time each, and in lines that sum a series up.

use std::collections::HashMap;

use gsar_core::text::figures::{Decimal, figures};

use super::draft::Draft;
use super::exact;
use super::gather::{Known, NAMES, direct, moment, unit_named};
use super::naming::label_keys;
use crate::evidence::observations::{Corpus, NONE, Place, ValueKind, is_naming};
use crate::verdict::ruling::Cite;
use crate::vocabulary::words::key;

/// Keys under which a record says when.
const TIMES: [&str; 6] = ["timestamp", "time", "ts", "datetime", "at", "date"];

/// Keys that say which statistic a number is, not of what.
const STATISTICS: [&str; 8] =
    ["average", "maximum", "minimum", "sum", "samplecount", "value", "val", "v"];

/// Records of one list, each with a time, names and numbers.
pub(super) fn rows(corpus: &Corpus<'_>, drafts: &mut Vec<Draft>) {
    const MOST_KEYS: usize = 60;
    let mut things: HashMap<(u32, Vec<&str>), usize> = HashMap::new();
    let mut open: HashMap<(usize, &str), Draft> = HashMap::new();
    let mut order: Vec<(usize, &str)> = Vec::new();
    let mut lists: HashMap<u32, Option<&str>> = HashMap::new();
    for name in TIMES {
        let mut stamps: Vec<u32> = corpus.by_word.of(key(name)).collect();
        stamps.reverse();
        for stamp in stamps {
            let is_time = corpus.name(stamp).trim_start_matches('@').eq_ignore_ascii_case(name);
            let Some(row) = corpus.field(stamp).filter(|_| is_time).map(|field| field.object)
            else {
                continue;
            };
            let Some(record) = corpus.object(row).filter(|row| row.is_record && row.parent != NONE)
            else {
                continue;
            };
            let list =
                *lists.entry(record.parent).or_insert_with(|| name_of_list(corpus, record.parent));
            let Some((list, micros)) = list.zip(moment(corpus, stamp)) else { continue };
            let mut names: Vec<&str> = Vec::new();
            let mut numbers = Vec::new();
            for (field, read) in direct(corpus, row).take(MOST_KEYS) {
                let (key, value) = (corpus.name(field), corpus.value(field));
                match (read.kind, exact::parse(value)) {
                    (ValueKind::Number | ValueKind::Text, Some(number)) if field != stamp => {
                        numbers.push((key, number, field));
                    }
                    (ValueKind::Text, _) if is_naming(key) => names.push(value),
                    _ => {}
                }
            }
            let known = things.len();
            let thing = *things.entry((record.parent, names.clone())).or_insert(known);
            for (metric, number, field) in numbers {
                let metric = match STATISTICS.iter().any(|known| metric.eq_ignore_ascii_case(known))
                {
                    false => metric,
                    true if list.is_empty() => continue,
                    true => list,
                };
                let draft = open.entry((thing, metric)).or_insert_with(|| {
                    order.push((thing, metric));
                    let mut labels = Vec::new();
                    names.iter().for_each(|name| label_keys(name, &mut labels));
                    Draft {
                        known: Known::All,
                        name: metric.to_owned(),
                        labels,
                        traits: Vec::new(),
                        named: Vec::new(),
                        context: Vec::new(),
                        unit: None,
                        points: Vec::new(),
                    }
                });
                draft.points.push((micros, number, Cite::Field(field)));
            }
        }
    }
    drafts.extend(order.into_iter().filter_map(|group| open.remove(&group)));
}

/// What the records of a list measure where their keys only say which statistic; empty where nothing names it.
/// `None` for a list of outliers, which is no series.
fn name_of_list<'e>(corpus: &Corpus<'e>, list: u32) -> Option<&'e str> {
    const CONTAINERS: [&str; 8] =
        ["datapoints", "data", "points", "values", "metrics", "series", "result", "results"];
    const PARTIAL: [&str; 4] = ["anomalies", "outliers", "spikes", "exceptions"];
    let mut name = None;
    for (number, object) in corpus.around(list) {
        let labelled = direct(corpus, number).take(40).find(|(field, _)| {
            NAMES.iter().any(|known| corpus.name(*field).eq_ignore_ascii_case(known))
        });
        if let Some((field, _)) = labelled {
            name = name.or(Some(corpus.value(field)));
        }
        if let Place::Member(first, last) = object.place {
            let heading = corpus.text(object.item).get(first as usize..last as usize)?;
            let is = |listed: &[&str]| listed.iter().any(|word| heading.eq_ignore_ascii_case(word));
            if is(&PARTIAL) {
                return None;
            }
            if !is(&CONTAINERS) {
                name = name.or(Some(heading));
            }
        }
    }
    Some(name.unwrap_or(""))
}

/// Lines that sum a series up.
pub(super) fn summaries(corpus: &Corpus<'_>, drafts: &mut Vec<Draft>) {
    let mut lines: Vec<u32> = corpus.by_word.of(key("max")).collect();
    lines.reverse();
    for line in lines {
        let text = corpus.value(line);
        let mut labels = Vec::new();
        if let Some(thing) = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')) {
            label_keys(thing.0, &mut labels);
        }
        let mut unit = None;
        let mut points = Vec::new();
        for pair in text.split_whitespace() {
            match pair.split_once('=') {
                Some(("unit", named)) => unit = unit_named(named),
                Some(("first" | "last" | "min" | "max", stated)) => {
                    points.extend(summed(stated, line));
                }
                _ => {}
            }
        }
        let name = text.split_whitespace().next().unwrap_or("").to_owned();
        if points.len() >= 4 {
            drafts.push(Draft {
                known: Known::Ends,
                name,
                labels,
                traits: Vec::new(),
                named: Vec::new(),
                context: Vec::new(),
                unit,
                points,
            });
        }
    }
}

/// `1140.0@11:34`.
fn summed(stated: &str, line: u32) -> Option<(i64, Decimal, Cite)> {
    let (value, at) = stated.split_once('@')?;
    let time = figures(at).times.into_iter().next()?;
    let seconds = time.seconds().unwrap_or(i64::from(time.seconds_of_day));
    Some((seconds.checked_mul(1_000_000)?, exact::parse(value)?, Cite::Field(line)))
}
