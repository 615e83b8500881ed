//! How many things the rows of a detector tell the same of: "three pods", "on node-4 alone".

use gsar_core::text::figures::Unit;
use gsar_core::text::tokens::Word;

use super::alerts::{Row, Told};
use crate::verdict::ruling::{Basis, Case, Cite, Ruling};
use crate::vocabulary::words::Key;

/// The sort of a thing, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Node,
    Host,
    Other,
}

impl Sort {
    /// By its name.
    pub(super) fn of_name(name: &str) -> Self {
        if name.starts_with("node") {
            Self::Node
        } else if name.starts_with("host") {
            Self::Host
        } else {
            Self::Other
        }
    }

    /// "nodes", "pods".
    pub(super) fn of_noun(word: &Word<'_>) -> Option<Self> {
        let is = |listed: &[&str]| listed.iter().any(|noun| word.is(noun));
        if is(&["nodes"]) {
            Some(Self::Node)
        } else if is(&["hosts"]) {
            Some(Self::Host)
        } else {
            is(&["pods", "services", "instances", "replicas"]).then_some(Self::Other)
        }
    }
}

/// "Three pods …", "… on node-4 alone": how many things of a sort are so.
#[derive(Debug, Default)]
pub(super) struct Tally {
    count: Option<usize>,
    sort: Option<Sort>,
    is_alone: bool,
}

impl Tally {
    /// Takes a word that says how many.
    pub(super) fn takes(&mut self, case: &Case<'_, '_, '_>, word: &Word<'_>) -> bool {
        let figure = case.reading.figures.figures.iter().find(|figure| {
            figure.span.start <= word.span.start && word.span.end <= figure.span.end
        });
        if let Some(figure) = figure.filter(|figure| figure.unit == Unit::COUNT) {
            self.count = usize::try_from(figure.value.mantissa).ok();
            return figure.value.places == 0;
        }
        if word.is("alone") {
            self.is_alone = true;
            return true;
        }
        let sort = Sort::of_noun(word);
        self.sort = self.sort.or(sort);
        sort.is_some()
    }

    /// Whether the claim says how many.
    pub(super) fn is_stated(&self) -> bool {
        self.is_alone || self.count.is_some() && self.sort.is_some()
    }

    /// Compares with the rows that are so; `named` are the things that the claim names.
    pub(super) fn decide(&self, named: &[Key], so: &[&Row]) -> Option<Ruling> {
        let sort = match named {
            [only] if self.is_alone => so.iter().find_map(|row| match &row.told {
                Told::Moved { thing, sort, .. } if thing == only => Some(*sort),
                _ => None,
            })?,
            _ => self.sort.filter(|_| !self.is_alone)?,
        };
        let mut found: Vec<(Key, &Row)> = Vec::new();
        for row in so {
            if let Told::Moved { thing, sort: of, .. } = &row.told
                && *of == sort
                && !found.iter().any(|(known, _)| known == thing)
            {
                found.push((*thing, row));
            }
        }
        let cites: Vec<Cite> =
            found.iter().map(|(_, row)| Cite::Field(row.field)).take(8).collect();
        let says = format!("{} such things have rows that say so", found.len());
        let all_named = named.iter().all(|name| found.iter().any(|(thing, _)| thing == name));
        let number = if self.is_alone { 1 } else { self.count? };
        if cites.is_empty() {
            None
        } else if number != found.len() {
            Some(Ruling::contradicted(Basis::Derived, cites, says))
        } else {
            let is_whole = all_named && (named.is_empty() || named.len() == number);
            is_whole.then(|| Ruling::grounded(Basis::Derived, cites, says))
        }
    }
}
