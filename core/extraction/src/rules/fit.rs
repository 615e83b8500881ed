//! This module holds a claim against one record: which of its terms the record has, and where. It decides nothing.

use alloc::vec::Vec;
use core::ops::Range;

use super::index::{CellView, Index, inner_keys, is_of_family};
use crate::claim::{Kind, Sign, Term, TypedClaim};
use crate::facts::RecordId;
use crate::lexicon::LEXICON;
use crate::text::figures::{Agreement, Figure, agree, agree_times};
use crate::text::tokens::{Word, words};

/// Where a record has a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// In the value of a cell, with the bytes of the value's text.
    Value(usize, Range<usize>),
    /// In the attribute of a cell, perhaps by another word for it.
    Attribute(usize),
    /// In the keys under which it stands.
    Path,
    /// In what holds for its whole group.
    Scope,
}

/// A claim held against a record.
pub(super) struct Fit<'f, 'a> {
    pub(super) record: RecordId,
    pub(super) cells: Vec<CellView<'f, 'a>>,
    /// For each term of the claim all places where it is found.
    pub(super) found: Vec<Vec<Found>>,
    /// The terms that are nouns for kinds of things.
    kinds: Vec<usize>,
    /// Whether a name of the claim is a value or a key of the record or of what holds for it.
    is_named: bool,
}

impl<'f, 'a> Fit<'f, 'a> {
    pub(super) fn new(claim: &TypedClaim<'_>, record: RecordId, index: &'f Index<'a>) -> Self {
        let cells = index.cells(record);
        let found = claim.terms.iter().map(|term| places(term, record, &cells, index));
        let found: Vec<Vec<Found>> = found.collect();
        let is_kind = |term: &Term<'_>| {
            let mut words = words(term.text);
            matches!(term.kind, Kind::Word)
                && words.next().is_some_and(|word| LEXICON.is_kind(&word) && !index.is_named(&word))
        };
        let kinds = claim
            .terms
            .iter()
            .enumerate()
            .filter(|(_, term)| is_kind(term))
            .map(|(at, _)| at)
            .collect();
        let is_named = claim.terms.iter().zip(&found).any(|(term, found)| {
            matches!(term.kind, Kind::Name)
                && found.iter().any(|found| matches!(found, Found::Value(..) | Found::Path))
        });
        Self { record, cells, found, kinds, is_named }
    }

    /// The same, where a name may also stand for all whose names it begins: "payment-service" for its pods.
    pub(super) fn of_family(
        claim: &TypedClaim<'_>,
        record: RecordId,
        index: &'f Index<'a>,
    ) -> Self {
        let mut fit = Self::new(claim, record, index);
        for (term, found) in claim.terms.iter().zip(&mut fit.found) {
            if matches!(term.kind, Kind::Name | Kind::Word) && found.is_empty() {
                for (at, cell) in fit.cells.iter().enumerate() {
                    let family =
                        cell.words.iter().filter(|word| is_of_family(word.text, term.text));
                    found.extend(family.map(|word| Found::Value(at, word.span.clone())));
                }
            }
        }
        fit
    }

    /// The terms that are found nowhere. A noun for a kind of thing may be missing where the thing itself is named.
    pub(super) fn left_over(&self) -> impl Iterator<Item = usize> {
        self.found
            .iter()
            .enumerate()
            .filter(|(at, found)| found.is_empty() && !(self.is_named && self.kinds.contains(at)))
            .map(|(at, _)| at)
    }
}

