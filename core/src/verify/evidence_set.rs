//! This module holds the evidence of one verification: items by id, and what is computed of each at most once.

use std::collections::BTreeMap;

use super::documents::{Documents, Field};
use super::quotes::{Canonical, readable};
use crate::budget::Budget;
use crate::claim::ClaimId;
use crate::evidence::{EvidenceId, EvidenceItem};
use crate::second_look::Reading;
use crate::text::fold::Folded;

/// The evidence items of a request, by id. Of items that share an id the first counts.
#[derive(Clone, Debug)]
pub struct EvidenceSet<'a> {
    items: &'a [EvidenceItem],
    by_id: Vec<(&'a EvidenceId, usize)>,
    readings: BTreeMap<&'a ClaimId, &'a Reading>,
    budget: Budget,
}

impl<'a> EvidenceSet<'a> {
    /// Indexes the items.
    #[must_use]
    pub fn new(items: &'a [EvidenceItem]) -> Self {
        let mut by_id: Vec<_> = items.iter().enumerate().map(|(at, item)| (&item.id, at)).collect();
        by_id.sort_unstable();
        Self { items, by_id, readings: BTreeMap::new(), budget: Budget::unlimited() }
    }

    /// With what a second reader made of claims. Of readings of one claim the first counts.
    #[must_use]
    pub fn with_readings(self, readings: &'a [Reading]) -> Self {
        // Of entries with one key a map keeps the last.
        let by_claim = readings.iter().rev().map(|reading| (&reading.claim, reading));
        Self { readings: by_claim.collect(), ..self }
    }

    /// With what searching it may cost; what is found where it is stopped is not to be used.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        Self { budget: budget.clone(), ..self }
    }

    /// Whether to go on after that many units of work.
    pub(crate) fn may_go_on(&self, units: usize) -> bool {
        self.budget.spend(units)
    }

    /// What a second reader made of a claim.
    pub(super) fn reading(&self, claim: &ClaimId) -> Option<&'a Reading> {
        self.readings.get(claim).copied()
    }

    /// The item of that id.
    #[must_use]
    pub fn item(&self, id: &EvidenceId) -> Option<&'a EvidenceItem> {
        self.position(id).and_then(|position| self.items.get(position))
    }

    /// Every item, in the order given.
    #[must_use]
    pub fn items(&self) -> &'a [EvidenceItem] {
        self.items
    }

    /// The place of the item of an id, from 0 in the order given.
    pub(crate) fn position(&self, id: &EvidenceId) -> Option<usize> {
        let from = self.by_id.partition_point(|(known, _)| *known < id);
        self.by_id.get(from).filter(|(known, _)| *known == id).map(|(_, position)| *position)
    }
}

/// What verification computes of items, each at most once.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    items: &'a [EvidenceItem],
    read: BTreeMap<usize, Prepared<'a>>,
    /// How many bytes may still be searched for quotes that do not stand there as they are. Beyond, such
    /// quotes count as not found, so that a flood of forged quotes costs a bounded time.
    search_budget: usize,
    budget: Budget,
}

/// The bytes of all slow searches of one verification: enough for some thousand in items of ordinary size.
const SEARCH_BUDGET: usize = 64 << 20;

#[derive(Debug, Default)]
struct Prepared<'a> {
    folded: Option<Folded<'a>>,
    canonical: Option<Canonical>,
    /// As it was printed; `None` in it where that is how it stands there.
    printed: Option<Option<Canonical>>,
    documents: Option<Documents<'a>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(evidence_set: &EvidenceSet<'a>) -> Self {
        Self {
            items: evidence_set.items,
            read: BTreeMap::new(),
            search_budget: SEARCH_BUDGET,
            budget: evidence_set.budget.clone(),
        }
    }

    /// Whether the whole of an item may be searched for a quote as it is, many bytes at a time.
    pub(super) fn may_scan(&self, position: usize) -> bool {
        const BYTES_PER_UNIT: usize = 32;
        self.budget.spend(self.content(position).len() / BYTES_PER_UNIT)
    }

    /// Takes a slow search of an item off the budget; whether it may be made.
    pub(super) fn may_search(&mut self, position: usize) -> bool {
        const MIN_COST: usize = 4_096;
        let cost = self.content(position).len().max(MIN_COST);
        let left = self.search_budget.checked_sub(cost);
        self.search_budget = left.unwrap_or(0);
        left.is_some() && self.budget.spend(cost)
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The item at a place.
    pub(super) fn item(&self, position: usize) -> Option<&'a EvidenceItem> {
        self.items.get(position)
    }

    /// The content of the item at a place; empty beyond the last.
    pub(super) fn content(&self, position: usize) -> &'a str {
        self.item(position).map_or("", |item| item.content.as_str())
    }

    /// The folded content of the item at a place.
    pub(super) fn folded(&mut self, position: usize) -> &Folded<'a> {
        let content = self.content(position);
        self.read.entry(position).or_default().folded.get_or_insert_with(|| Folded::new(content))
    }

    /// The content in canonical form.
    pub(super) fn canonical(&mut self, position: usize) -> &Canonical {
        let content = self.content(position);
        let read = || Canonical::of(content);
        self.read.entry(position).or_default().canonical.get_or_insert_with(read)
    }

    /// The content as it was printed, in canonical form; nothing where that is how it stands there.
    pub(super) fn printed(&mut self, position: usize) -> Option<&Canonical> {
        let content = self.content(position);
        let read = || readable(content).map(|printed| Canonical::of_traced(&printed));
        self.read.entry(position).or_default().printed.get_or_insert_with(read).as_ref()
    }

    /// Everything that a JSON pointer points at in the documents of an item.
    pub(super) fn fields(&mut self, position: usize, pointer: &str) -> Vec<Field> {
        let content = self.content(position);
        if !self.may_search(position) {
            return Vec::new();
        }
        let read = || Documents::of(content);
        self.read.entry(position).or_default().documents.get_or_insert_with(read).fields(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{json, tool};
    use super::*;

    #[test]
    fn items_are_found_by_id_and_fields_by_pointer() {
        let items = [tool("e2", "x"), json("e1", r#"{"a": [{"b": "c\nd"}, 5]}"#)];
        let evidence_set = EvidenceSet::new(&items);
        assert_eq!(evidence_set.item(&items[1].id), Some(&items[1]));
        assert_eq!(evidence_set.item(&EvidenceId::new("e3").unwrap()), None);
        let mut sources = Sources::new(&evidence_set);
        let mut texts = |position, pointer: &str| -> Vec<String> {
            sources.fields(position, pointer).into_iter().map(|field| field.text).collect()
        };
        assert_eq!(texts(1, "/a/0/b"), ["c\nd"]);
        assert_eq!(texts(1, "/a/1"), ["5"]);
        assert!(texts(1, "/a/2").is_empty());
        assert!(texts(0, "/a").is_empty());
    }
}
