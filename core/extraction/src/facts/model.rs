//! This module has the types that evidence is read into. It reads nothing itself.

use core::ops::Range;
use std::borrow::Cow;

use crate::text::figures::{ClockTime, Decimal, Dimension, Figure, Unit, figures};

/// A piece of evidence as it is read.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// What answered, perhaps with its arguments: `kubectl get pods -n shop`; empty where unknown.
    pub tool: &'a str,
    /// What was asked of it; empty where unknown.
    pub query: &'a str,
    /// What it answered.
    pub content: &'a str,
    /// Whether the content is all there is to that question.
    pub exhaustive: bool,
}

/// The place of an item among those that were handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemId(pub usize);

/// The place of a group among all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupId(pub usize);

/// The place of a record among all records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordId(pub usize);

/// What the records of a group are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines of a log, in the order in which they were written.
    Lines,
    /// Clauses or runs of one line.
    Clauses,
    /// Rows of a table, or like objects of a list.
    Rows,
    /// One object, section or document.
    Object,
    /// Samples of one series, by time.
    Series,
    /// Lines taken away and put in by a change, and those beside them that stay. The last name of a value's attribute
    /// is `before`, `after` or `unchanged`.
    Diff,
}

/// Records that belong together.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    /// The item in which they stand.
    pub item: ItemId,
    /// What they are.
    pub form: Form,
    /// What is said above them and holds for all: the command, a title, a heading, the key of the list.
    pub scope: Vec<Cow<'a, str>>,
    /// Whether they are all there is within that scope, as far as the item says.
    pub complete: bool,
    /// The records, in the order in which they stand.
    pub records: Vec<RecordId>,
}

/// One thing said of one subject.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The group to which it belongs.
    pub group: GroupId,
    /// What holds for it as well; stands before it.
    pub parent: Option<RecordId>,
    /// Its bytes in the content of its item.
    pub span: Range<usize>,
    /// Keys under which it stands, outermost first: `items`, `cart-1` of `{"items": {"cart-1": {…}}}`.
    pub path: Vec<Cow<'a, str>>,
    /// When it is said to have happened.
    pub at: Option<ClockTime>,
    /// What it says.
    pub cells: Vec<Cell<'a>>,
}

/// An attribute with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The attribute: a column, a key, the keys below the record's own; empty for prose.
    pub attribute: Vec<Cow<'a, str>>,
    /// The value as it reads, escapes undone.
    pub text: Cow<'a, str>,
    /// The bytes of the value in the content of its item, as written.
    pub span: Range<usize>,
}

impl Cell<'_> {
    /// The figure, where the value is one figure and nothing else; the attribute's name gives a bare number its unit.
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

    /// A quantity as Kubernetes writes thousandths of it: `cpu: 1500m`, `memory: 128974848000m`.
    fn thousandths(&self) -> Option<Figure> {
        let mantissa: i128 = self.text.strip_suffix('m')?.parse().ok()?;
        let is_of = |names: &[&str]| {
            self.attribute.iter().any(|key| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
        };
        let (unit, places) = if is_of(&["cpu"]) {
            (Unit::MILLICORES, 0)
        } else if is_of(&["memory", "storage", "ephemeral-storage"]) {
            (Unit::named("B")?, 3)
        } else {
            return None;
        };
        let value = Decimal { mantissa, places };
        let span = 0..self.text.len();
        Some(Figure { span, value, unit, approximate: false, comparator: None })
    }

    /// The time, where the value is one time and nothing else.
    #[must_use]
    pub fn time(&self) -> Option<ClockTime> {
        let mut times = figures(&self.text).times.into_iter();
        let (time, None) = (times.next()?, times.next()) else { return None };
        (time.span == (0..self.text.len())).then_some(time)
    }
}

/// The unit that a field's name ends in, or that stands in brackets behind a column's name: `latency (ms)`.
fn unit_of(name: &str) -> Option<Unit> {
    let in_brackets = || {
        let inner = name.strip_suffix([')', ']'])?;
        let (_, unit) = inner.rsplit_once(['(', '['])?;
        Unit::named(unit.trim())
    };
    Unit::of_field(name).or_else(in_brackets)
}

/// What all items together say.
#[derive(Clone, Debug, Default)]
pub struct Facts<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) groups: Vec<Group<'a>>,
    pub(super) records: Vec<Record<'a>>,
}

/// A cell with all that it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Fact<'f, 'a> {
    facts: &'f Facts<'a>,
    /// The attribute with its value.
    pub cell: &'f Cell<'a>,
    /// Whose it is.
    pub record: RecordId,
}

impl<'a> Facts<'a> {
    /// The items in the order in which they were handed in.
    #[must_use]
    pub fn items(&self) -> &[Item<'a>] {
        &self.items
    }

    /// An item.
    #[must_use]
    pub fn item(&self, id: ItemId) -> Option<&Item<'a>> {
        self.items.get(id.0)
    }

    /// All groups, in the order of items.
    #[must_use]
    pub fn groups(&self) -> &[Group<'a>] {
        &self.groups
    }

    /// A group.
    #[must_use]
    pub fn group(&self, id: GroupId) -> Option<&Group<'a>> {
        self.groups.get(id.0)
    }

    /// All records with their ids, in the order of items.
    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record<'a>)> {
        self.records.iter().enumerate().map(|(at, record)| (RecordId(at), record))
    }

    /// A record.
    #[must_use]
    pub fn record(&self, id: RecordId) -> Option<&Record<'a>> {
        self.records.get(id.0)
    }

    /// A record and, outwards, all that hold for it.
    pub fn with_parents(&self, id: RecordId) -> impl Iterator<Item = &Record<'a>> {
        core::iter::successors(self.record(id), |record| self.record(record.parent?))
    }

    /// When a record is said to have happened: its own time, else that of what holds for it.
    #[must_use]
    pub fn time_of(&self, id: RecordId) -> Option<&ClockTime> {
        self.with_parents(id).find_map(|record| record.at.as_ref())
    }

    /// The item in which a record stands.
    #[must_use]
    pub fn item_of(&self, id: RecordId) -> Option<ItemId> {
        self.record(id).and_then(|record| self.group(record.group)).map(|group| group.item)
    }

    /// Every cell with all that it stands in.
    pub fn facts(&self) -> impl Iterator<Item = Fact<'_, 'a>> {
        self.records().flat_map(move |(id, record)| {
            record.cells.iter().map(move |cell| Fact { facts: self, cell, record: id })
        })
    }
}

impl<'f, 'a> Fact<'f, 'a> {
    /// The attribute.
    #[must_use]
    pub fn attribute(&self) -> &'f [Cow<'a, str>] {
        &self.cell.attribute
    }

    /// Whose value it is: the other values and the keys of its record, then of all that hold for it.
    pub fn subject(&self) -> impl Iterator<Item = &'f str> {
        let own = self.cell;
        self.facts.with_parents(self.record).flat_map(move |record| {
            let others = record.cells.iter().filter(move |cell| !core::ptr::eq(*cell, own));
            others.map(|cell| &*cell.text).chain(record.path.iter().map(|key| &**key))
        })
    }
}
