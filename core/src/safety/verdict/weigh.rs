//! This module weighs one measured value, series or switch against what its signal means. Where they stand in the
//! result is not its concern.

use core::cmp::Ordering;

use gsar_extraction::text::figures::{Dimension, Unit};

use super::findings::{Findings, Kind};
use super::lexicon::Bound;
use super::quantity::Quantity;
use super::signal::{
    is_bad, is_counter, is_generic, is_share, polarity_of, same_signal, when_well,
};
use super::{Expectation, Polarity, Signal};

/// Why an empty series decides nothing.
pub(super) const EMPTY: &str = "the series is empty: absent is not 0";

/// Why what is no number decides nothing.
pub(super) const NO_NUMBER: &str = "a value that is no number decides nothing";

/// Whether a text stands for no number at all.
pub(super) fn is_no_number(text: &str) -> bool {
    let text = text.trim_start_matches(['+', '-']);
    ["nan", "inf", "infinity", "null"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// What a value is held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub(super) quantity: Quantity<'a>,
    pub(super) bound: Bound,
}

/// One measured value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    pub(super) value: Quantity<'a>,
    pub(super) reference: Option<Reference<'a>>,
}

impl<'a> Sample<'a> {
    pub(super) fn new(name: &'a str, value: Quantity<'a>) -> Self {
        Self { name, value: value.in_unit_of(name), reference: None }
    }
}

/// What is being looked for, and what was found so far.
pub(super) struct Context<'a> {
    pub(super) expectation: Option<Expectation<'a>>,
    pub(super) findings: Findings,
}

impl Context<'_> {
    /// Whether a number of that name can say anything.
    pub(super) fn is_measured(&self, name: &str) -> bool {
        polarity_of(name).is_some() || self.expectation.is_some()
    }

    /// Weighs a value; says what it found.
    pub(super) fn sample(&mut self, sample: &Sample<'_>) -> Kind {
        let Some((sample, polarity)) = self.expected(sample) else {
            return self.beside(sample.name);
        };
        let (kind, why) = weigh(&sample, polarity);
        self.findings.open |= polarity == Some(Polarity::Backlog) && kind == Kind::Doubt;
        self.findings.add(kind, || described(&sample, polarity, why));
        kind
    }

    /// Weighs a series in order of time by its last value: a fault that is over is no fault. A counter says something
    /// by how far it rose.
    pub(super) fn series<'b>(&mut self, name: &'b str, values: impl Iterator<Item = &'b str>) {
        let mut samples =
            values.filter_map(Quantity::parse).map(|quantity| Sample::new(name, quantity));
        let Some(first) = samples.next() else { return self.doubt(NO_NUMBER) };
        let Some((first, polarity)) = self.expected(&first) else {
            self.beside(name);
            return;
        };
        let is_bad = |sample: &Sample<'_>| weigh(sample, polarity).0 == Kind::Bad;
        let (mut last, mut ever_bad, mut several) = (first, is_bad(&first), false);
        for sample in samples {
            last = Sample { name: first.name, reference: first.reference, ..sample };
            ever_bad |= is_bad(&last);
            several = true;
        }
        let rise = last.value.compare(&first.value);
        let (kind, why) = match (polarity, rise) {
            (Some(Polarity::Fault), Some(Ordering::Greater)) if is_counter(name) => {
                (Kind::Bad, "the counter rose over the series")
            }
            (Some(Polarity::Fault), Some(Ordering::Equal)) if is_counter(name) && several => {
                (Kind::Healthy, "the counter did not rise over the series")
            }
            _ => match weigh(&last, polarity) {
                (kind, _) if ever_bad && kind != Kind::Bad => {
                    (Kind::Recovered, "it was a fault earlier in the series and is none at its end")
                }
                weighed => weighed,
            },
        };
        self.findings.add(kind, || described(&last, polarity, why));
    }

    /// Weighs a condition or switch; says whether its name says what it is when all is well.
    pub(super) fn truth(&mut self, name: &str, holds: bool) -> bool {
        let mut name = name;
        let mut polarity = None;
        if let Some(expectation) = self.expectation {
            if !is_expected(name, &expectation) {
                self.beside(name);
                return false;
            }
            name = if is_generic(name) { expectation.signal } else { name };
            polarity = expectation.polarity;
        }
        let well = polarity.map(|polarity| !is_bad(polarity)).or_else(|| when_well(name));
        let Some(well) = well else { return false };
        let (kind, why) = if holds == well {
            (Kind::Healthy, "as it is when all is well")
        } else {
            (Kind::Bad, "the opposite when all is well")
        };
        self.findings.add(kind, || {
            let signal = Signal {
                name: name.to_string(),
                value: holds.to_string(),
                threshold: None,
                polarity: polarity.or_else(|| polarity_of(name)),
            };
            (format!("{name} is {holds}: {why}"), Some(signal))
        });
        true
    }

    /// Notes what words or states say.
    pub(super) fn note(&mut self, kind: Kind, why: impl FnOnce() -> String) {
        self.findings.add(kind, || (why(), None));
    }

    /// Notes what decides nothing.
    pub(super) fn doubt(&mut self, why: &str) {
        self.note(Kind::Doubt, || why.to_string());
    }

    /// Notes a signal that is not the expected one.
    fn beside(&mut self, name: &str) -> Kind {
        let expected = self.expectation.map_or("", |expectation| expectation.signal);
        self.note(Kind::Doubt, || format!("{name} is not the expected signal {expected}"));
        Kind::Doubt
    }

    /// The sample as the expectation names and bounds it; `None` when another signal is expected.
    fn expected<'b>(&self, sample: &Sample<'b>) -> Option<(Sample<'b>, Option<Polarity>)>
    where
        Self: 'b,
    {
        let Some(expectation) = self.expectation else {
            return Some((*sample, polarity_of(sample.name)));
        };
        if !is_expected(sample.name, &expectation) {
            return None;
        }
        let name = if is_generic(sample.name) { expectation.signal } else { sample.name };
        let threshold = expectation.threshold.and_then(Quantity::parse);
        let reference = sample
            .reference
            .or_else(|| threshold.map(|quantity| Reference { quantity, bound: Bound::ByPolarity }));
        let polarity = expectation.polarity.or_else(|| polarity_of(name));
        Some((Sample { name, reference, ..*sample }, polarity))
    }
}

