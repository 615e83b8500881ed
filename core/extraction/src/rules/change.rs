//! This module is the rule of changes: the claim says that a value of a subject went from one figure to another, or to
//! one.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fit::{Fit, differ};
use super::samples::{Sample, gap, series};
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, Sign, TypedClaim};
use crate::lexicon::LEXICON;
use crate::text::figures::{
    Agreement, ClockTime, Comparator, Dimension, Figure, agree, agree_times, compare_values,
};
use crate::text::tokens::words;

/// The rule.
pub(super) struct Change;

/// What the claim says.
struct Stated<'c> {
    from: Option<&'c Figure>,
    to: &'c Figure,
    start: Option<&'c ClockTime>,
    end: Option<&'c ClockTime>,
    /// How long it took.
    within: Option<Figure>,
    rises: bool,
}

impl Rule for Change {
    fn id(&self) -> RuleId {
        RuleId("change")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        let Some(stated) = stated(claim) else { return Outcome::Silent };
        let is_taken = |term: usize| {
            claim.terms.get(term).is_some_and(|term| match term.kind {
                Kind::Name => false,
                Kind::Word => {
                    words(term.text).next().is_some_and(|word| LEXICON.is_of_series(&word))
                }
                _ => true,
            })
        };
        let outcomes: Vec<Outcome> = series(claim, fits, index, is_taken)
            .iter()
            .map(|samples| match stated.from {
                Some(from) => of_series(&stated, from, samples),
                None => to_figure(&stated, samples),
            })
            .collect();
        let mut spoken = outcomes.into_iter().filter(|outcome| *outcome != Outcome::Silent);
        match (spoken.next(), spoken.next()) {
            (Some(outcome), None) => outcome,
            _ => Outcome::Silent,
        }
    }
}

fn stated<'c>(claim: &'c TypedClaim<'_>) -> Option<Stated<'c>> {
    let mut signs = claim.signs();
    let rises = match (signs.next()?, signs.next()) {
        (Sign::Up, None) => true,
        (Sign::Down, None) => false,
        _ => return None,
    };
    let word_before =
        |start: usize| claim.text.get(..start).and_then(|before| words(before).last());
    let is_length = |figure: &Figure| {
        let before = word_before(figure.span.start);
        figure.unit.dimension == Dimension::Duration
            && before.is_some_and(|word| ["within", "in", "over"].iter().any(|w| word.is(w)))
    };
    let all = claim.terms.iter().filter_map(|term| match &term.kind {
        Kind::Figure(figure) => Some(figure),
        _ => None,
    });
    let (lengths, figures): (Vec<&Figure>, Vec<&Figure>) = all.partition(|f| is_length(f));
    let times: Vec<&ClockTime> = claim
        .terms
        .iter()
        .filter_map(|term| match &term.kind {
            Kind::Time(time) => Some(time),
            _ => None,
        })
        .collect();
    let within = match lengths.as_slice() {
        [] => None,
        [length] => {
            let is_bound = word_before(length.span.start).is_some_and(|word| word.is("within"));
            let comparator = if is_bound { Some(Comparator::AtMost) } else { length.comparator };
            Some(Figure { comparator, ..(*length).clone() })
        }
        _ => return None,
    };
    let ([from, to], before_last) = match figures.as_slice() {
        [to] => {
            // "fell to 3", "fell to 3 at 12:05"
            let is_to = word_before(to.span.start).is_some_and(|word| {
                ["to", "about", "roughly", "around"].iter().any(|w| word.is(w))
            });
            let end = match times.as_slice() {
                [] => None,
                [end] => Some(*end),
                _ => return None,
            };
            let is_said = is_to && claim.text.contains(" to ") && within.is_none();
            return is_said.then_some(Stated { from: None, to, start: None, end, within, rises });
        }
        [from, to] => ([*from, *to], claim.text.get(..to.span.start)?),
        _ => return None,
    };
    let (start, end) = match times.as_slice() {
        [] => (None, None),
        [start, end] => (Some(*start), Some(*end)),
        _ => return None,
    };
    // "fell to 3 from 9" says the later value first.
    let is_reversed = before_last.trim_end().ends_with("from");
    let (from, to) = if is_reversed { (to, from) } else { (from, to) };
    let (start, end) = if is_reversed { (end, start) } else { (start, end) };
    Some(Stated { from: Some(from), to, start, end, within, rises })
}

