//! A track while it is read: its values get one scale, its title is parted into metric and thing.

use gsar_core::text::figures::{Decimal, Dimension, Unit};
use gsar_core::text::tokens::words;

use super::exact::{self, Scale};
use super::gather::{Known, Point, Track};
use super::naming::label_keys;
use super::queries;
use crate::verdict::ruling::Cite;
use crate::vocabulary::words::{Key, key, parts};

/// A track before its values share one scale.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) known: Known,
    pub(super) name: String,
    pub(super) labels: Vec<Key>,
    pub(super) traits: Vec<Key>,
    pub(super) named: Vec<(Key, Key)>,
    pub(super) context: Vec<Key>,
    pub(super) unit: Option<Unit>,
    pub(super) points: Vec<(i64, Decimal, Cite)>,
}

impl Draft {
    /// The track; `None` without samples, or where they are too large to compare.
    pub(super) fn finish(mut self) -> Option<Track> {
        let places = self.points.iter().map(|(_, value, _)| value.places).max()?;
        let mut points = Vec::with_capacity(self.points.len());
        for (micros, value, cite) in std::mem::take(&mut self.points) {
            points.push(Point { micros, value: exact::at_scale(value, places)?, cite });
        }
        points.sort_by_key(|point| point.micros);
        points.dedup_by_key(|point| (point.micros, point.value));
        let whole = 10_i128.checked_pow(places)?;
        let is_share =
            places > 0 && points.iter().all(|point| point.value >= 0 && point.value <= whole);
        let lower = self.name.to_ascii_lowercase();
        let in_percent = self.known == Known::All
            && ["rate", "percent", "utilization", "availability"]
                .iter()
                .any(|word| lower.contains(word))
            && !lower.contains("per_")
            && points.iter().all(|point| point.value >= 0 && point.value <= whole * 100)
            && points.iter().any(|point| point.value > whole);
        let name = self.name.clone();
        let (things, metric): (Vec<&str>, Vec<&str>) =
            name.split(' ').partition(|word| is_thing(word) && name.contains(' '));
        let metric = metric.join(" ");
        things.iter().for_each(|thing| label_keys(thing, &mut self.labels));
        let unit = self
            .unit
            .or_else(|| unit_in_name(&metric))
            .or_else(|| queries::usual_unit(&metric))
            .or_else(|| in_percent.then_some(Unit::PERCENT));
        let mut metric = name_keys(&metric);
        if unit.is_some_and(|unit| unit.dimension == Dimension::Rate) && !metric.is_empty() {
            metric.push(key("rate"));
        }
        Some(Track {
            known: self.known,
            metric,
            name: self.name,
            labels: self.labels,
            traits: self.traits,
            named: self.named,
            context: self.context,
            scale: Scale { unit, places, is_share },
            points,
        })
    }
}

/// Whether a word of a series' title names a thing: `tp-articles-1` in `tp-articles-1 CPUUtilization`.
fn is_thing(word: &str) -> bool {
    word.contains('-') || word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The unit in a metric's name: `memory_usage_mb`, `requests_per_second`.
fn unit_in_name(name: &str) -> Option<Unit> {
    if name.contains("per_second") || name.ends_with("IOPS") {
        return Unit::COUNT.per(Unit::named("s")?);
    }
    words(name).filter_map(|word| Unit::of_field(word.text)).last()
}

/// The words of a metric's name: `WriteIOPS` is "write" and "iops".
fn name_keys(name: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    for word in words(name) {
        let mut inner = parts(word.text).peekable();
        if inner.peek().is_none() {
            keys.push(key(word.text));
        }
        keys.extend(inner.map(key));
    }
    keys.dedup();
    keys
}
