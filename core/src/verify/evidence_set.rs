//! This module holds the evidence of one verification: items by id, and what is computed of each at most once.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::OnceLock;

use gsar_extraction::facts::{Facts, Item};
use gsar_extraction::rules::Index;

use super::bearing::stems;
use super::context::sentence_around;
use super::documents::{Documents, Field};
use super::escapes::without_escapes;
use super::minutes::Minutes;
use super::opinion::Opinion;
use super::quotes::Canonical;
use crate::claim::Claim;
use crate::evidence::{EvidenceId, EvidenceItem};
use crate::text::figures::{Figures, figures};
use crate::text::fold::Folded;

/// The evidence items of a request, by id. Of items that share an id the first counts.
#[derive(Clone, Debug)]
pub struct EvidenceSet<'a> {
    items: &'a [EvidenceItem],
    by_id: Vec<(&'a EvidenceId, usize)>,
    report: &'a str,
    opinions: &'a [Opinion],
    indexes: Indexes<'a>,
}

/// The facts of each item, prepared for rules when they are first asked about it.
type Indexes<'a> = Arc<[OnceLock<Index<'a>>]>;

impl<'a> EvidenceSet<'a> {
    /// Indexes the items.
    #[must_use]
    pub fn new(items: &'a [EvidenceItem]) -> Self {
        let mut by_id: Vec<_> = items.iter().enumerate().map(|(at, item)| (&item.id, at)).collect();
        by_id.sort_unstable();
        let indexes = items.iter().map(|_| OnceLock::new()).collect();
        Self { items, by_id, report: "", opinions: &[], indexes }
    }

    /// With the report, in whose sentences claims that are parts of one are read.
    #[must_use]
    pub fn with_report(self, report: &'a str) -> Self {
        Self { report, ..self }
    }

    /// With what a second judge finds of claims.
    #[must_use]
    pub fn with_opinions(self, opinions: &'a [Opinion]) -> Self {
        Self { opinions, ..self }
    }

    pub(super) const fn opinions(&self) -> &'a [Opinion] {
        self.opinions
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
    pub(super) fn position(&self, id: &EvidenceId) -> Option<usize> {
        let from = self.by_id.partition_point(|(known, _)| *known < id);
        self.by_id.get(from).filter(|(known, _)| *known == id).map(|(_, position)| *position)
    }
}

/// What verification computes of items, each at most once.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    items: &'a [EvidenceItem],
    report: &'a str,
    indexes: Indexes<'a>,
    read: BTreeMap<usize, Reading<'a>>,
    /// How many bytes may still be searched for quotes that do not stand there as they are. Beyond, such
    /// quotes count as not found, so that a flood of forged quotes costs a bounded time.
    search_budget: usize,
}

/// The bytes of all slow searches of one verification: enough for some thousand in items of ordinary size.
const SEARCH_BUDGET: usize = 64 << 20;

#[derive(Debug, Default)]
struct Reading<'a> {
    folded: Option<Folded<'a>>,
    figures: Option<Figures>,
    asked: Option<[Figures; 2]>,
    stems: Option<Vec<u64>>,
    plain: Option<Option<String>>,
    canonical: Option<Canonical>,
    documents: Option<Documents<'a>>,
    minutes: Option<Minutes>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(evidence_set: &EvidenceSet<'a>) -> Self {
        Self {
            items: evidence_set.items,
            report: evidence_set.report,
            indexes: Arc::clone(&evidence_set.indexes),
            read: BTreeMap::new(),
            search_budget: SEARCH_BUDGET,
        }
    }

    /// The sentence of the report that a claim is a part of; nothing for a claim without a span.
    pub(super) fn sentence(&self, claim: &Claim) -> Option<&'a str> {
        sentence_around(self.report, claim.span.as_ref()?)
    }

    /// Takes a slow search of an item off the budget; whether it may be made.
    pub(super) fn may_search(&mut self, position: usize) -> bool {
        const MIN_COST: usize = 4_096;
        let cost = self.content(position).len().max(MIN_COST);
        let left = self.search_budget.checked_sub(cost);
        self.search_budget = left.unwrap_or(0);
        left.is_some()
    }

    /// The facts of an item, prepared for rules; none for an item that is too long.
    pub(super) fn index(&self, position: usize) -> Option<&Index<'a>> {
        const MAX_BYTES: usize = 1 << 20;
        let item = self.items.get(position)?;
        if item.content.as_str().len() > MAX_BYTES {
            return None;
        }
        let read = || Index::new(Facts::read([Item::from(item)]));
        Some(self.indexes.get(position)?.get_or_init(read))
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

    /// The content as it reads, without the escapes of JSON strings.
    pub(super) fn plain(&mut self, position: usize) -> &str {
        let content = self.content(position);
        let read = || without_escapes(content);
        self.read
            .entry(position)
            .or_default()
            .plain
            .get_or_insert_with(read)
            .as_deref()
            .unwrap_or(content)
    }

    /// The figures of the content as it reads.
    pub(super) fn figures(&mut self, position: usize) -> &Figures {
        if self.read.get(&position).is_none_or(|reading| reading.figures.is_none()) {
            let read = figures(self.plain(position));
            self.read.entry(position).or_default().figures = Some(read);
        }
        self.read.entry(position).or_default().figures.get_or_insert_default()
    }

    /// The figures of the tool line and of the query.
    pub(super) fn figures_asked_for(&mut self, position: usize) -> &[Figures; 2] {
        let item = self.item(position);
        let read =
            |text: fn(&EvidenceItem) -> &str| item.map(text).map(figures).unwrap_or_default();
        let asked = || [read(|item| &item.tool), read(|item| &item.query)];
        self.read.entry(position).or_default().asked.get_or_insert_with(asked)
    }

    /// The stems, as hashes, of the words of the content, the tool line and the query, in order.
    pub(super) fn stems(&mut self, position: usize) -> &[u64] {
        if self.read.get(&position).is_none_or(|reading| reading.stems.is_none()) {
            let item = self.item(position);
            let asked = item.map(|item| [item.tool.as_str(), &item.query]);
            let mut read: Vec<u64> = asked.into_iter().flatten().flat_map(stems).collect();
            read.extend(stems(self.plain(position)));
            read.sort_unstable();
            read.dedup();
            self.read.entry(position).or_default().stems = Some(read);
        }
        self.read.entry(position).or_default().stems.get_or_insert_default()
    }

    /// The content in canonical form.
    pub(super) fn canonical(&mut self, position: usize) -> &Canonical {
        let content = self.content(position);
        let read = || Canonical::of(content);
        self.read.entry(position).or_default().canonical.get_or_insert_with(read)
    }

    /// The minutes of the day in the content, the tool line and the query.
    pub(super) fn minutes(&mut self, position: usize) -> &Minutes {
        if self.read.get(&position).is_none_or(|reading| reading.minutes.is_none()) {
            let item = self.item(position);
            let [tool, query] =
                item.map(|item| [item.tool.as_str(), item.query.as_str()]).unwrap_or_default();
            let read = Minutes::of(&[self.plain(position), tool, query].join("\n"));
            self.read.entry(position).or_default().minutes = Some(read);
        }
        self.read.entry(position).or_default().minutes.get_or_insert_default()
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
