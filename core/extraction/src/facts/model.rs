//! The data model for extracted facts.

use core::ops::Range;
use std::borrow::Cow;

use crate::text::figures::{ClockTime, Decimal, Dimension, Figure, Unit, figures};

/// An evidence item to extract facts from.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The tool, possibly with arguments: `kubectl get pods -n shop`. Empty if unknown.
    pub tool: &'a str,
    /// The query sent to the tool. Empty if unknown.
    pub query: &'a str,
    /// The tool's output.
    pub content: &'a str,
    /// `true` if the content is the complete result of the query.
    pub exhaustive: bool,
}

/// The index of an item in input order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemId(pub usize);

/// The index of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(pub usize);

/// The index of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordId(pub usize);

/// The kind of records in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Log lines in text order.
    Lines,
    /// Clauses or key-value runs in a line.
    Clauses,
    /// Table rows, or similar objects in a list.
    Rows,
    /// A single object, section or document.
    Object,
    /// Samples in a time series.
    Series,
    /// Lines from a diff. The last part of an attribute is `before`, `after` or `unchanged`.
    Diff,
}

/// Related records.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The item that contains the records.
    pub item: ItemId,
    /// The kind of the records.
    pub form: Form,
    /// The context that applies to all records: the command, a title, a heading, the key of the list.
    pub scope: Vec<Cow<'a, str>>,
    /// `true` if the item shows that no record in this scope is missing.
    pub complete: bool,
    /// The records in text order.
    pub records: Vec<RecordId>,
}

/// A statement about a subject.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The group that contains the record.
    pub group: GroupId,
    /// A preceding record whose cells also apply to this one.
    pub parent: Option<RecordId>,
    /// The byte range in the item's content.
    pub span: Range<usize>,
    /// The keys above the record, outermost first: `items`, `cart-1` in `{"items": {"cart-1": {…}}}`.
    pub path: Vec<Cow<'a, str>>,
    /// The time of the event, if stated.
    pub time: Option<ClockTime>,
    /// The attributes and values.
    pub cells: Vec<Cell<'a>>,
}

/// An attribute and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The attribute: a column name, a key, or a path of keys below the record's key. Empty for prose.
    pub attribute: Vec<Cow<'a, str>>,
    /// The value, unescaped.
    pub text: Cow<'a, str>,
    /// The value's byte range in the item's content, before unescaping.
    pub span: Range<usize>,
}

impl Cell<'_> {
    /// Returns the figure if it is the whole value. A bare number takes its unit from the attribute's name.
    #[must_use]
    pub fn figure(&self) -> Option<Figure> {
        if let Some(figure) = self.thousandths() {
            return Some(figure);
        }
        let mut figures = figures(&self.text).figures.into_iter();
        let (figure, None) = (figures.next()?, figures.next()) else { return None };
        if figure.span != (0..self.text.len()) {
            return None;
        }
        let named_unit = self.attribute.last().and_then(|name| unit_of(name));
        match named_unit.filter(|_| figure.unit.dimension == Dimension::Count) {
            Some(unit) => Some(Figure { unit, ..figure }),
            None => Some(figure),
        }
    }

    /// Parses a Kubernetes quantity in thousandths: `cpu: 1500m`, `memory: 128974848000m`.
    fn thousandths(&self) -> Option<Figure> {
        let mantissa: i128 = self.text.strip_suffix('m')?.parse().ok()?;
        let has_key = |names: &[&str]| {
            self.attribute.iter().any(|key| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
        };
        let (unit, places) = if has_key(&["cpu"]) {
            (Unit::MILLICORES, 0)
        } else if has_key(&["memory", "storage", "ephemeral-storage"]) {
            (Unit::from_name("B")?, 3)
        } else {
            return None;
        };
        let value = Decimal { mantissa, places };
        let span = 0..self.text.len();
        Some(Figure { span, value, unit, approximate: false, comparator: None })
    }

    /// Returns the time if it is the whole value.
    #[must_use]
    pub fn time(&self) -> Option<ClockTime> {
        let mut times = figures(&self.text).times.into_iter();
        let (time, None) = (times.next()?, times.next()) else { return None };
        (time.span == (0..self.text.len())).then_some(time)
    }
}

fn unit_of(name: &str) -> Option<Unit> {
    let in_brackets = || {
        let inner = name.strip_suffix([')', ']'])?;
        let (_, unit) = inner.rsplit_once(['(', '['])?;
        Unit::from_name(unit.trim())
    };
    Unit::from_field_name(name).or_else(in_brackets)
}

/// The facts in all items.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) groups: Vec<Group<'a>>,
    pub(super) records: Vec<Record<'a>>,
}

/// A cell and its context.
#[derive(Clone, Copy, Debug)]
pub struct Fact<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The cell.
    pub cell: &'f Cell<'a>,
    /// The record that contains the cell.
    pub record: RecordId,
}

impl<'a> Facts<'a> {
    /// Returns the items in input order.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        &self.items
    }

    /// Returns an item.
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<&Item<'a>> {
        self.items.get(id.0)
    }

    /// Returns all groups in item order.
    #[must_use]
    pub fn groups(&self) -> &[Group<'a>] {
        &self.groups
    }

    /// Returns a group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<&Group<'a>> {
        self.groups.get(id.0)
    }

    /// Iterates over all records in item order, with their ids.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record<'a>)> {
        self.records.iter().enumerate().map(|(index, record)| (RecordId(index), record))
    }

    /// Returns a record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> Option<&Record<'a>> {
        self.records.get(id.0)
    }

    /// Iterates over a record and its ancestors, innermost first.
    pub fn with_parents(&self, id: RecordId) -> impl Iterator<Item = &Record<'a>> {
        core::iter::successors(self.record(id), |record| self.record(record.parent?))
    }

    /// Returns the time of a record or of its nearest ancestor with a time.
    #[must_use]
    pub fn time_of(&self, id: RecordId) -> Option<&ClockTime> {
        self.with_parents(id).find_map(|record| record.time.as_ref())
    }

    /// Returns the item that contains a record.
    #[must_use]
    pub fn item_of(&self, id: RecordId) -> Option<ItemId> {
        self.record(id).and_then(|record| self.group(record.group)).map(|group| group.item)
    }

    /// Iterates over all cells with their context.
    pub fn facts(&self) -> impl Iterator<Item = Fact<'_, 'a>> {
        self.records().flat_map(move |(id, record)| {
            record.cells.iter().map(move |cell| Fact { facts: self, cell, record: id })
        })
    }
}

impl<'f, 'a> Fact<'f, 'a> {
    /// Returns the cell's attribute.
    #[must_use]
    pub fn attribute(&self) -> &'f [Cow<'a, str>] {
        &self.cell.attribute
    }

    /// Iterates over the subject's names: the record's other values and keys, followed by those of its ancestors.
    pub fn subject(&self) -> impl Iterator<Item = &'f str> {
        let cell_of_fact = self.cell;
        self.facts.with_parents(self.record).flat_map(move |record| {
            let other_cells =
                record.cells.iter().filter(move |cell| !core::ptr::eq(*cell, cell_of_fact));
            other_cells.map(|cell| &*cell.text).chain(record.path.iter().map(|key| &**key))
        })
    }
}
