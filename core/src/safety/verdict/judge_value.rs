//! Judges a value, a series or a switch by the polarity of its signal.

use core::cmp::Ordering;

use gsar_extraction::text::figures::{Dimension, Unit};

use super::findings::{FindingKind, Findings};
use super::lexicon::Bound;
use super::quantity::Quantity;
use super::signal::{
    healthy_value, is_bad, is_counter, is_generic, is_share, polarity_of, same_signal,
};
use super::{Expectation, Polarity, Signal};

pub(super) const EMPTY: &str = "the series is empty, which is not the same as 0";

pub(super) const NOT_A_NUMBER: &str = "a value that is not a number is inconclusive";

pub(super) fn is_not_a_number(text: &str) -> bool {
    let text = text.trim_start_matches(['+', '-']);
    ["nan", "inf", "infinity", "null"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub(super) quantity: Quantity<'a>,
    pub(super) bound: Bound,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    pub(super) value: Quantity<'a>,
    pub(super) reference: Option<Reference<'a>>,
}

impl<'a> Sample<'a> {
    pub(super) fn new(name: &'a str, value: Quantity<'a>) -> Self {
        Self { name, value: value.with_unit_of(name), reference: None }
    }
}

pub(super) struct Context<'a> {
    pub(super) expectation: Option<Expectation<'a>>,
    pub(super) findings: Findings,
}

