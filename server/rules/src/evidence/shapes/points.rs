//! Series as two arrays side by side: `"Timestamps": […], "Values": […]` of one object.

use std::ops::Range;

use gsar_core::text::figures::figures;

use super::moments::epoch_micros;
use crate::evidence::observations::{Place, Sample, offset};
use crate::evidence::values::moment;

/// Which of the two arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// When.
    Times,
    /// How much.
    Values,
}

impl Axis {
    /// The array that the key of an array announces.
    pub(crate) fn of(key: &str) -> Option<Self> {
        match key {
            "Timestamps" | "timestamps" | "times" | "timestamp" => Some(Self::Times),
            "Values" | "values" | "datapoints" => Some(Self::Values),
            _ => None,
        }
    }
}

/// What is gathered of one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    times: Vec<i64>,
    values: Vec<(f64, Range<usize>)>,
    /// The array of values.
    pub(crate) object: Option<u32>,
    broken: bool,
}

impl Points {
    /// Takes an element of one of the arrays.
    pub(crate) fn take(&mut self, axis: Axis, written: &str, span: Range<usize>) {
        let taken = match axis {
            Axis::Times => time(written).map(|micros| self.times.push(micros)),
            Axis::Values => number(written).map(|value| self.values.push((value, span))),
        };
        self.broken |= taken.is_none();
    }

    /// The samples, where every time has its value.
    pub(crate) fn samples(self) -> Vec<Sample> {
        if self.broken || self.times.len() != self.values.len() {
            return Vec::new();
        }
        let mut samples: Vec<Sample> = self
            .times
            .into_iter()
            .zip(self.values)
            .zip(0_u32..)
            .map(|((micros, (value, span)), index)| {
                let number = (offset(span.start), offset(span.end));
                Sample { micros, value, number, quote: number, place: Place::Index(index) }
            })
            .collect();
        // The newest may come first.
        samples.sort_by_key(|sample| sample.micros);
        samples
    }
}

/// A number that can be a sample.
pub(crate) fn number(written: &str) -> Option<f64> {
    written.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A moment with its day, in microseconds since the epoch.
pub(crate) fn time(written: &str) -> Option<i64> {
    if written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return epoch_micros(written);
    }
    if written.len() > 40 || !written.contains(':') {
        return None;
    }
    let read = figures(written);
    let [time] = read.times.as_slice() else { return None };
    time.date?;
    moment(time, None)
}
