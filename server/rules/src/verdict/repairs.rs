//! A claim that the evidence bears out once one of its parts is mended is wrong in that part.
//!
//! Where the rules leave a claim open, one part is replaced: a direction or order by its contrary, a figure or
//! time by one that stands at a place with the claim's names. If exactly one mended wording is borne out, by a finding
//! that passes every guard, that finding contradicts the claim. Two different mends mean that the part can have several
//! values, and decide nothing.

use std::ops::Range;

use gsar_core::text::figures::{Agreement, ClockTime, Comparator, Figure};
use gsar_core::text::polarity::MarkerKind;
use gsar_core::text::tokens::words;

use crate::evidence::values::{compare, other_time};
use crate::matching::fit::{Except, fields, fit};
use crate::verdict::counterclaims::{exclusive, number_in, plain, replaced};
use crate::verdict::decide::{borne_out_as_well, grounded, is_counted, reworded};
use crate::verdict::ruling::{Basis, Case, Ruling};

/// The most places whose figures and times are tried.
const MOST_PLACES: usize = 4;
/// The most fields of a place.
const MOST_FIELDS: usize = 40;
/// The most wordings tried for one part of a claim.
const MOST_WORDINGS: usize = 6;

/// Decides a claim that is wrong in one part.
pub(crate) fn decide(case: &Case<'_, '_, '_>) -> Option<Ruling> {
    let reading = case.reading;
    let is_open = reading.is_english
        && reading.own == 0
        && !reading.has(MarkerKind::Hedge)
        && !reading.is_causal();
    if !is_open {
        return None;
    }
    // Words of direction may be idle in what a tool states, not in what was measured or computed.
    let contrary = exclusive(reading)
        .into_iter()
        .find_map(|text| mended(case, &[text]))
        .filter(|ruling| matches!(ruling.basis, Basis::Measured | Basis::Derived));
    contrary
        .or_else(|| {
            if is_counted(case) || speaks_of_a_part(case) {
                return None;
            }
            let mut figures = reading.figures.figures.iter();
            figures.find_map(|figure| mended(case, &with_other_figures(case, figure)))
        })
        .or_else(|| {
            let mut times = reading.figures.times.iter();
            times.find_map(|time| mended(case, &with_other_times(case, time)))
        })
}

/// Whether a claim sets some of several things apart, so that a figure of one of them says nothing of the others.
fn speaks_of_a_part(case: &Case<'_, '_, '_>) -> bool {
    const APART: [&str; 8] =
        ["just", "only", "other", "others", "remaining", "rest", "except", "besides"];
    words(case.reading.text).any(|word| APART.iter().any(|apart| word.is(apart)))
}

/// What the only one of several wordings that is borne out says against the claim.
fn mended(case: &Case<'_, '_, '_>, texts: &[String]) -> Option<Ruling> {
    let mut found = None;
    for text in texts.iter().take(MOST_WORDINGS) {
        let finding = reworded(case, text, |other| {
            grounded(other).filter(|_| borne_out_as_well(other).is_none())
        });
        match (finding, &found) {
            (Some(_), Some(_)) => return None,
            (Some(finding), None) => found = Some(finding),
            (None, _) => {}
        }
    }
    found.map(|Ruling { basis, cites, note, .. }| Ruling::contradicted(basis, cites, note))
}

/// The fields of the places that have every name of the claim.
fn places<'a>(case: &'a Case<'_, '_, '_>) -> impl Iterator<Item = u32> + 'a {
    let named = case
        .candidates
        .iter()
        .map(|candidate| fit(case, *candidate, Except::default()))
        .filter(|fit| fit.has_names(case.reading));
    named.take(MOST_PLACES).flat_map(|fit| {
        fields(case.corpus, fit.candidate.target).take(MOST_FIELDS).collect::<Vec<_>>()
    })
}

/// The claim with the figures that its places state instead of one of its own.
fn with_other_figures(case: &Case<'_, '_, '_>, figure: &Figure) -> Vec<String> {
    let text = case.reading.text;
    let is_bound = matches!(figure.comparator, Some(Comparator::Over | Comparator::Under));
    let Some(span) = number_in(text, &figure.span).filter(|_| !is_bound) else {
        return Vec::new();
    };
    let mut wordings = Vec::new();
    for field in places(case) {
        for value in case.cache.values(case.corpus, field) {
            let other = &value.figure;
            let is_other = other.unit == figure.unit
                && other.comparator.is_none()
                && other.value.mantissa >= 0
                && compare(figure, other) == Agreement::Different;
            if is_other {
                offer(text, &span, &plain(other.value.mantissa, other.value.places), &mut wordings);
            }
        }
    }
    wordings
}

/// The claim with the times that its places state instead of one of its own.
fn with_other_times(case: &Case<'_, '_, '_>, time: &ClockTime) -> Vec<String> {
    let text = case.reading.text;
    let Some((span, digits)) = clock_in(text, time) else { return Vec::new() };
    let mut wordings = Vec::new();
    for field in places(case) {
        for stated in case.cache.times(case.corpus, field) {
            let same_zone = stated.offset_minutes.unwrap_or(0) == time.offset_minutes.unwrap_or(0);
            let apart = stated.seconds_of_day.abs_diff(time.seconds_of_day);
            if same_zone && apart > 90 && other_time(time, stated, case.day) {
                let seconds = stated.seconds_of_day;
                let clock =
                    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
                offer(text, &span, clock.get(..digits).unwrap_or(&clock), &mut wordings);
            }
        }
    }
    wordings
}

/// The bytes of the clock in a time as it is written, and how many of `14:03:21` it has.
fn clock_in(text: &str, time: &ClockTime) -> Option<(Range<usize>, usize)> {
    let written = text.get(time.span.clone())?;
    let colon = written.find(':')?;
    let is_clock = |c: char| c.is_ascii_digit() || c == ':';
    let start = written.get(..colon)?.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    let tail = written.get(start..)?;
    let length = tail.find(|c| !is_clock(c)).unwrap_or(tail.len());
    let digits = if tail.get(..length)?.matches(':').count() > 1 { 8 } else { 5 };
    Some((time.span.start + start..time.span.start + start + length, digits))
}

fn offer(text: &str, span: &Range<usize>, by: &str, wordings: &mut Vec<String>) {
    if let Some(wording) = replaced(text, span, by)
        && !wordings.contains(&wording)
        && wordings.len() < MOST_WORDINGS
    {
        wordings.push(wording);
    }
}
