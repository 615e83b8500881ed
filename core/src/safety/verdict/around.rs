//! This module gathers what holds for all cells of a record: what it says itself, and what it inherits from the records in
//! which it stands. It judges nothing.

use std::collections::BTreeMap;

use gsar_extraction::facts::{Cell, Facts, Record};

use super::lexicon::{LEXICON, Level, State};
use super::quantity::Quantity;
use super::signal::words;

/// What a record says of itself and of all records that stand in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'f> {
    own_level: Option<Level>,
    pub(super) level: Level,
    /// It is not about now.
    pub(super) past: bool,
    /// How many of a good thing are wanted.
    pub(super) wanted: Option<Quantity<'f>>,
    /// The signal that values without a name of their own measure.
    pub(super) signal: Option<&'f str>,
}

impl<'f> Around<'f> {
    /// Of every record, in order; a record stands behind those in which it stands.
    pub(super) fn of_all(facts: &'f Facts<'_>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (_, record) in facts.records() {
            let parent = record.parent.and_then(|parent| all.get(parent.0)).copied();
            let level = level(record).or(parent.and_then(|parent| parent.own_level));
            all.push(Self {
                own_level: level,
                level: level.unwrap_or(Level::Other),
                past: parent.is_some_and(|parent| parent.past)
                    || record.path.iter().any(|key| is_past(key)),
                wanted: field(record, "wanted")
                    .and_then(Quantity::parse)
                    .or(parent.and_then(|parent| parent.wanted)),
                signal: field(record, "signal").or(parent.and_then(|parent| parent.signal)),
            });
        }
        all
    }
}

/// What a record says of its own cells only.
#[derive(Debug, Default)]
pub(super) struct Own<'f> {
    /// Something ran to its end, or there is none of it at all, so what is not ready of it says nothing.
    pub(super) over: bool,
    /// The whole of a ratio.
    pub(super) whole: Option<Quantity<'f>>,
    /// It is a line of an access log, whose fields say all there is.
    pub(super) is_request: bool,
    /// What the value of a field is held against; under the empty name, what all values are.
    pub(super) thresholds: BTreeMap<&'f str, Quantity<'f>>,
}

impl<'f> Own<'f> {
    pub(super) fn of(record: &'f Record<'_>) -> Self {
        let has = |name: &str| record.cells.iter().any(|cell| key(cell) == name);
        let state = field(record, "state").and_then(|state| LEXICON.states.get(state.trim()));
        let total = field(record, "total").and_then(|text| text.split_whitespace().last());
        let none = total.and_then(Quantity::parse).is_some_and(|total| total.is_zero());
        let threshold = |cell: &'f Cell<'_>| {
            let name =
                ["threshold", "Threshold"].iter().find_map(|end| key(cell).strip_suffix(end))?;
            Some((name.trim_end_matches(['_', '.']), Quantity::parse(&cell.text)?))
        };
        Self {
            over: state == Some(State::Over) || none,
            whole: record.cells.iter().find_map(|cell| Some(ratio(&cell.text)?.1)),
            is_request: has("protocol") && has("status"),
            thresholds: record.cells.iter().filter_map(threshold).collect(),
        }
    }
}

/// The last key of a cell.
pub(super) fn key<'c>(cell: &'c Cell<'_>) -> &'c str {
    cell.attribute.last().map_or("", |key| key)
}

/// The value of the first cell whose key is in a list of fields.
pub(super) fn field<'c>(record: &'c Record<'_>, list: &str) -> Option<&'c str> {
    record.cells.iter().find(|cell| LEXICON.is_field(list, key(cell))).map(|cell| &*cell.text)
}

/// Whether a key says that what stands under it is not about now.
pub(super) fn is_past(key: &str) -> bool {
    words(key).any(|word| LEXICON.is_field("past", word))
}

/// Two numbers of a ratio: `3/5`.
pub(super) fn ratio(text: &str) -> Option<(Quantity<'_>, Quantity<'_>)> {
    let (part, whole) = text.split_once('/')?;
    Some((Quantity::parse(part)?, Quantity::parse(whole)?))
}

/// The level of a log record, or the type of an event.
fn level(record: &Record<'_>) -> Option<Level> {
    let is_level =
        |name: &str| LEXICON.is_field("level", name) || name.eq_ignore_ascii_case("type");
    record
        .cells
        .iter()
        .filter(|cell| cell.attribute.len() == 1 && is_level(key(cell)))
        .find_map(|cell| LEXICON.levels.get(&cell.text))
}