fn places(
    term: &Term<'_>,
    record: RecordId,
    cells: &[CellView<'_, '_>],
    index: &Index<'_>,
) -> Vec<Found> {
    let mut found = Vec::new();
    match &term.kind {
        Kind::Figure(figure) => {
            for (at, cell) in cells.iter().enumerate() {
                // "at most 512" of what is said to be the most is no bound.
                let is_limit = cell.attribute.iter().any(|key| LEXICON.says(Sign::Most, *key))
                    || cell.words.iter().any(|word| LEXICON.says(Sign::Most, word.key()));
                let exact = Figure { comparator: None, ..figure.clone() };
                let figure = if is_limit { &exact } else { figure };
                let same = cell.figures.iter().filter(|other| {
                    figure.unit.dimension == other.unit.dimension
                        && agree(figure, other) == Agreement::Same
                });
                found.extend(same.map(|other| Found::Value(at, other.span.clone())));
            }
        }
        Kind::Time(time) => {
            for (at, cell) in cells.iter().enumerate() {
                let same =
                    cell.times.iter().filter(|other| agree_times(time, other) == Agreement::Same);
                found.extend(same.map(|other| Found::Value(at, other.span.clone())));
            }
            let of_record = index.facts().time_of(record);
            if found.is_empty()
                && of_record.is_some_and(|other| agree_times(time, other) == Agreement::Same)
            {
                found.push(Found::Scope);
            }
        }
        Kind::Sign(sign) => {
            // A sign is taken account of where the very words stand, or where a value or a key says as much.
            let wanted = words(term.text).next().map(|word| word.key());
            for (at, cell) in cells.iter().enumerate() {
                let says = |word: &&Word<'_>| {
                    !cell.is_value() && Some(word.key()) == wanted
                        || LEXICON.says(*sign, word.key())
                };
                let same = cell.words.iter().filter(says);
                found.extend(same.map(|word| Found::Value(at, word.span.clone())));
                if cell.attribute.iter().any(|key| LEXICON.says(*sign, *key)) {
                    found.push(Found::Attribute(at));
                }
            }
            if found.is_empty() && path_keys(record, index).iter().any(|k| LEXICON.says(*sign, *k))
            {
                found.push(Found::Path);
            }
        }
        Kind::Name | Kind::Word => {
            for word in words(term.text) {
                let of_word =
                    word_places(&word, matches!(term.kind, Kind::Word), record, cells, index);
                if of_word.is_empty() {
                    return Vec::new();
                }
                found.extend(of_word);
            }
        }
    }
    found
}

fn word_places(
    word: &Word<'_>,
    is_plain: bool,
    record: RecordId,
    cells: &[CellView<'_, '_>],
    index: &Index<'_>,
) -> Vec<Found> {
    let key = word.key();
    let synonyms = if is_plain { LEXICON.synonyms(key) } else { &[] };
    let mut found = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let same = cell.words.iter().filter(|other| {
            other.key() == key
                || is_plain
                    && (same_verb(word.text, other.text)
                        || synonyms.contains(&other.key())
                        || inner_keys(other.text)
                            .any(|inner| inner == key || synonyms.contains(&inner)))
        });
        found.extend(same.map(|other| Found::Value(at, other.span.clone())));
        if cell.attribute.iter().any(|other| *other == key || synonyms.contains(other)) {
            found.push(Found::Attribute(at));
        }
    }
    if found.is_empty() {
        let Some(of) = index.facts().record(record) else { return found };
        let keys = path_keys(record, index);
        if keys.iter().any(|other| *other == key || synonyms.contains(other)) {
            found.push(Found::Path);
        } else if index.scope_has(of.group, key)
            || synonyms.iter().any(|other| index.scope_has(of.group, *other))
        {
            found.push(Found::Scope);
        }
    }
    found
}

/// The keys of what a record and what holds for it stand under.
fn path_keys(record: RecordId, index: &Index<'_>) -> Vec<u64> {
    let mut keys = Vec::new();
    index.facts().with_parents(record).for_each(|record| {
        record.path.iter().for_each(|name| super::index::attribute_keys(name, &mut keys));
    });
    keys
}

/// Whether two figures cannot both be right.
pub(super) fn differ(claim: &Figure, evidence: &Figure) -> bool {
    agree(claim, evidence) == Agreement::Different
}

/// Whether two words are forms of one verb: "restart", "restarted", "restarting".
fn same_verb(a: &str, b: &str) -> bool {
    const MIN_STEM: usize = 3;
    let stem = |word: &str| -> alloc::string::String {
        let lower = word.to_ascii_lowercase();
        let cut = ["ing", "ed", "es", "s", "d", "e"]
            .into_iter()
            .find_map(|ending| lower.strip_suffix(ending).filter(|stem| stem.len() >= MIN_STEM))
            .unwrap_or(&lower);
        cut.into()
    };
    a.is_ascii() && b.is_ascii() && stem(a) == stem(b)
}
