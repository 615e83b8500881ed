//! The types that evidence is read into.

use core::ops::Range;
use std::borrow::Cow;

use crate::text::figures::{ClockTime, Decimal, Dimension, Figure, Unit, figures};

/// A piece of evidence.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The tool that answered, perhaps with its arguments: `kubectl get pods -n shop`; empty if unknown.
    pub tool: &'a str,
    /// The query sent to the tool; empty if unknown.
    pub query: &'a str,
    /// The answer of the tool.
    pub content: &'a str,
    /// `true` if the content is the complete answer to the query.
    pub exhaustive: bool,
}

/// The index of an item in the order of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemId(pub usize);

/// The index of a group among all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(pub usize);

/// The index of a record among all records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordId(pub usize);

/// The kind of records in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines of a log, in the order of the text.
    Lines,
    /// Clauses or runs of one line.
    Clauses,
    /// Rows of a table, or similar objects of a list.
    Rows,
    /// One object, section or document.
    Object,
    /// Samples of one series, by time.
    Series,
    /// Lines removed and added by a change, and the unchanged lines around them. The last name of a value's attribute
    /// is `before`, `after` or `unchanged`.
    Diff,
}

/// Records that belong together.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The item that contains them.
    pub item: ItemId,
    /// The kind of the records.
    pub form: Form,
    /// The text above them that applies to all: the command, a title, a heading, the key of the list.
    pub scope: Vec<Cow<'a, str>>,
    /// `true` if the item shows that no record of that scope is missing.
    pub complete: bool,
    /// The records, in the order of the text.
    pub records: Vec<RecordId>,
}

/// One statement about one subject.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The group that it belongs to.
    pub group: GroupId,
    /// A record that precedes it and whose cells also apply to it.
    pub parent: Option<RecordId>,
    /// Its bytes in the content of its item.
    pub span: Range<usize>,
    /// The keys above it, outermost first: `items`, `cart-1` of `{"items": {"cart-1": {…}}}`.
    pub path: Vec<Cow<'a, str>>,
    /// The time at which it happened, if stated.
    pub at: Option<ClockTime>,
    /// The attributes with their values.
    pub cells: Vec<Cell<'a>>,
}

/// An attribute with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The attribute: a column, a key, or the keys below the key of the record; empty for prose.
    pub attribute: Vec<Cow<'a, str>>,
    /// The value, unescaped.
    pub text: Cow<'a, str>,
    /// The bytes of the value in the content of its item, as written.
    pub span: Range<usize>,
}

impl Cell<'_> {
    /// Returns the figure if the value is exactly one figure; the name of the attribute gives a bare number its unit.
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
        let named = self.attribute.last().and_then(|name| unit_of(name));
        match named.filter(|_| figure.unit.dimension == Dimension::Count) {
            Some(unit) => Some(Figure { unit, ..figure }),
            None => Some(figure),
        }
    }

    /// Parses a quantity in thousandths, as Kubernetes writes it: `cpu: 1500m`, `memory: 128974848000m`.
    fn thousandths(&self) -> Option<Figure> {
        let mantissa: i128 = self.text.strip_suffix('m')?.parse().ok()?;
        let is_of = |names: &[&str]| {
            self.attribute.iter().any(|key| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
        };
        let (unit, places) = if is_of(&["cpu"]) {
            (Unit::MILLICORES, 0)
        } else if is_of(&["memory", "storage", "ephemeral-storage"]) {
            (Unit::from_name("B")?, 3)
        } else {
            return None;
        };
        let value = Decimal { mantissa, places };
        let span = 0..self.text.len();
        Some(Figure { span, value, unit, approximate: false, comparator: None })
    }

    /// Returns the time if the value is exactly one time.
    #[must_use]
    pub fn time(&self) -> Option<ClockTime> {
        let mut times = figures(&self.text).times.into_iter();
        let (time, None) = (times.next()?, times.next()) else { return None };
        (time.span == (0..self.text.len())).then_some(time)
    }
}

/// Returns the unit at the end of a field's name or in brackets after a column's name: `latency (ms)`.
fn unit_of(name: &str) -> Option<Unit> {
    let in_brackets = || {
        let inner = name.strip_suffix([')', ']'])?;
        let (_, unit) = inner.rsplit_once(['(', '['])?;
        Unit::from_name(unit.trim())
    };
    Unit::from_field_name(name).or_else(in_brackets)
}

/// The facts of all items.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) groups: Vec<Group<'a>>,
    pub(super) records: Vec<Record<'a>>,
}

/// A cell with its context.
#[derive(Clone, Copy, Debug)]
pub struct Fact<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The attribute with its value.
    pub cell: &'f Cell<'a>,
    /// The record that contains the cell.
    pub record: RecordId,
}

impl<'a> Facts<'a> {
    /// Returns the items in the order of input.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        &self.items
    }

    /// Returns an item.
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<&Item<'a>> {
        self.items.get(id.0)
    }

    /// Returns all groups, in the order of items.
    #[must_use]
    pub fn groups(&self) -> &[Group<'a>] {
        &self.groups
    }

    /// Returns a group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<&Group<'a>> {
        self.groups.get(id.0)
    }

    /// Returns all records with their ids, in the order of items.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record<'a>)> {
        self.records.iter().enumerate().map(|(at, record)| (RecordId(at), record))
    }

    /// Returns a record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> Option<&Record<'a>> {
        self.records.get(id.0)
    }

    /// Returns a record, its parent, and so on outwards.
    pub fn with_parents(&self, id: RecordId) -> impl Iterator<Item = &Record<'a>> {
        core::iter::successors(self.record(id), |record| self.record(record.parent?))
    }

    /// Returns the time of a record, or else of its nearest parent that has one.
    #[must_use]
    pub fn time_of(&self, id: RecordId) -> Option<&ClockTime> {
        self.with_parents(id).find_map(|record| record.at.as_ref())
    }

    /// Returns the item that contains a record.
    #[must_use]
    pub fn item_of(&self, id: RecordId) -> Option<ItemId> {
        self.record(id).and_then(|record| self.group(record.group)).map(|group| group.item)
    }

    /// Returns every cell with its context.
    pub fn facts(&self) -> impl Iterator<Item = Fact<'_, 'a>> {
        self.records().flat_map(move |(id, record)| {
            record.cells.iter().map(move |cell| Fact { facts: self, cell, record: id })
        })
    }
}

impl<'f, 'a> Fact<'f, 'a> {
    /// Returns the attribute of the cell.
    #[must_use]
    pub fn attribute(&self) -> &'f [Cow<'a, str>] {
        &self.cell.attribute
    }

    /// Returns the names of the subject: the other values and the keys of the record, then those of its parents.
    pub fn subject(&self) -> impl Iterator<Item = &'f str> {
        let own = self.cell;
        self.facts.with_parents(self.record).flat_map(move |record| {
            let others = record.cells.iter().filter(move |cell| !core::ptr::eq(*cell, own));
            others.map(|cell| &*cell.text).chain(record.path.iter().map(|key| &**key))
        })
    }
}
