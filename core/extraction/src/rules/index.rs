//! This module finds the records that speak of a word. It decides nothing.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;
use std::sync::OnceLock;

use crate::facts::{Cell, Facts, GroupId, Record, RecordId};
use crate::lexicon::{LEXICON, Sign};
use crate::text::figures::{ClockTime, Dimension, Figure, Unit, figures};
use crate::text::tokens::{KeySet, Word, words};

/// Facts with the words of each record, prepared once for any number of claims.
#[derive(Debug)]
pub struct Index<'a> {
    facts: Facts<'a>,
    /// The sorted keys of all words of each record's own values, attributes and path.
    own: Vec<Vec<u64>>,
    /// The sorted keys of what holds for all records of each group: its scope, its tool, what was asked.
    scope: Vec<Vec<u64>>,
    scope_keys: Vec<KeySet>,
    postings: BTreeMap<u64, Vec<RecordId>>,
    /// What rules read off each record that a claim came near, kept for the claims that follow.
    read: Vec<OnceLock<ReadRecord>>,
}

#[derive(Debug)]
struct ReadRecord {
    cells: Vec<ReadCell>,
    /// The keys of what it stands under.
    path: Vec<u64>,
    /// What words of a claim may be found by in its cells, and under what it stands.
    keys: KeySet,
}

#[derive(Debug)]
struct ReadCell {
    words: Vec<ReadWord>,
    attribute: Vec<u64>,
    attribute_signs: Vec<Sign>,
    figures: Vec<Figure>,
    times: Vec<ClockTime>,
}

/// A word of a cell, with what it is compared by.
#[derive(Debug)]
pub(super) struct ReadWord {
    /// Its bytes in the text of the cell.
    pub(super) span: Range<usize>,
    /// [`Word::key`] of the word.
    pub(super) key: u64,
    /// [`Word::verb_key`] of the word.
    pub(super) verb: Option<u64>,
    pub(super) sign: Option<Sign>,
    /// The keys of the words that it is made of.
    pub(super) inner: Vec<u64>,
}

/// A cell as rules read it.
#[derive(Debug)]
pub(super) struct CellView<'f, 'a> {
    pub(super) cell: &'f Cell<'a>,
    pub(super) words: &'f [ReadWord],
    /// The keys of the attribute's words.
    pub(super) attribute: &'f [u64],
    pub(super) attribute_signs: &'f [Sign],
    pub(super) figures: Cow<'f, [Figure]>,
    pub(super) times: &'f [ClockTime],
    /// 0 for the record's own, more for those that hold for it as well.
    pub(super) depth: usize,
}

impl<'f> CellView<'f, '_> {
    /// Its words as written.
    pub(super) fn words(&self) -> impl Iterator<Item = Word<'f>> {
        let text = &*self.cell.text;
        self.words.iter().filter_map(move |word| {
            Some(Word { text: text.get(word.span.clone())?, span: word.span.clone() })
        })
    }

    /// Whether it says what was asked.
    pub(super) fn is_asked(&self) -> bool {
        self.attribute.iter().any(|key| LEXICON.is_asked(*key))
    }

    /// Whether it is one value and no prose.
    pub(super) fn is_value(&self) -> bool {
        !self.cell.attribute.is_empty()
    }
}

impl<'a> Index<'a> {
    /// Prepares facts.
    #[must_use]
    pub fn new(facts: Facts<'a>) -> Self {
        let mut postings: BTreeMap<u64, Vec<RecordId>> = BTreeMap::new();
        let mut own = Vec::with_capacity(facts.records().count());
        for (id, record) in facts.records() {
            let mut keys = Vec::new();
            for cell in &record.cells {
                for word in words(&cell.text) {
                    keys.push(word.key());
                    families(word.text, &mut keys);
                    keys.extend(inner_keys(word.text));
                }
                cell.attribute.iter().for_each(|name| attribute_keys(name, &mut keys));
            }
            record.path.iter().for_each(|name| attribute_keys(name, &mut keys));
            keys.sort_unstable();
            keys.dedup();
            for key in &keys {
                postings.entry(*key).or_default().push(id);
            }
            own.push(keys);
        }
        let scope = facts.groups().iter().map(|group| {
            let mut keys = Vec::new();
            group.scope.iter().for_each(|text| attribute_keys(text, &mut keys));
            if let Some(item) = facts.item(group.item) {
                attribute_keys(item.tool, &mut keys);
                attribute_keys(item.query, &mut keys);
            }
            keys.sort_unstable();
            keys.dedup();
            keys
        });
        let scope: Vec<Vec<u64>> = scope.collect();
        let scope_keys = scope.iter().map(|keys| keys.iter().copied().collect()).collect();
        let read = own.iter().map(|_| OnceLock::new()).collect();
        Self { facts, own, scope, scope_keys, postings, read }
    }

