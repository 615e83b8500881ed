//! Collects facts during extraction.

use core::ops::Range;
use std::borrow::Cow;

use super::MAX_RECORDS;
use super::model::{Cell, Facts, Form, Group, GroupId, Item, ItemId, Record, RecordId};
use super::text::Text;
use crate::budget::Budget;
use crate::heap_size::{text_size, texts_size};
use crate::text::figures::ClockTime;

/// The cost, in budget units, of a record including its values.
const UNITS_FOR_RECORD: usize = 256;

pub(super) struct Builder<'a> {
    facts: Facts<'a>,
    budget: Budget,
}

impl<'a> Builder<'a> {
    pub(super) fn new(budget: &Budget) -> Self {
        Self { facts: Facts::default(), budget: budget.clone() }
    }

    pub(super) const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Spends budget for `bytes` of input. Returns `false` if extraction must stop.
    pub(super) fn can_continue(&self, bytes: usize) -> bool {
        self.budget.spend(bytes)
    }

    pub(super) fn add_item(&mut self, item: Item<'a>) -> ItemId {
        self.facts.items.push(item);
        ItemId(self.facts.items.len() - 1)
    }

    pub(super) fn add_group(
        &mut self,
        item: ItemId,
        form: Form,
        scope: Vec<Cow<'a, str>>,
        complete: bool,
    ) -> GroupId {
        self.budget.allocate(size_of::<Group<'a>>() + texts_size(&scope));
        self.facts.groups.push(Group { item, form, scope, complete, records: Vec::new() });
        GroupId(self.facts.groups.len() - 1)
    }

    /// Adds a record to a group. `path` contains the keys above the record, outermost first. If a limit on records,
    /// work or memory is reached, marks the group as incomplete and returns `None`.
    pub(super) fn add_record(
        &mut self,
        group: GroupId,
        parent: Option<RecordId>,
        path: Vec<Cow<'a, str>>,
        span: Range<usize>,
    ) -> Option<RecordId> {
        let id = RecordId(self.facts.records.len());
        let group_data = self.facts.groups.get_mut(group.0)?;
        let bytes = size_of::<Record<'a>>() + size_of::<RecordId>() + texts_size(&path);
        if id.0 >= MAX_RECORDS
            || !self.budget.spend(UNITS_FOR_RECORD)
            || !self.budget.allocate(bytes)
        {
            group_data.complete = false;
            return None;
        }
        group_data.records.push(id);
        let (time, cells) = (None, Vec::new());
        self.facts.records.push(Record { group, parent, span, path, time, cells });
        Some(id)
    }

    pub(super) fn set_time(&mut self, record: RecordId, time: ClockTime) {
        if let Some(record) = self.facts.records.get_mut(record.0) {
            record.time = Some(time);
        }
    }

    pub(super) fn mark_complete(&mut self, group: GroupId) {
        if let Some(group) = self.facts.groups.get_mut(group.0) {
            group.complete = true;
        }
    }

    pub(super) fn write_cell(
        &mut self,
        record: RecordId,
        attribute: Vec<Cow<'a, str>>,
        text: Text<'_, 'a>,
        value: Range<usize>,
    ) {
        self.push_cell(record, attribute, text.cow(value.clone()), text.span(value));
    }

    pub(super) fn reserve_cells(&mut self, record: RecordId, cells: usize) {
        if let Some(record) = self.facts.records.get_mut(record.0) {
            record.cells.reserve(cells);
        }
    }

    pub(super) fn push_cell(
        &mut self,
        record: RecordId,
        attribute: Vec<Cow<'a, str>>,
        text: Cow<'a, str>,
        span: Range<usize>,
    ) {
        let bytes = size_of::<Cell<'a>>() + texts_size(&attribute) + text_size(&text);
        if let Some(record) = self.facts.records.get_mut(record.0)
            && self.budget.allocate(bytes)
        {
            record.cells.push(Cell { attribute, text, span });
        }
    }

    pub(super) fn finish(self) -> Facts<'a> {
        self.facts
    }
}
