//! This module compares a claim with all records of a group: for which of them a term holds. It decides nothing.

use alloc::vec::Vec;

use super::fit::{Fit, Found, kinds};
use super::index::{CellView, attribute_keys};
use crate::claim::{Kind, Term, TypedClaim};
use crate::facts::{Form, Group, GroupId};
use crate::lexicon::LEXICON;
use crate::rules::Index;
use crate::text::polarity;
use crate::text::tokens::words;

/// The records of a group, each with what it has of the claim.
pub(super) struct Members<'f, 'a> {
    pub(super) group: &'f Group<'a>,
    id: GroupId,
    index: &'f Index<'a>,
    pub(super) fits: Vec<Fit<'f, 'a>>,
}

/// What a term is to a group.
#[derive(Clone, Debug)]
pub(super) enum Holds {
    /// It holds for these.
    For(Vec<bool>),
    /// It is said of all of them: by their scope, by what they stand under.
    Above,
    /// It names what each of them is.
    Kind,
    /// It is nowhere.
    Unknown,
}

impl<'f, 'a> Members<'f, 'a> {
    pub(super) fn read(claim: &TypedClaim<'_>, id: GroupId, index: &'f Index<'a>) -> Option<Self> {
        let group = index.facts().group(id)?;
        let kinds = kinds(claim, index);
        let fits = group.records.iter().map(|record| Fit::of_family(claim, &kinds, *record, index));
        Some(Self { group, id, index, fits: fits.collect() })
    }

    /// What a term of the claim is to the group.
    pub(super) fn holds(&self, claim: &TypedClaim<'_>, term: usize, figures: &[usize]) -> Holds {
        if claim.terms.get(term).is_some_and(Term::is_kind) && self.is_kind(claim, term) {
            return Holds::Kind;
        }
        // Whose value is the very word comes before the subject that is mentioned with it.
        for is_whole in [true, false] {
            let own: Vec<bool> = self.fits.iter().map(|fit| has_own(fit, term, is_whole)).collect();
            if own.contains(&true) {
                return Holds::For(own);
            }
        }
        let Some(kind) = claim.terms.get(term).map(|term| &term.kind) else {
            return Holds::Unknown;
        };
        if let Some(found) = self.by_attribute(claim, term, figures) {
            return found;
        }
        let everywhere = !self.fits.is_empty()
            && self.fits.iter().all(|fit| {
                fit.found.get(term).is_some_and(|found| {
                    found.iter().any(|found| match found {
                        Found::Attribute(cell) => {
                            fit.cells.get(*cell).is_some_and(|cell| cell.depth > 0)
                        }
                        _ => true,
                    })
                })
            });
        if everywhere && matches!(kind, Kind::Name | Kind::Word | Kind::Time(_)) {
            return Holds::Above;
        }
        if matches!(kind, Kind::Word) && self.is_kind(claim, term) {
            return Holds::Kind;
        }
        Holds::Unknown
    }

    /// Whether the records are what a noun names: lines of a log, rows of what was asked for, values of such a column.
    pub(super) fn is_kind(&self, claim: &TypedClaim<'_>, noun: usize) -> bool {
        let Some(word) = claim.terms.get(noun).and_then(|term| words(term.text).next()) else {
            return false;
        };
        let is_of_form = match self.group.form {
            Form::Lines => LEXICON.is_line(&word),
            Form::Rows => LEXICON.is_row(&word),
            Form::Series => LEXICON.is_sample(&word),
            _ => false,
        };
        let key = word.key();
        let is_above = || {
            let records = self.group.records.iter();
            let mut records = records.filter_map(|record| self.index.facts().record(*record));
            records.all(|record| {
                let mut keys = Vec::new();
                record.path.iter().for_each(|name| attribute_keys(name, &mut keys));
                keys.contains(&key)
            })
        };
        let names = || {
            self.fits.iter().all(|fit| {
                let first = fit.cells.first().filter(|cell| cell.depth == 0);
                first.is_some_and(|cell| cell.attribute.contains(&key))
            })
        };
        is_of_form || self.index.scope_has(self.id, key) || is_above() || names()
    }

