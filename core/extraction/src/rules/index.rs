//! Indexes records by entity name, and log lines by their normalized form.

use std::collections::BTreeMap;

use super::Location;
use super::names::record_name;
use super::repeated_lines;
use crate::budget::Budget;
use crate::facts::{Facts, Form, RecordId};
use crate::heap_size::{MAP_ENTRY, allocation_size};
use crate::text::tokens::{Word, words};

const UNITS_FOR_RECORD: usize = 256;

/// Facts, indexed for any number of statements.
#[derive(Debug)]
pub struct Index<'a> {
    facts: Facts<'a>,
    by_name: BTreeMap<String, Vec<RecordId>>,
    /// The first occurrence of each log line, by [`repeated_lines::key`].
    pub(super) lines: BTreeMap<String, Location>,
}

impl<'a> Index<'a> {
    /// Indexes facts. The index is incomplete if the budget is exhausted.
    #[must_use]
    pub fn new(facts: Facts<'a>, budget: &Budget) -> Self {
        let mut by_name: BTreeMap<String, Vec<RecordId>> = BTreeMap::new();
        for (id, record) in facts.records() {
            let form = facts.group(record.group).map(|group| group.form);
            if !budget.spend(UNITS_FOR_RECORD) {
                break;
            }
            if form == Some(Form::Diff) {
                continue;
            }
            if let Some(name) = record_name(id, &facts) {
                let name = name.text.to_lowercase();
                let entry = MAP_ENTRY
                    + allocation_size(name.len())
                    + allocation_size(4 * size_of::<RecordId>());
                let is_known = by_name.contains_key(&name);
                if !budget.allocate(if is_known { size_of::<RecordId>() } else { entry }) {
                    break;
                }
                by_name.entry(name).or_default().push(id);
            }
        }
        let lines = repeated_lines::index_lines(&facts, budget);
        Self { facts, by_name, lines }
    }

    /// Returns the indexed facts.
    #[must_use]
    pub const fn facts(&self) -> &Facts<'a> {
        &self.facts
    }

    /// Returns the words in a text that name entities, each with the number of records that it names.
    #[must_use]
    pub fn entities<'t>(&self, text: &'t str) -> Vec<(&'t str, usize)> {
        let records = |word: Word<'t>| (word.text, self.records_named(word.text).len());
        words(text).map(records).filter(|(_, records)| *records > 0).collect()
    }

    pub(super) fn records_named(&self, name: &str) -> &[RecordId] {
        self.by_name.get(&name.to_lowercase()).map_or(&[], Vec::as_slice)
    }
}
