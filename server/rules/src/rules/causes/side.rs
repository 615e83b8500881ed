//! One side of a claim of cause, as what a message has to show.

use std::ops::Range;

use gsar_core::text::figures::Figure;
use gsar_core::text::polarity::MarkerKind;

use crate::claim::reading::{Role, Term};
use crate::verdict::ruling::Case;
use crate::vocabulary::affairs::Group;
use crate::vocabulary::event_words::{any, is_left_out};
use crate::vocabulary::lexicon::Sense;

/// What a side says.
#[derive(Debug)]
pub(crate) struct Side<'w> {
    /// Its names.
    pub(crate) strict: u64,
    /// Its content words that are not part of an affair.
    pub(crate) words: u64,
    pub(crate) groups: Vec<Affair>,
    pub(crate) figures: Vec<&'w Figure>,
}

/// A state of affairs of a side.
#[derive(Debug)]
pub(crate) struct Affair {
    /// One bit for each that it may be.
    pub(crate) affairs: u64,
    /// The terms of its phrase.
    pub(crate) terms: u64,
}

impl Side<'_> {
    /// Its terms.
    pub(crate) fn all(&self) -> u64 {
        self.strict | self.words | self.groups.iter().fold(0, |bits, group| bits | group.terms)
    }
}

/// Reads one side; `None` where it says nothing, or denies what no affair denies.
pub(crate) fn side<'w>(case: &'w Case<'_, '_, '_>, span: &Range<usize>) -> Option<Side<'w>> {
    let reading = case.reading;
    let inside = |other: &Range<usize>| span.start <= other.start && other.end <= span.end;
    let groups: Vec<&Group> = reading.affairs.iter().filter(|group| inside(&group.span)).collect();
    let covered = |other: &Range<usize>| groups.iter().any(|group| group.has(other));
    let denies = reading.markers.iter().any(|marker| {
        let is_denial = matches!(marker.kind, MarkerKind::Negation | MarkerKind::None);
        let overlaps = groups
            .iter()
            .any(|group| group.span.start < marker.span.end && marker.span.start < group.span.end);
        is_denial && inside(&marker.span) && !overlaps
    });
    let own = |term: &Term<'_>| !term.span.is_empty() && inside(&term.span) && !covered(&term.span);
    const SAYING_LITTLE: [&str; 19] = [
        "stay",
        "stays",
        "stayed",
        "remain",
        "remains",
        "remained",
        "keep",
        "keeps",
        "kept",
        "sits",
        "still",
        "get",
        "gets",
        "could",
        "start",
        "variable",
        "variables",
        "setting",
        "settings",
    ];
    let is_word = |term: &Term<'_>| match term.role {
        _ if any(term.text, &SAYING_LITTLE) => false,
        Role::Word => !is_left_out(term.text),
        Role::Demand(sense) => {
            !matches!(sense, Sense::Order | Sense::Extreme) && !is_left_out(term.text)
        }
        _ => false,
    };
    let side = Side {
        strict: reading.bits(|term| own(term) && term.is_strict()),
        words: reading.bits(|term| own(term) && is_word(term)),
        groups: groups
            .iter()
            .map(|group| Affair {
                affairs: group.affairs,
                terms: reading.bits(|term| {
                    !term.span.is_empty()
                        && group.has(&term.span)
                        && !matches!(term.role, Role::Kind)
                }),
            })
            .collect(),
        figures: reading.figures.figures.iter().filter(|figure| inside(&figure.span)).collect(),
    };
    let says = side.words != 0 || !side.groups.is_empty();
    (says && !denies).then_some(side)
}
