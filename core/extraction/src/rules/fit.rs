//! This module compares a claim with one record: which of its terms the record has, and where. It decides nothing.

use alloc::vec::Vec;
use core::ops::Range;

use super::index::{CellView, Index, ReadWord, is_of_family};
use crate::claim::{Kind, Sign, Term, TermWord, TypedClaim};
use crate::facts::RecordId;
use crate::lexicon::LEXICON;
use crate::text::figures::{Agreement, Figure, agree, agree_times};
use crate::text::tokens::KeySet;

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
#[derive(Debug)]
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

/// The terms of a claim that are nouns for kinds of things, and no names of things in the evidence.
pub(super) fn kinds(claim: &TypedClaim<'_>, index: &Index<'_>) -> Vec<usize> {
    let is_kind = |term: &Term<'_>| {
        term.is_kind() && term.words.first().is_some_and(|first| !index.is_named(&first.word))
    };
    let terms = claim.terms.iter().enumerate();
    terms.filter(|(_, term)| is_kind(term)).map(|(at, _)| at).collect()
}

impl<'f, 'a> Fit<'f, 'a> {
    /// `kinds` are those of [`kinds`].
    pub(super) fn new(
        claim: &TypedClaim<'_>,
        kinds: &[usize],
        record: RecordId,
        index: &'f Index<'a>,
    ) -> Self {
        let cells = index.cells(record);
        let keys = index.keys(record);
        let found = claim.terms.iter().map(|term| places(term, record, &cells, keys, index));
        let found: Vec<Vec<Found>> = found.collect();
        let is_named = claim.terms.iter().zip(&found).any(|(term, found)| {
            matches!(term.kind, Kind::Name)
                && found.iter().any(|found| matches!(found, Found::Value(..) | Found::Path))
        });
        Self { record, cells, found, kinds: kinds.to_vec(), is_named }
    }

    /// The same, where a name may also stand for all whose names it begins: "payment-service" for its pods.
    pub(super) fn of_family(
        claim: &TypedClaim<'_>,
        kinds: &[usize],
        record: RecordId,
        index: &'f Index<'a>,
    ) -> Self {
        let mut fit = Self::new(claim, kinds, record, index);
        for (term, found) in claim.terms.iter().zip(&mut fit.found) {
            if matches!(term.kind, Kind::Name | Kind::Word) && found.is_empty() {
                for (at, cell) in fit.cells.iter().enumerate() {
                    let family = cell.words().filter(|word| is_of_family(word.text, term.text));
                    found.extend(family.map(|word| Found::Value(at, word.span)));
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
    keys: KeySet,
    index: &Index<'_>,
) -> Vec<Found> {
    let mut found = Vec::new();
    match &term.kind {
        Kind::Figure(figure) => {
            let exact = Figure { comparator: None, ..figure.clone() };
            for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.figures.is_empty())
            {
                // "at most 512" of what is said to be the most is no bound.
                let is_limit = cell.attribute_signs.contains(&Sign::Most)
                    || cell.words.iter().any(|word| word.sign == Some(Sign::Most));
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
            let wanted = term.words.first().map(|word| word.key);
            for (at, cell) in cells.iter().enumerate() {
                let says = |word: &&ReadWord| {
                    !cell.is_value() && Some(word.key) == wanted || word.sign == Some(*sign)
                };
                let same = cell.words.iter().filter(says);
                found.extend(same.map(|word| Found::Value(at, word.span.clone())));
                if cell.attribute_signs.contains(sign) {
                    found.push(Found::Attribute(at));
                }
            }
            if found.is_empty() && index.path_has(record, |key| LEXICON.says(*sign, key)) {
                found.push(Found::Path);
            }
        }
        Kind::Name | Kind::Word => {
            for word in &term.words {
                if !word.keys.overlaps(keys) {
                    return Vec::new();
                }
                let of_word =
                    word_places(word, matches!(term.kind, Kind::Word), record, cells, index);
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
    word: &TermWord<'_>,
    is_plain: bool,
    record: RecordId,
    cells: &[CellView<'_, '_>],
    index: &Index<'_>,
) -> Vec<Found> {
    let key = word.key;
    let synonyms = if is_plain { word.synonyms } else { &[] };
    let mut found = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let same = cell.words.iter().filter(|other| {
            let is_it = |other: u64| other == key || synonyms.contains(&other);
            other.key == key
                || is_plain
                    && (word.verb.is_some() && word.verb == other.verb
                        || is_it(other.key)
                        || other.inner.iter().any(|inner| is_it(*inner)))
        });
        found.extend(same.map(|other| Found::Value(at, other.span.clone())));
        if cell.attribute.iter().any(|other| *other == key || synonyms.contains(other)) {
            found.push(Found::Attribute(at));
        }
    }
    if found.is_empty() {
        let Some(of) = index.facts().record(record) else { return found };
        if index.path_has(record, |other| other == key || synonyms.contains(&other)) {
            found.push(Found::Path);
        } else if index.scope_has(of.group, key)
            || synonyms.iter().any(|other| index.scope_has(of.group, *other))
        {
            found.push(Found::Scope);
        }
    }
    found
}

/// Whether two figures cannot both be right.
pub(super) fn differ(claim: &Figure, evidence: &Figure) -> bool {
    agree(claim, evidence) == Agreement::Different
}
