//! This module is the rule of series: the claim says of all samples of a series which is the greatest or the least, on
//! which side of a bound they stay, or that each is more or less than the one before.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::fit::{Fit, differ};
use super::samples::{Sample, series};
use super::{Index, Outcome, Rule, RuleId};
use crate::claim::{Kind, Sign, TypedClaim};
use crate::lexicon::LEXICON;
use crate::text::figures::{
    Agreement, ClockTime, Comparator, Figure, agree, agree_times, compare_values,
};
use crate::text::tokens::words;

/// The rule.
pub(super) struct OfSeries;

/// What is said of a series.
enum Stated<'c> {
    /// The greatest or the least sample, perhaps with its time.
    Extreme(Ordering, &'c Figure, Option<&'c ClockTime>),
    /// All samples from one time to another are on one side.
    Bound(Figure, Option<&'c ClockTime>, Option<&'c ClockTime>),
    /// Each is more, or less, than the one before.
    Steady(Ordering),
}

/// The fewest samples that are a series.
const MIN_SAMPLES: usize = 3;

impl Rule for OfSeries {
    fn id(&self) -> RuleId {
        RuleId("series")
    }

    fn apply(&self, claim: &TypedClaim<'_>, fits: &[Fit<'_, '_>], index: &Index<'_>) -> Outcome {
        if claim.is_hedged {
            return Outcome::Silent;
        }
        let Some(stated) = stated(claim) else { return Outcome::Silent };
        let is_taken = |term: usize| {
            claim.terms.get(term).is_some_and(|term| match term.kind {
                Kind::Figure(_) | Kind::Time(_) | Kind::Sign(_) => true,
                Kind::Word => {
                    words(term.text).next().is_some_and(|word| LEXICON.is_of_series(&word))
                }
                Kind::Name => false,
            })
        };
        let mut outcomes: Vec<Outcome> = series(claim, fits, index, is_taken)
            .iter()
            .filter(|samples| samples.len() >= MIN_SAMPLES)
            .map(|samples| said(&stated, samples))
            .filter(|outcome| *outcome != Outcome::Silent)
            .collect();
        let is_same = |other: &Outcome| {
            outcomes.first().is_some_and(|first| {
                core::mem::discriminant(first) == core::mem::discriminant(other)
            })
        };
        if outcomes.iter().all(is_same) {
            outcomes.pop().unwrap_or(Outcome::Silent)
        } else {
            Outcome::Silent
        }
    }
}

/// What the claim says, as far as this rule takes account of it.
fn stated<'c>(claim: &'c TypedClaim<'_>) -> Option<Stated<'c>> {
    let mut signs: Vec<(Sign, &str)> = Vec::new();
    let (mut figures, mut times) = (Vec::new(), Vec::new());
    for term in &claim.terms {
        match &term.kind {
            Kind::Sign(sign) => signs.push((*sign, term.text)),
            Kind::Figure(figure) => figures.push(figure),
            Kind::Time(time) => times.push((time, term.span.start)),
            Kind::Name | Kind::Word => {}
        }
    }
    let is = |text: &str, known: &[&str]| known.iter().any(|word| text.eq_ignore_ascii_case(word));
    match (signs.as_slice(), figures.as_slice(), times.as_slice()) {
        ([(Sign::Most, _)], [figure], [] | [_]) if figure.comparator.is_none() => {
            Some(Stated::Extreme(Ordering::Greater, figure, times.first().map(|(time, _)| *time)))
        }
        ([(Sign::Least, _)], [figure], [] | [_]) if figure.comparator.is_none() => {
            Some(Stated::Extreme(Ordering::Less, figure, times.first().map(|(time, _)| *time)))
        }
        ([(Sign::All, text)], [figure], _)
            if is(text, &["stayed", "remained", "always", "throughout", "constantly"]) =>
        {
            figure.comparator?;
            let (start, end) = window(claim, &times)?;
            Some(Stated::Bound((*figure).clone(), start, end))
        }
        (
            [(Sign::None, text)] | [(Sign::None, text), (Sign::More | Sign::Less, _)],
            [figure],
            _,
        ) if is(text, &["never"]) => {
            let flipped = match figure.comparator? {
                Comparator::AtLeast => Comparator::Under,
                Comparator::AtMost => Comparator::Over,
                Comparator::Over => Comparator::AtMost,
                Comparator::Under => Comparator::AtLeast,
            };
            let (start, end) = window(claim, &times)?;
            let bound = Figure { comparator: Some(flipped), ..(*figure).clone() };
            Some(Stated::Bound(bound, start, end))
        }
        ([(first, a), (second, b)], [], []) => {
            let (moves, all) = match (first, second) {
                (Sign::Up | Sign::Down, Sign::All) => (first, b),
                (Sign::All, Sign::Up | Sign::Down) => (second, a),
                _ => return None,
            };
            let order = if *moves == Sign::Up { Ordering::Less } else { Ordering::Greater };
            is(all, &["every", "each", "steadily", "continuously", "always"])
                .then_some(Stated::Steady(order))
        }
        _ => None,
    }
}

