//! Collects the context of a record's cells, including the context that the record inherits from its parents.

use std::collections::BTreeMap;

use gsar_extraction::facts::{Cell, Facts, Record};

use super::lexicon::{LEXICON, Level, State};
use super::quantity::Quantity;
use super::signal::words;

/// The context of a record, which its children inherit.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordContext<'f> {
    own_level: Option<Level>,
    pub(super) level: Level,
    pub(super) is_past: bool,
    pub(super) desired: Option<Quantity<'f>>,
    /// The signal for unnamed values.
    pub(super) signal: Option<&'f str>,
}

impl<'f> RecordContext<'f> {
    /// Returns the context of every record. Parents come before their children.
    pub(super) fn for_all(facts: &'f Facts<'_>) -> Vec<Self> {
        let mut contexts: Vec<Self> = Vec::new();
        for (_, record) in facts.records() {
            let parent = record.parent.and_then(|parent| contexts.get(parent.0)).copied();
            let level = level(record).or(parent.and_then(|parent| parent.own_level));
            contexts.push(Self {
                own_level: level,
                level: level.unwrap_or(Level::Other),
                is_past: parent.is_some_and(|parent| parent.is_past)
                    || record.path.iter().any(|key| is_past(key)),
                desired: field(record, "desired")
                    .and_then(Quantity::parse)
                    .or(parent.and_then(|parent| parent.desired)),
                signal: field(record, "signal").or(parent.and_then(|parent| parent.signal)),
            });
        }
        contexts
    }
}

#[derive(Debug, Default)]
pub(super) struct CellContext<'f> {
    /// `true` if the subject has completed or its total is zero, so that no instance needs to be ready.
    pub(super) is_completed: bool,
    pub(super) ratio_total: Option<Quantity<'f>>,
    /// `true` for a line in an access log, which is judged only by its fields.
    pub(super) is_request: bool,
    /// The thresholds by field name. A threshold with an empty name applies to all values.
    pub(super) thresholds: BTreeMap<&'f str, Quantity<'f>>,
}

impl<'f> CellContext<'f> {
    pub(super) fn new(record: &'f Record<'_>) -> Self {
        let has_key = |name: &str| record.cells.iter().any(|cell| key(cell) == name);
        let state = field(record, "state").and_then(|state| LEXICON.states.get(state.trim()));
        let total = field(record, "total").and_then(|text| text.split_whitespace().last());
        let is_empty = total.and_then(Quantity::parse).is_some_and(|total| total.is_zero());
        let threshold = |cell: &'f Cell<'_>| {
            let name = ["threshold", "Threshold"]
                .iter()
                .find_map(|suffix| key(cell).strip_suffix(suffix))?;
            Some((name.trim_end_matches(['_', '.']), Quantity::parse(&cell.text)?))
        };
        Self {
            is_completed: state == Some(State::Over) || is_empty,
            ratio_total: record.cells.iter().find_map(|cell| Some(ratio(&cell.text)?.1)),
            is_request: has_key("protocol") && has_key("status"),
            thresholds: record.cells.iter().filter_map(threshold).collect(),
        }
    }
}

pub(super) fn key<'c>(cell: &'c Cell<'_>) -> &'c str {
    cell.attribute.last().map_or("", |key| key)
}

pub(super) fn field<'c>(record: &'c Record<'_>, list: &str) -> Option<&'c str> {
    record.cells.iter().find(|cell| LEXICON.is_field(list, key(cell))).map(|cell| &*cell.text)
}

pub(super) fn is_past(key: &str) -> bool {
    words(key).any(|word| LEXICON.is_field("past", word))
}

pub(super) fn ratio(text: &str) -> Option<(Quantity<'_>, Quantity<'_>)> {
    let (part, total) = text.split_once('/')?;
    Some((Quantity::parse(part)?, Quantity::parse(total)?))
}

/// Returns the level of a log record or the type of an event.
fn level(record: &Record<'_>) -> Option<Level> {
    let is_level =
        |name: &str| LEXICON.is_field("level", name) || name.eq_ignore_ascii_case("type");
    record
        .cells
        .iter()
        .filter(|cell| cell.attribute.len() == 1 && is_level(key(cell)))
        .find_map(|cell| LEXICON.levels.get(&cell.text))
}