fn is_expected(name: &str, expectation: &Expectation<'_>) -> bool {
    is_generic(name) || same_signal(name, expectation.signal)
}

fn described(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    why: &str,
) -> (String, Option<Signal>) {
    let name = if sample.name.is_empty() { "value" } else { sample.name };
    let literal = sample.value.literal;
    let threshold = sample.reference.map(|reference| reference.quantity.literal.to_string());
    let reason = match &threshold {
        Some(threshold) => format!("{name} is {literal} of {threshold}: {why}"),
        None => format!("{name} is {literal}: {why}"),
    };
    let signal = Signal { name: name.to_string(), value: literal.to_string(), threshold, polarity };
    (reason, Some(signal))
}

/// What a value says, and why.
fn weigh(sample: &Sample<'_>, polarity: Option<Polarity>) -> (Kind, &'static str) {
    let value = &sample.value;
    if value.is_negative() {
        return (Kind::Doubt, "a negative value is not understood");
    }
    match (polarity, sample.reference) {
        (Some(Polarity::Fault), _) if value.unit.dimension == Dimension::Duration => {
            (Kind::Doubt, "a duration is no count")
        }
        (_, Some(Reference { quantity, bound: Bound::Whole })) => part(value, polarity, &quantity),
        (Some(Polarity::Fault | Polarity::Backlog), _) if value.is_zero() => {
            (Kind::Healthy, "none of a bad thing is healthy")
        }
        (Some(Polarity::Share | Polarity::Stock), _) if value.is_zero() => {
            (Kind::Bad, "none of a good thing is a fault")
        }
        (_, Some(reference)) => against(sample, polarity, &reference),
        (Some(Polarity::Fault), None) if is_counter(sample.name) => {
            (Kind::Doubt, "a counter since its process started; ask for its increase")
        }
        (Some(Polarity::Fault), None)
            if (is_share(sample.name) || value.unit != Unit::COUNT)
                && value.is_below_one_percent() =>
        {
            (Kind::Doubt, "a share below 1 % decides nothing without a threshold")
        }
        (Some(Polarity::Fault), None) => (Kind::Bad, "some of a bad thing is a fault"),
        (Some(Polarity::Share), None) if value.is_whole() => {
            (Kind::Healthy, "the whole of a good thing is healthy")
        }
        (Some(_), None) => (Kind::Doubt, "without a threshold it decides nothing"),
        (None, None) => (Kind::Doubt, "the name does not say what is healthy"),
    }
}

/// A part of a whole: ready of wanted, failed of all.
fn part(
    value: &Quantity<'_>,
    polarity: Option<Polarity>,
    whole: &Quantity<'_>,
) -> (Kind, &'static str) {
    let order = value.compare(whole);
    match polarity {
        _ if whole.is_zero() || whole.is_negative() || order.is_none() => {
            (Kind::Doubt, "none are wanted")
        }
        Some(Polarity::Share | Polarity::Stock) if order == Some(Ordering::Less) => {
            (Kind::Bad, "fewer than wanted")
        }
        Some(Polarity::Share | Polarity::Stock) => (Kind::Healthy, "as many as wanted"),
        Some(Polarity::Fault | Polarity::Backlog) if value.is_zero() => {
            (Kind::Healthy, "none of a bad thing is healthy")
        }
        Some(Polarity::Fault) if value.is_one_percent_of(whole) => {
            (Kind::Bad, "some of a bad thing is a fault")
        }
        _ => (Kind::Doubt, "such a part decides nothing"),
    }
}

/// A value against its threshold.
fn against(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    reference: &Reference<'_>,
) -> (Kind, &'static str) {
    let threshold = reference.quantity.in_unit_of(sample.name);
    let order = sample.value.compare(&threshold);
    let upper = match (reference.bound, polarity.map(is_bad)) {
        (Bound::Upper, Some(false)) | (Bound::Lower, Some(true)) => {
            return (Kind::Doubt, "the threshold's direction and the signal's disagree");
        }
        (Bound::Upper, _) | (_, Some(true)) => true,
        (Bound::Lower, _) | (_, Some(false)) => false,
        // A bare threshold is a limit; being below it shows no health of something unnamed.
        (_, None) if is_generic(sample.name) && order == Some(Ordering::Greater) => true,
        (_, None) => return (Kind::Doubt, "the name does not say which side is healthy"),
    };
    match (order, upper) {
        (None, _) => (Kind::Doubt, "its unit and the threshold's do not compare"),
        (Some(Ordering::Equal), _) => (Kind::Doubt, "exactly at its threshold"),
        (Some(Ordering::Greater), true) => (Kind::Bad, "above its threshold"),
        (Some(Ordering::Less), true) => (Kind::Healthy, "below its threshold"),
        (Some(Ordering::Less), false) => (Kind::Bad, "below its threshold"),
        (Some(Ordering::Greater), false) => (Kind::Healthy, "above its threshold"),
    }
}