    /// The facts.
    #[must_use]
    pub const fn facts(&self) -> &Facts<'a> {
        &self.facts
    }

    /// The records whose own words have this one.
    pub(super) fn with_word(&self, key: u64) -> &[RecordId] {
        self.postings.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Whether a word is the whole of a value or of a key under which a record stands: a thing is called so.
    pub(super) fn is_named(&self, word: &Word<'_>) -> bool {
        self.with_word(word.key()).iter().filter_map(|id| self.facts.record(*id)).any(|record| {
            let values = record.cells.iter().map(|cell| &*cell.text);
            values
                .chain(record.path.iter().map(|key| &**key))
                .any(|text| text.eq_ignore_ascii_case(word.text))
        })
    }

    /// Whether a record, or what holds for it, has a word.
    pub(super) fn has(&self, record: RecordId, key: u64) -> bool {
        let own =
            |id: RecordId| self.own.get(id.0).is_some_and(|keys| keys.binary_search(&key).is_ok());
        let mut next = Some(record);
        while let Some(id) = next {
            if own(id) {
                return true;
            }
            next = self.facts.record(id).and_then(|record| record.parent);
        }
        self.facts.record(record).is_some_and(|record| self.scope_has(record.group, key))
    }

    /// Whether what holds for all records of a group has a word.
    pub(super) fn scope_has(&self, group: GroupId, key: u64) -> bool {
        self.scope.get(group.0).is_some_and(|keys| keys.binary_search(&key).is_ok())
    }

    /// The cells of a record and of what holds for it.
    pub(super) fn cells(&self, record: RecordId) -> Vec<CellView<'_, 'a>> {
        let mut views = Vec::new();
        for (depth, (id, record)) in self.with_parents(record).enumerate() {
            let read = self.read(id).map_or(&[][..], |read| &read.cells);
            views.extend(record.cells.iter().zip(read).map(|(cell, read)| CellView {
                cell,
                words: &read.words,
                attribute: &read.attribute,
                attribute_signs: &read.attribute_signs,
                figures: Cow::Borrowed(&read.figures),
                times: &read.times,
                depth,
            }));
        }
        give_units(&mut views);
        views
    }

    /// What words of a claim may be found by in a record and in what holds for it.
    pub(super) fn keys(&self, record: RecordId) -> KeySet {
        let of_group = |record: &Record<'_>| self.scope_keys.get(record.group.0).copied();
        let scope = self.facts.record(record).and_then(of_group).unwrap_or_default();
        let read = self.with_parents(record).filter_map(|(id, _)| self.read(id));
        read.map(|read| read.keys).fold(scope, KeySet::union)
    }

    /// Whether one of the keys under which a record, or what holds for it, stands is wanted.
    pub(super) fn path_has(&self, record: RecordId, is_wanted: impl Fn(u64) -> bool) -> bool {
        self.with_parents(record)
            .filter_map(|(id, _)| self.read(id))
            .any(|read| read.path.iter().any(|key| is_wanted(*key)))
    }

    /// A record and those that hold for it, the nearest first.
    fn with_parents(&self, record: RecordId) -> impl Iterator<Item = (RecordId, &Record<'a>)> {
        let of = |id: RecordId| Some((id, self.facts.record(id)?));
        core::iter::successors(of(record), move |(_, record)| of(record.parent?))
    }

    fn read(&self, id: RecordId) -> Option<&ReadRecord> {
        let record = self.facts.record(id)?;
        Some(self.read.get(id.0)?.get_or_init(|| ReadRecord::of(record)))
    }
}

/// The keys of the names that a name begins with: `payment-service` of `payment-service-7d9f8c4b-xk2p9`.
fn families(name: &str, keys: &mut Vec<u64>) {
    const MAX_PARTS: usize = 6;
    let cuts = name.match_indices('-').map(|(at, _)| at).filter(|at| *at > 0).take(MAX_PARTS);
    for family in cuts.chain([unnumbered(name).len()]).filter_map(|at| name.get(..at)) {
        keys.extend(words(family).map(|word| word.key()));
    }
}

/// A name without the number at its end: `dbservice` of `dbservice2`.
fn unnumbered(name: &str) -> &str {
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.trim_end_matches(|c: char| c.is_ascii_digit())
    } else {
        name
    }
}

