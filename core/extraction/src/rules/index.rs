//! This module finds the records of a thing and the lines of a text. It decides nothing.

use std::collections::BTreeMap;

use super::Place;
use super::names::name_of;
use super::verbatim;
use crate::budget::Budget;
use crate::facts::{Facts, Form, RecordId};
use crate::memory::{MAP_ENTRY, of_bytes};
use crate::text::tokens::{Word, words};

/// What naming a record takes.
const UNITS_FOR_RECORD: usize = 256;

/// Facts, indexed once for any number of statements.
#[derive(Debug)]
pub struct Index<'a> {
    facts: Facts<'a>,
    /// The records of each thing, by its name in lower case.
    named: BTreeMap<String, Vec<RecordId>>,
    /// The first place of each line of a log, by its [`verbatim::key`].
    pub(super) lines: BTreeMap<String, Place>,
}

impl<'a> Index<'a> {
    /// Indexes facts. Not whole where the budget stops it.
    #[must_use]
    pub fn new(facts: Facts<'a>, budget: &Budget) -> Self {
        let mut named: BTreeMap<String, Vec<RecordId>> = BTreeMap::new();
        for (id, record) in facts.records() {
            let form = facts.group(record.group).map(|group| group.form);
            if !budget.spend(UNITS_FOR_RECORD) {
                break;
            }
            if form == Some(Form::Diff) {
                continue;
            }
            if let Some(name) = name_of(id, &facts) {
                let name = name.text.to_lowercase();
                let entry = MAP_ENTRY + of_bytes(name.len()) + of_bytes(4 * size_of::<RecordId>());
                let is_known = named.contains_key(&name);
                if !budget.allocate(if is_known { size_of::<RecordId>() } else { entry }) {
                    break;
                }
                named.entry(name).or_default().push(id);
            }
        }
        let lines = verbatim::lines(&facts, budget);
        Self { facts, named, lines }
    }

    /// The facts.
    #[must_use]
    pub const fn facts(&self) -> &Facts<'a> {
        &self.facts
    }

    /// The words of a text that name things, each with the number of its records.
    #[must_use]
    pub fn things<'t>(&self, text: &'t str) -> Vec<(&'t str, usize)> {
        let records = |word: Word<'t>| (word.text, self.named(word.text).len());
        words(text).map(records).filter(|(_, records)| *records > 0).collect()
    }

    /// The records of what is called so.
    pub(super) fn named(&self, name: &str) -> &[RecordId] {
        self.named.get(&name.to_lowercase()).map_or(&[], Vec::as_slice)
    }
}