/// From when to when a claim speaks; `None` where that is not plain.
fn window<'c>(
    claim: &TypedClaim<'_>,
    times: &[(&'c ClockTime, usize)],
) -> Option<(Option<&'c ClockTime>, Option<&'c ClockTime>)> {
    let before = |start: usize| claim.text.get(..start).and_then(|text| words(text).last());
    match times {
        [] => Some((None, None)),
        [(time, start)] => {
            let word = before(*start)?;
            if ["from", "since", "after"].iter().any(|known| word.is(known)) {
                Some((Some(time), None))
            } else if ["until", "till"].iter().any(|known| word.is(known)) {
                Some((None, Some(time)))
            } else {
                None
            }
        }
        [(from, _), (to, _)] => Some((Some(from), Some(to))),
        _ => None,
    }
}

fn said(stated: &Stated<'_>, samples: &[Sample]) -> Outcome {
    match stated {
        Stated::Extreme(order, figure, at) => extreme(*order, figure, *at, samples),
        Stated::Bound(figure, start, end) => bound(figure, *start, *end, samples),
        Stated::Steady(order) => steady(*order, samples),
    }
}

fn extreme(
    order: Ordering,
    figure: &Figure,
    at: Option<&ClockTime>,
    samples: &[Sample],
) -> Outcome {
    let mut rest = samples.iter();
    let Some(mut first) = rest.next() else { return Outcome::Silent };
    for sample in rest {
        match compare_values(&sample.figure, &first.figure) {
            Some(found) if found == order => first = sample,
            Some(_) => {}
            None => return Outcome::Silent,
        }
    }
    let is_extreme =
        |sample: &&Sample| compare_values(&sample.figure, &first.figure) == Some(Ordering::Equal);
    let has_time = samples.iter().filter(is_extreme).any(|sample| {
        at.is_none_or(|at| {
            sample.at.as_ref().is_some_and(|own| agree_times(at, own) == Agreement::Same)
        })
    });
    match agree(figure, &first.figure) {
        Agreement::Same if has_time => Outcome::Supports(vec![first.record]),
        Agreement::Different => Outcome::Refutes(vec![first.record]),
        _ => Outcome::Silent,
    }
}

fn bound(
    figure: &Figure,
    start: Option<&ClockTime>,
    end: Option<&ClockTime>,
    samples: &[Sample],
) -> Outcome {
    let is_at = |time: &ClockTime, sample: &Sample| {
        sample.at.as_ref().is_some_and(|own| agree_times(time, own) == Agreement::Same)
    };
    let from = match start {
        Some(time) => samples.iter().position(|sample| is_at(time, sample)),
        None => Some(0),
    };
    let to = match end {
        Some(time) => samples.iter().rposition(|sample| is_at(time, sample)).map(|at| at + 1),
        None => Some(samples.len()),
    };
    let (Some(from), Some(to)) = (from, to) else { return Outcome::Silent };
    let Some(within) = samples.get(from..to).filter(|within| !within.is_empty()) else {
        return Outcome::Silent;
    };
    if let Some(outside) = within.iter().find(|sample| differ(figure, &sample.figure)) {
        return Outcome::Refutes(vec![outside.record]);
    }
    let holds = |sample: &Sample| agree(figure, &sample.figure) == Agreement::Same;
    match within.first() {
        Some(first) if within.iter().all(holds) => Outcome::Supports(vec![first.record]),
        _ => Outcome::Silent,
    }
}

fn steady(order: Ordering, samples: &[Sample]) -> Outcome {
    let mut steps = samples
        .iter()
        .zip(samples.iter().skip(1))
        .map(|(a, b)| (compare_values(&a.figure, &b.figure), b.record));
    let Some((first, last)) = samples.first().zip(samples.last()) else { return Outcome::Silent };
    if steps.clone().all(|(step, _)| step == Some(order)) {
        return Outcome::Supports(vec![first.record, last.record]);
    }
    match steps.find(|(step, _)| *step == Some(order.reverse())) {
        Some((_, record)) => Outcome::Refutes(vec![record]),
        None => Outcome::Silent,
    }
}
