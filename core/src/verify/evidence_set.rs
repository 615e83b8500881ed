//! The evidence items, indexed by id, with lazily computed views of their content.

use std::collections::BTreeMap;

use super::documents::{Documents, Field};
use super::quotes::{Canonical, as_printed};
use crate::budget::Budget;
use crate::evidence::{EvidenceId, EvidenceItem};
use crate::ids::ClaimId;
use crate::second_look::SecondLookResult;
use crate::text::fold::Folded;

/// The evidence items of a request, indexed by id. If several items have the same id, the first one wins.
#[derive(Clone, Debug)]
pub struct EvidenceSet<'a> {
    items: &'a [EvidenceItem],
    by_id: Vec<(&'a EvidenceId, usize)>,
    second_looks: BTreeMap<&'a ClaimId, &'a SecondLookResult>,
    budget: Budget,
}

impl<'a> EvidenceSet<'a> {
    /// Creates an index.
    #[must_use]
    pub fn new(items: &'a [EvidenceItem]) -> Self {
        let mut by_id: Vec<_> =
            items.iter().enumerate().map(|(index, item)| (&item.id, index)).collect();
        by_id.sort_unstable();
        Self { items, by_id, second_looks: BTreeMap::new(), budget: Budget::unlimited() }
    }

    /// Adds the verdicts from the second look. If there are several verdicts on a claim, the first one wins.
    #[must_use]
    pub fn with_second_looks(self, second_looks: &'a [SecondLookResult]) -> Self {
        // Collecting in reverse order keeps the first of several verdicts.
        let by_claim = second_looks.iter().rev().map(|result| (&result.claim, result));
        Self { second_looks: by_claim.collect(), ..self }
    }

    /// Sets the search budget. Discard the results if it is exceeded.
    #[must_use]
    pub fn with_budget(self, budget: &Budget) -> Self {
        Self { budget: budget.clone(), ..self }
    }

    pub(crate) fn spend(&self, units: usize) -> bool {
        self.budget.spend(units)
    }

    pub(super) fn second_look(&self, claim: &ClaimId) -> Option<&'a SecondLookResult> {
        self.second_looks.get(claim).copied()
    }

    /// Finds an item by id.
    #[must_use]
    pub fn item(&self, id: &EvidenceId) -> Option<&'a EvidenceItem> {
        self.position(id).and_then(|position| self.items.get(position))
    }

    /// All items, in input order.
    #[must_use]
    pub fn items(&self) -> &'a [EvidenceItem] {
        self.items
    }

    pub(crate) fn position(&self, id: &EvidenceId) -> Option<usize> {
        let index = self.by_id.partition_point(|(item_id, _)| *item_id < id);
        self.by_id.get(index).filter(|(item_id, _)| *item_id == id).map(|(_, position)| *position)
    }
}

#[derive(Debug)]
pub(super) struct Sources<'a> {
    items: &'a [EvidenceItem],
    cache: BTreeMap<usize, ItemViews<'a>>,
    /// The number of bytes that slow searches may still scan. It bounds the time that forged quotes take.
    search_budget: usize,
    budget: Budget,
}

/// The number of bytes that slow searches may scan per verification, which is enough for several thousand items.
const SEARCH_BUDGET: usize = 64 << 20;

#[derive(Debug, Default)]
struct ItemViews<'a> {
    folded: Option<Folded<'a>>,
    canonical: Option<Canonical>,
    /// The text as it was printed; `Some(None)` if it equals the content.
    printed: Option<Option<Canonical>>,
    documents: Option<Documents<'a>>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(evidence_set: &EvidenceSet<'a>) -> Self {
        Self {
            items: evidence_set.items,
            cache: BTreeMap::new(),
            search_budget: SEARCH_BUDGET,
            budget: evidence_set.budget.clone(),
        }
    }

    /// Spends budget on an exact search in an item. Returns `false` if the budget is exceeded.
    pub(super) fn may_scan(&self, position: usize) -> bool {
        const BYTES_PER_UNIT: usize = 32;
        self.budget.spend(self.content(position).len() / BYTES_PER_UNIT)
    }

    /// Spends budget on a slow search in an item. Returns `false` if the budget is exceeded.
    pub(super) fn may_search(&mut self, position: usize) -> bool {
        const MIN_COST: usize = 4_096;
        let cost = self.content(position).len().max(MIN_COST);
        let remaining = self.search_budget.checked_sub(cost);
        self.search_budget = remaining.unwrap_or(0);
        remaining.is_some() && self.budget.spend(cost)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn item(&self, position: usize) -> Option<&'a EvidenceItem> {
        self.items.get(position)
    }

    /// The content of an item; empty if there is no item at this position.
    pub(super) fn content(&self, position: usize) -> &'a str {
        self.item(position).map_or("", |item| item.content.as_str())
    }

    pub(super) fn folded(&mut self, position: usize) -> &Folded<'a> {
        let content = self.content(position);
        self.cache.entry(position).or_default().folded.get_or_insert_with(|| Folded::new(content))
    }

    pub(super) fn canonical(&mut self, position: usize) -> &Canonical {
        let content = self.content(position);
        let compute = || Canonical::new(content);
        self.cache.entry(position).or_default().canonical.get_or_insert_with(compute)
    }

    /// The text as it was printed, in canonical form; `None` if it equals the content.
    pub(super) fn printed(&mut self, position: usize) -> Option<&Canonical> {
        let content = self.content(position);
        let compute = || as_printed(content).map(|printed| Canonical::from_traced(&printed));
        self.cache.entry(position).or_default().printed.get_or_insert_with(compute).as_ref()
    }

    pub(super) fn fields(&mut self, position: usize, pointer: &str) -> Vec<Field> {
        let content = self.content(position);
        if !self.may_search(position) {
            return Vec::new();
        }
        let parse = || Documents::parse(content);
        self.cache.entry(position).or_default().documents.get_or_insert_with(parse).fields(pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{json, tool};
    use super::*;

    #[test]
    fn finds_items_by_id_and_fields_by_pointer() {
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