impl Context<'_> {
    pub(super) fn is_measured(&self, name: &str) -> bool {
        polarity_of(name).is_some() || self.expectation.is_some()
    }

    pub(super) fn judge_sample(&mut self, sample: &Sample<'_>) -> FindingKind {
        let Some((sample, polarity)) = self.apply_expectation(sample) else {
            return self.add_unexpected(sample.name);
        };
        let (kind, why) = weigh(&sample, polarity);
        self.findings.has_open_backlog |=
            polarity == Some(Polarity::Backlog) && kind == FindingKind::Inconclusive;
        self.findings.add(kind, || describe(&sample, polarity, why));
        kind
    }

    /// Judges a chronological series by its last value. A counter is judged by its increase.
    pub(super) fn judge_series<'b>(
        &mut self,
        name: &'b str,
        values: impl Iterator<Item = &'b str>,
    ) {
        let mut samples =
            values.filter_map(Quantity::parse).map(|quantity| Sample::new(name, quantity));
        let Some(first) = samples.next() else { return self.add_doubt(NOT_A_NUMBER) };
        let Some((first, polarity)) = self.apply_expectation(&first) else {
            self.add_unexpected(name);
            return;
        };
        let is_bad = |sample: &Sample<'_>| weigh(sample, polarity).0 == FindingKind::SignalFault;
        let (mut last, mut was_bad, mut has_several) = (first, is_bad(&first), false);
        for sample in samples {
            last = Sample { name: first.name, reference: first.reference, ..sample };
            was_bad |= is_bad(&last);
            has_several = true;
        }
        let rise = last.value.compare(&first.value);
        let (kind, why) = match (polarity, rise) {
            (Some(Polarity::Fault), Some(Ordering::Greater)) if is_counter(name) => {
                (FindingKind::SignalFault, "the counter rose over the series")
            }
            (Some(Polarity::Fault), Some(Ordering::Equal)) if is_counter(name) && has_several => {
                (FindingKind::SignalHealth, "the counter did not rise over the series")
            }
            _ => match weigh(&last, polarity) {
                (kind, _) if was_bad && kind != FindingKind::SignalFault => (
                    FindingKind::Recovered,
                    "it was a fault earlier in the series, but not at the end",
                ),
                judgement => judgement,
            },
        };
        self.findings.add(kind, || describe(&last, polarity, why));
    }

    /// Judges a condition or switch. Returns `false` if its healthy value is unknown.
    pub(super) fn judge_condition(&mut self, name: &str, is_true: bool) -> bool {
        let mut name = name;
        let mut polarity = None;
        if let Some(expectation) = self.expectation {
            if !is_expected(name, &expectation) {
                self.add_unexpected(name);
                return false;
            }
            name = if is_generic(name) { expectation.signal } else { name };
            polarity = expectation.polarity;
        }
        let healthy = polarity.map(|polarity| !is_bad(polarity)).or_else(|| healthy_value(name));
        let Some(healthy) = healthy else { return false };
        let (kind, why) = if is_true == healthy {
            (FindingKind::SignalHealth, "this is its healthy value")
        } else {
            (FindingKind::SignalFault, "this is not its healthy value")
        };
        self.findings.add(kind, || {
            let signal = Signal {
                name: name.to_string(),
                value: is_true.to_string(),
                threshold: None,
                polarity: polarity.or_else(|| polarity_of(name)),
            };
            (format!("{name} is {is_true}: {why}"), Some(signal))
        });
        true
    }

    pub(super) fn add_finding(&mut self, kind: FindingKind, why: impl FnOnce() -> String) {
        self.findings.add(kind, || (why(), None));
    }

    pub(super) fn add_doubt(&mut self, why: &str) {
        self.add_finding(FindingKind::Inconclusive, || why.to_string());
    }

    fn add_unexpected(&mut self, name: &str) -> FindingKind {
        let expected = self.expectation.map_or("", |expectation| expectation.signal);
        self.add_finding(FindingKind::Inconclusive, || {
            format!("{name} is not the expected signal {expected}")
        });
        FindingKind::Inconclusive
    }

    /// Applies the expectation to a sample. Returns `None` if another signal is expected.
    fn apply_expectation<'b>(&self, sample: &Sample<'b>) -> Option<(Sample<'b>, Option<Polarity>)>
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

fn describe(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    why: &str,
) -> (String, Option<Signal>) {
    let name = if sample.name.is_empty() { "value" } else { sample.name };
    let literal = sample.value.literal;
    let threshold = sample.reference.map(|reference| reference.quantity.literal.to_string());
    let separator = match sample.reference.map(|reference| reference.bound) {
        Some(Bound::Whole) => "of",
        _ => "against",
    };
    let reason = match &threshold {
        Some(threshold) => format!("{name} is {literal} {separator} {threshold}: {why}"),
        None => format!("{name} is {literal}: {why}"),
    };
    let signal = Signal { name: name.to_string(), value: literal.to_string(), threshold, polarity };
    (reason, Some(signal))
}

fn weigh(sample: &Sample<'_>, polarity: Option<Polarity>) -> (FindingKind, &'static str) {
    let value = &sample.value;
    if value.is_negative() {
        return (FindingKind::Inconclusive, "a negative value is inconclusive");
    }
    match (polarity, sample.reference) {
        (Some(Polarity::Fault), _) if value.unit.dimension == Dimension::Duration => {
            (FindingKind::Inconclusive, "a duration is not a count")
        }
        (_, Some(Reference { quantity, bound: Bound::Whole })) => {
            weigh_part(value, polarity, &quantity)
        }
        (Some(Polarity::Fault | Polarity::Backlog), _) if value.is_zero() => {
            (FindingKind::SignalHealth, "zero is healthy")
        }
        (Some(Polarity::Share | Polarity::Stock), _) if value.is_zero() => {
            (FindingKind::SignalFault, "zero is a fault")
        }
        (_, Some(reference)) => weigh_against(sample, polarity, &reference),
        (Some(Polarity::Fault), None) if is_counter(sample.name) => {
            (FindingKind::Inconclusive, "a counter value is inconclusive; query its increase")
        }
        (Some(Polarity::Fault), None)
            if (is_share(sample.name) || value.unit != Unit::COUNT)
                && value.is_below_one_percent() =>
        {
            (FindingKind::Inconclusive, "a share below 1 % needs a threshold")
        }
        (Some(Polarity::Fault), None) => {
            (FindingKind::SignalFault, "any value above zero is a fault")
        }
        (Some(Polarity::Share), None) if value.is_whole() => {
            (FindingKind::SignalHealth, "the full share is healthy")
        }
        (Some(_), None) => (FindingKind::Inconclusive, "it needs a threshold"),
        (None, None) => (FindingKind::Inconclusive, "the healthy value is unknown"),
    }
}

fn weigh_part(
    value: &Quantity<'_>,
    polarity: Option<Polarity>,
    total: &Quantity<'_>,
) -> (FindingKind, &'static str) {
    let order = value.compare(total);
    match polarity {
        _ if total.is_zero() || total.is_negative() || order.is_none() => {
            (FindingKind::Inconclusive, "the desired number is unknown or zero")
        }
        Some(Polarity::Share | Polarity::Stock) if order == Some(Ordering::Less) => {
            (FindingKind::SignalFault, "this is fewer than desired")
        }
        Some(Polarity::Share | Polarity::Stock) => {
            (FindingKind::SignalHealth, "this is the desired number")
        }
        Some(Polarity::Fault | Polarity::Backlog) if value.is_zero() => {
            (FindingKind::SignalHealth, "zero is healthy")
        }
        Some(Polarity::Fault) if value.is_at_least_one_percent_of(total) => {
            (FindingKind::SignalFault, "any value above zero is a fault")
        }
        _ => (FindingKind::Inconclusive, "this share is inconclusive"),
    }
}

fn weigh_against(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    reference: &Reference<'_>,
) -> (FindingKind, &'static str) {
    let threshold = reference.quantity.with_unit_of(sample.name);
    let order = sample.value.compare(&threshold);
    let is_upper_bound = match (reference.bound, polarity.map(is_bad)) {
        (Bound::Upper, Some(false)) | (Bound::Lower, Some(true)) => {
            return (
                FindingKind::Inconclusive,
                "the direction of the threshold contradicts that of the signal",
            );
        }
        (Bound::Upper, _) | (_, Some(true)) => true,
        (Bound::Lower, _) | (_, Some(false)) => false,
        // An unnamed value below a threshold without a direction does not show health.
        (_, None) if is_generic(sample.name) && order == Some(Ordering::Greater) => true,
        (_, None) => {
            return (FindingKind::Inconclusive, "the healthy side of the threshold is unknown");
        }
    };
    match (order, is_upper_bound) {
        (None, _) => {
            (FindingKind::Inconclusive, "its unit is not comparable with the unit of the threshold")
        }
        (Some(Ordering::Equal), _) => (FindingKind::Inconclusive, "it is exactly at its threshold"),
        (Some(Ordering::Greater), true) => (FindingKind::SignalFault, "it is above its threshold"),
        (Some(Ordering::Less), true) => (FindingKind::SignalHealth, "it is below its threshold"),
        (Some(Ordering::Less), false) => (FindingKind::SignalFault, "it is below its threshold"),
        (Some(Ordering::Greater), false) => {
            (FindingKind::SignalHealth, "it is above its threshold")
        }
    }
}