fn is_at(time: Option<&ClockTime>, sample: &Sample) -> bool {
    time.is_none_or(|time| {
        sample.at.as_ref().is_some_and(|at| agree_times(time, at) == Agreement::Same)
    })
}

fn of_series(stated: &Stated<'_>, from: &Figure, samples: &[Sample]) -> Outcome {
    let has = |figure: &Figure, sample: &Sample| agree(figure, &sample.figure) == Agreement::Same;
    let first = samples.iter().position(|sample| is_at(stated.start, sample) && has(from, sample));
    let last =
        samples.iter().rposition(|sample| is_at(stated.end, sample) && has(stated.to, sample));
    let wanted = if stated.rises { Ordering::Less } else { Ordering::Greater };
    if let (Some(first), Some(last)) = (first, last)
        && let (Some(a), Some(b)) = (samples.get(first), samples.get(last))
    {
        let order = compare_values(&a.figure, &b.figure);
        return match (first < last, order) {
            (true, Some(order)) if order == wanted => {
                let mut pairs = (first..last).rev().filter_map(|at| samples.get(at));
                let is_so = stated.within.as_ref().is_none_or(|within| {
                    pairs.any(|a| has(from, a) && took(a, b, within) == Some(Agreement::Same))
                });
                if is_so { Outcome::Supports(vec![a.record, b.record]) } else { Outcome::Silent }
            }
            (true, Some(order)) if order == wanted.reverse() => {
                Outcome::Refutes(vec![a.record, b.record])
            }
            _ => Outcome::Silent,
        };
    }
    // At both of the stated times it had other values.
    let (Some(start), Some(end)) = (stated.start, stated.end) else { return Outcome::Silent };
    let of = |time: &ClockTime| {
        let mut there = samples.iter().filter(|sample| is_at(Some(time), sample));
        there.next().filter(|_| there.next().is_none())
    };
    match (of(start), of(end)) {
        (Some(a), Some(b)) if differ(from, &a.figure) && differ(stated.to, &b.figure) => {
            Outcome::Refutes(vec![a.record, b.record])
        }
        _ => Outcome::Silent,
    }
}

/// Whether a series ends at a figure, has it as its extreme, or has it at the stated time, coming from the other side.
fn to_figure(stated: &Stated<'_>, samples: &[Sample]) -> Outcome {
    const MIN_SAMPLES: usize = 3;
    let wanted = if stated.rises { Ordering::Greater } else { Ordering::Less };
    let (Some(first), true) = (samples.first(), samples.len() >= MIN_SAMPLES) else {
        return Outcome::Silent;
    };
    let moved = |sample: &Sample| compare_values(&sample.figure, &first.figure) == Some(wanted);
    let is_furthest = |sample: &Sample| {
        samples.iter().all(|other| {
            compare_values(&other.figure, &sample.figure).is_some_and(|order| order != wanted)
        })
    };
    let ends: Vec<&Sample> = match stated.end {
        Some(_) => samples.iter().filter(|sample| is_at(stated.end, sample)).collect(),
        None => {
            let furthest = samples.iter().filter(|sample| is_furthest(sample));
            furthest.chain(samples.last()).collect()
        }
    };
    let Some(one) = ends.first() else { return Outcome::Silent };
    let shown = ends
        .iter()
        .find(|sample| agree(stated.to, &sample.figure) == Agreement::Same && moved(sample));
    if let Some(shown) = shown {
        Outcome::Supports(vec![first.record, shown.record])
    } else if ends.iter().all(|sample| differ(stated.to, &sample.figure))
        && (stated.end.is_some() || samples.iter().all(|sample| differ(stated.to, &sample.figure)))
    {
        Outcome::Refutes(vec![one.record])
    } else {
        Outcome::Silent
    }
}

/// Whether the time between two samples is what the claim says.
fn took(a: &Sample, b: &Sample, within: &Figure) -> Option<Agreement> {
    Some(agree(within, &gap(a.at.as_ref()?, b.at.as_ref()?)?))
}