/// Whether a name is that of a member of a family: `payment-service-7d9f8c4b-xk2p9` of `payment-service`,
/// `dbservice2` of `dbservice`.
pub(super) fn is_of_family(name: &str, family: &str) -> bool {
    let begins = name.get(..family.len()).is_some_and(|start| start.eq_ignore_ascii_case(family));
    begins
        && (name.get(family.len()..).is_some_and(|rest| rest.starts_with('-'))
            || unnumbered(name).len() == family.len())
}

/// The keys of the words that a name is made of: `docker_memory_usage_pct`, `system.disk.used`.
pub(super) fn inner_keys(name: &str) -> impl Iterator<Item = u64> {
    let is_made =
        name.contains('_') || name.contains('.') && !name.contains('-') && !name.contains(':');
    let is_name = is_made && name.starts_with(|c: char| c.is_ascii_alphabetic());
    let inner = is_name.then(|| parts(name).flat_map(words)).into_iter().flatten();
    inner.map(|word| word.key())
}

/// Gives bare figures the unit that stands beside or above them: `"unit": "Seconds", "values": [1.25, 1.31]`.
fn give_units(views: &mut [CellView<'_, '_>]) {
    let is_unit = |view: &&CellView<'_, '_>| {
        let last = view.cell.attribute.last();
        last.is_some_and(|name| name.eq_ignore_ascii_case("unit"))
    };
    let mut units = views.iter().filter(is_unit).map(|view| Unit::named(view.cell.text.trim()));
    let (Some(Some(unit)), None) = (units.next(), units.next()) else { return };
    for view in views.iter_mut().filter(|view| {
        let last = view.cell.attribute.last();
        last.is_some_and(|name| {
            name.eq_ignore_ascii_case("values") || name.eq_ignore_ascii_case("value")
        })
    }) {
        if let [figure] = &*view.figures
            && figure.unit.dimension == Dimension::Count
        {
            view.figures.to_mut().iter_mut().for_each(|figure| figure.unit = unit);
        }
    }
}

impl ReadRecord {
    fn of(record: &Record<'_>) -> Self {
        let mut path = Vec::new();
        record.path.iter().for_each(|name| attribute_keys(name, &mut path));
        let cells: Vec<ReadCell> = record.cells.iter().map(read_cell).collect();
        let of_word = |word: &ReadWord| -> KeySet {
            word.inner.iter().copied().chain([word.key]).chain(word.verb).collect()
        };
        let keys = cells.iter().fold(KeySet::default(), |keys, cell| {
            let words = cell.words.iter().map(of_word).fold(keys, KeySet::union);
            words.union(cell.attribute.iter().copied().collect())
        });
        let keys = keys.union(path.iter().copied().collect());
        Self { cells, path, keys }
    }
}

fn read_cell(cell: &Cell<'_>) -> ReadCell {
    let mut attribute = Vec::new();
    cell.attribute.iter().for_each(|name| attribute_keys(name, &mut attribute));
    let mut read = figures(&cell.text);
    let unit = cell.attribute.last().and_then(|name| Unit::of_field(name));
    if let (Some(unit), [figure]) = (unit, read.figures.as_mut_slice())
        && figure.unit.dimension == Dimension::Count
        && figure.span == (0..cell.text.len())
    {
        figure.unit = unit;
    }
    let word = |word: Word<'_>| ReadWord {
        key: word.key(),
        sign: LEXICON.said(word.key()),
        verb: word.verb_key(),
        inner: inner_keys(word.text).collect(),
        span: word.span,
    };
    ReadCell {
        words: words(&cell.text).map(word).collect(),
        attribute_signs: attribute.iter().filter_map(|key| LEXICON.said(*key)).collect(),
        attribute,
        figures: read.figures,
        times: read.times,
    }
}

/// The keys of a name's words, of the name as a whole and of its parts: `restartCount`, `p99_ms`, `memory.limit`.
pub(super) fn attribute_keys(name: &str, keys: &mut Vec<u64>) {
    for word in words(name) {
        keys.push(word.key());
        for part in parts(word.text) {
            keys.extend(words(part).map(|word| word.key()));
        }
    }
}

/// The parts of an identifier, parted at `_`, `-`, `.` and before capitals; none where it is one word.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    core::iter::from_fn(move || {
        rest = rest.trim_start_matches(['_', '-', '.', '/']);
        if rest.is_empty() {
            return None;
        }
        let mut before = ' ';
        let end = rest
            .char_indices()
            .find(|(at, c)| {
                let cut = matches!(c, '_' | '-' | '.' | '/')
                    || *at > 0 && c.is_ascii_uppercase() && before.is_ascii_lowercase();
                before = *c;
                cut
            })
            .map_or(rest.len(), |(at, _)| at);
        let (part, more) = rest.split_at_checked(end)?;
        rest = more;
        Some(part)
    })
}