    /// Whether a noun names a value that the records have, rather than the records: "9 restarts".
    pub(super) fn is_attribute(&self, noun: usize) -> bool {
        self.fits.iter().any(|fit| {
            fit.found.get(noun).is_some_and(|found| {
                found.iter().any(|found| match found {
                    Found::Attribute(cell) => {
                        *cell > 0 && fit.cells.get(*cell).is_some_and(|cell| cell.depth == 0)
                    }
                    _ => false,
                })
            })
        })
    }

    /// Whether a name stands in no record of any group.
    pub(super) fn is_nowhere(&self, claim: &TypedClaim<'_>, term: usize) -> bool {
        claim.terms.get(term).is_some_and(|term| {
            term.words.iter().all(|word| self.index.with_word(word.key).is_empty())
        })
    }

    /// What an attribute that is named without a value says: "restarted", of those that have more than none.
    fn by_attribute(
        &self,
        claim: &TypedClaim<'_>,
        term: usize,
        figures: &[usize],
    ) -> Option<Holds> {
        let cells: Vec<Option<usize>> = self
            .fits
            .iter()
            .map(|fit| {
                fit.found.get(term)?.iter().find_map(|found| match found {
                    Found::Attribute(cell) if fit.cells.get(*cell)?.depth == 0 => Some(*cell),
                    _ => None,
                })
            })
            .collect();
        if cells.iter().all(Option::is_none) {
            return None;
        }
        if cells.iter().all(|cell| *cell == Some(0)) && self.is_kind(claim, term) {
            return Some(Holds::Kind);
        }
        // Another term is its value: "with 0 restarts".
        let is_said = self.fits.iter().zip(&cells).any(|(fit, cell)| {
            let in_cell =
                |found: &Found| matches!(found, Found::Value(of, _) if Some(*of) == *cell);
            fit.found.iter().enumerate().any(|(at, found)| {
                at != term
                    && found.iter().any(in_cell)
                    && (figures.contains(&at)
                        || !matches!(claim.terms.get(at).map(|t| &t.kind), Some(Kind::Figure(_))))
            })
        });
        if is_said {
            return Some(Holds::Above);
        }
        if self.fits.len() < 2
            || claim.terms.get(term).is_some_and(|term| matches!(term.kind, Kind::Figure(_)))
        {
            return None;
        }
        let truths: Option<Vec<bool>> = self
            .fits
            .iter()
            .zip(&cells)
            .map(|(fit, cell)| match cell {
                Some(cell) => truth(&fit.cells.get(*cell)?.cell.text),
                None => Some(false),
            })
            .collect();
        Some(truths.map_or(Holds::Unknown, Holds::For))
    }
}

/// Whether a record has a term itself: as a value, or as the key under which it stands.
fn has_own(fit: &Fit<'_, '_>, term: usize, is_whole: bool) -> bool {
    fit.found.get(term).is_some_and(|found| {
        found.iter().any(|found| match found {
            Found::Value(cell, span) => fit.cells.get(*cell).is_some_and(|cell| {
                let whole = cell.is_value() && *span == (0..cell.cell.text.len());
                cell.depth == 0 && !is_asked(cell) && (whole || !is_whole)
            }),
            _ => false,
        })
    })
}

/// Whether a cell says what was asked: under such an attribute, or behind such words and a colon.
fn is_asked(cell: &CellView<'_, '_>) -> bool {
    let in_prose = || {
        let (before, _) = cell.cell.text.split_once(':')?;
        Some(words(before).any(|word| LEXICON.is_asked(word.key())))
    };
    cell.is_asked() || !cell.is_value() && in_prose().unwrap_or_default()
}

/// What a value says as an answer: `true`, `False`, `0`, `7`, `<none>`.
fn truth(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("yes") {
        return Some(true);
    }
    if text.eq_ignore_ascii_case("false")
        || text.eq_ignore_ascii_case("no")
        || polarity::is_blank_answer(text)
    {
        return Some(false);
    }
    let first = text.split_whitespace().next()?;
    if first.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(first.bytes().any(|byte| byte != b'0'));
    }
    None
}
