//! One measured value against what its signal means.

use alloc::format;
use alloc::string::{String, ToString};
use core::cmp::Ordering;

use super::decimal::{Dimension, Quantity, Unit};
use super::findings::{Findings, Kind};
use super::lookup::words;
use super::polarity::{is_bad, is_generic, is_rate, polarity_of, same_signal, when_well};
use super::{Expectation, Polarity, Signal};

/// What a value is held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<'a> {
    pub(super) quantity: Quantity<'a>,
    pub(super) bound: Bound,
}

/// Which side of a reference is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The side that the signal's polarity says.
    ByPolarity,
    /// Above is a fault.
    Upper,
    /// Below is a fault.
    Lower,
    /// Less than wanted is a fault of a good thing; the value is a part of this whole.
    Whole,
}

/// How a value was exposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exposure {
    /// As it is now.
    Gauge,
    /// Possibly a counter that has risen since its process started.
    Counter,
}

/// One measured value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub(super) name: &'a str,
    pub(super) value: Quantity<'a>,
    pub(super) reference: Option<Reference<'a>>,
    pub(super) exposure: Exposure,
}

impl<'a> Sample<'a> {
    pub(super) const fn new(name: &'a str, value: Quantity<'a>) -> Self {
        Self { name, value, reference: None, exposure: Exposure::Gauge }
    }
}

/// What is being looked for, and what was found so far.
pub(super) struct Context<'a> {
    pub(super) expectation: Option<Expectation<'a>>,
    pub(super) findings: Findings,
    /// The level of the log record being read.
    pub(super) level: Level,
}

/// How loud a log line calls itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Level {
    /// An error or worse.
    Error,
    /// Between, or no level at all.
    #[default]
    Other,
    /// Information or less: what it says of faults is no complaint.
    Quiet,
}

impl Level {
    /// The level of that name.
    pub(super) fn named(name: &str) -> Self {
        let is = |names: &[&str]| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        if is(&["error", "err", "fatal", "critical", "crit", "severe", "panic", "emerg"]) {
            Self::Error
        } else if is(&["info", "debug", "trace", "notice", "information", "verbose"]) {
            Self::Quiet
        } else {
            Self::Other
        }
    }
}

impl Context<'_> {
    /// Weighs a value; says what it found.
    pub(super) fn sample(&mut self, sample: &Sample<'_>) -> Kind {
        let (sample, polarity) = match self.expected(sample) {
            Some(expected) => expected,
            None => return self.beside(sample.name),
        };
        let (kind, why) = weigh(&sample, polarity);
        self.findings.add(kind, || described(&sample, polarity, why));
        kind
    }

    /// Weighs a series in order of time by its last value: a fault that is over is no fault.
    pub(super) fn series<'b>(&mut self, name: &'b str, values: impl Iterator<Item = &'b str>) {
        let quantities = values.map(Quantity::parse);
        let (mut first, mut last, mut ever_bad, mut unreadable) = (None, None, false, false);
        for quantity in quantities {
            let Some(quantity) = quantity else {
                unreadable = true;
                continue;
            };
            first.get_or_insert(quantity);
            last = Some(quantity);
            let Some((sample, polarity)) = self.expected(&Sample::new(name, quantity)) else {
                self.beside(name);
                return;
            };
            ever_bad |= weigh(&sample, polarity).0 == Kind::Bad;
        }
        let (Some(first), Some(last)) = (first, last) else {
            return self.doubt(if unreadable { "the series has no readable value" } else { EMPTY });
        };
        if is_counter(name) {
            return self.counter(name, first, last);
        }
        let Some((sample, polarity)) = self.expected(&Sample::new(name, last)) else { return };
        let (kind, why) = weigh(&sample, polarity);
        if ever_bad && kind != Kind::Bad {
            let why = "it was a fault earlier in the series and is none at its end";
            self.findings.add(Kind::Recovered, || described(&sample, polarity, why));
        } else {
            self.findings.add(kind, || described(&sample, polarity, why));
        }
    }

    /// A counter says something by how far it rose.
    fn counter(&mut self, name: &str, first: Quantity<'_>, last: Quantity<'_>) {
        let Some((sample, polarity)) = self.expected(&Sample::new(name, last)) else { return };
        let rose = first.compare(last) == Some(Ordering::Less);
        let (kind, why) = match polarity {
            Some(Polarity::Fault) if rose => (Kind::Bad, "the counter rose over the series"),
            Some(Polarity::Fault) if first.compare(last) == Some(Ordering::Equal) => {
                (Kind::Healthy, "the counter did not rise over the series")
            }
            _ => (Kind::Doubt, "the counter decides nothing"),
        };
        self.findings.add(kind, || described(&sample, polarity, why));
    }

    /// Weighs a condition or switch; says whether its name says what it is when all is well.
    pub(super) fn truth(&mut self, name: &str, value: bool) -> bool {
        let (name, well) = match self.expectation {
            Some(expectation) if !is_generic(name) && !same_signal(name, expectation.signal) => {
                self.beside(name);
                return false;
            }
            Some(expectation) => {
                let well = expectation.polarity.map(|polarity| !is_bad(polarity));
                let name = if is_generic(name) { expectation.signal } else { name };
                (name, well.or_else(|| when_well(name)))
            }
            None => (name, when_well(name)),
        };
        let Some(well) = well else { return false };
        let (kind, why) = if value == well {
            (Kind::Healthy, "as it is when all is well")
        } else {
            (Kind::Bad, "the opposite when all is well")
        };
        self.findings.add(kind, || {
            let signal = Signal {
                name: name.to_string(),
                value: value.to_string(),
                threshold: None,
                polarity: polarity_of(name),
            };
            (format!("{name} is {value}: {why}"), Some(signal))
        });
        true
    }

    /// Notes what decides nothing.
    pub(super) fn doubt(&mut self, why: &str) {
        self.findings.add(Kind::Doubt, || (why.to_string(), None));
    }

    /// Notes a signal that is not the expected one.
    fn beside(&mut self, name: &str) -> Kind {
        let expected = self.expectation.map_or("", |expectation| expectation.signal);
        self.findings
            .add(Kind::Doubt, || (format!("{name} is not the expected signal {expected}"), None));
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
        if !is_generic(sample.name) && !same_signal(sample.name, expectation.signal) {
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

/// Why an empty series decides nothing.
pub(super) const EMPTY: &str = "the series is empty: absent is not 0";

/// Whether a name is that of a counter as exposed by its process.
pub(super) fn is_counter(name: &str) -> bool {
    name.ends_with("_total")
}

fn described(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    why: &str,
) -> (String, Option<Signal>) {
    let name = if sample.name.is_empty() { "value" } else { sample.name };
    let literal = sample.value.literal;
    let reason = match sample.reference {
        Some(reference) => format!("{name} is {literal} of {}: {why}", reference.quantity.literal),
        None => format!("{name} is {literal}: {why}"),
    };
    let signal = Signal {
        name: name.to_string(),
        value: literal.to_string(),
        threshold: sample.reference.map(|reference| reference.quantity.literal.to_string()),
        polarity,
    };
    (reason, Some(signal))
}

/// What a value says, and why.
fn weigh(sample: &Sample<'_>, polarity: Option<Polarity>) -> (Kind, &'static str) {
    let zero = sample.value.value.is_zero();
    let duration = sample.value.unit.is_some_and(|unit| unit.dimension == Dimension::Time);
    if sample.value.value.is_negative() {
        return (Kind::Doubt, "a negative value is not understood");
    }
    match (polarity, sample.reference) {
        (Some(Polarity::Fault), _) if duration => (Kind::Doubt, "a duration is no count"),
        (_, Some(Reference { quantity, bound: Bound::Whole })) => part(sample, polarity, quantity),
        (Some(Polarity::Fault | Polarity::Backlog), _) if zero => {
            (Kind::Healthy, "none of a bad thing is healthy")
        }
        (Some(Polarity::Share | Polarity::Stock), _) if zero => {
            (Kind::Bad, "none of a good thing is a fault")
        }
        (_, Some(reference)) => against(sample, polarity, reference),
        (Some(Polarity::Fault), None) => counted(sample),
        (Some(Polarity::Share), None) if sample.value.is_whole() => {
            (Kind::Healthy, "the whole of a good thing is healthy")
        }
        (Some(_), None) => (Kind::Doubt, "without a threshold it decides nothing"),
        (None, None) => (Kind::Doubt, "the name does not say what is healthy"),
    }
}

/// Some of a bad thing, without a threshold.
fn counted(sample: &Sample<'_>) -> (Kind, &'static str) {
    let share = is_rate(sample.name) || sample.value.unit.is_some();
    let named = sample.value.unit.or_else(|| unit_of_name(sample.name));
    if sample.exposure == Exposure::Counter && is_counter(sample.name) {
        (Kind::Doubt, "a counter since its process started; ask for its increase")
    } else if share && (Quantity { unit: named, ..sample.value }).is_below_one_percent() {
        (Kind::Doubt, "a share below 1 % decides nothing without a threshold")
    } else {
        (Kind::Bad, "some of a bad thing is a fault")
    }
}

/// A part of a whole: ready of wanted, failed of all.
fn part(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    whole: Quantity<'_>,
) -> (Kind, &'static str) {
    let order = sample.value.compare(whole);
    match polarity {
        _ if whole.value.is_zero() || whole.value.is_negative() || order.is_none() => {
            (Kind::Doubt, "none are wanted")
        }
        Some(Polarity::Share | Polarity::Stock) if order == Some(Ordering::Less) => {
            (Kind::Bad, "fewer than wanted")
        }
        Some(Polarity::Share | Polarity::Stock) => (Kind::Healthy, "as many as wanted"),
        Some(Polarity::Fault | Polarity::Backlog) if sample.value.value.is_zero() => {
            (Kind::Healthy, "none of a bad thing is healthy")
        }
        Some(Polarity::Fault) if sample.value.hundred_times().compare(whole.value).is_ge() => {
            (Kind::Bad, "some of a bad thing is a fault")
        }
        _ => (Kind::Doubt, "such a part decides nothing"),
    }
}

/// A value against its threshold.
fn against(
    sample: &Sample<'_>,
    polarity: Option<Polarity>,
    reference: Reference<'_>,
) -> (Kind, &'static str) {
    let upper = match (reference.bound, polarity.map(is_bad)) {
        (Bound::Upper, Some(false)) | (Bound::Lower, Some(true)) => {
            return (Kind::Doubt, "the threshold's direction and the signal's disagree");
        }
        (Bound::Upper, _) | (_, Some(true)) => true,
        (Bound::Lower, _) | (_, Some(false)) => false,
        (_, None) if sample.name.is_empty() || is_generic(sample.name) => {
            // A bare threshold is a limit; being below it shows no health of something unnamed.
            return match sample.value.compare(reference.quantity) {
                Some(Ordering::Greater) => (Kind::Bad, "above its threshold"),
                _ => (Kind::Doubt, "not above its threshold, and nothing says what it is"),
            };
        }
        (_, None) => return (Kind::Doubt, "the name does not say which side is healthy"),
    };
    let unit = unit_of_name(sample.name);
    let with_unit = |quantity: Quantity<'_>| match quantity.unit {
        Some(unit) => Some(unit),
        None => unit,
    };
    let value = Quantity { unit: with_unit(sample.value), ..sample.value };
    let threshold = Quantity { unit: with_unit(reference.quantity), ..reference.quantity };
    match (value.compare(threshold), upper) {
        (None, _) => (Kind::Doubt, "its unit and the threshold's do not compare"),
        (Some(Ordering::Equal), _) => (Kind::Doubt, "exactly at its threshold"),
        (Some(Ordering::Greater), true) => (Kind::Bad, "above its threshold"),
        (Some(Ordering::Less), true) => (Kind::Healthy, "below its threshold"),
        (Some(Ordering::Less), false) => (Kind::Bad, "below its threshold"),
        (Some(Ordering::Greater), false) => (Kind::Healthy, "above its threshold"),
    }
}

/// The unit that a name ends in: `latency_ms`, `disk_used_percent`.
fn unit_of_name(name: &str) -> Option<Unit> {
    let last = words(name).last()?;
    if matches!(last, "s" | "m" | "h" | "d" | "B" | "min") { None } else { Unit::named(last) }
}
