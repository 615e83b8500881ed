//! Measures the duration of an evaluation's steps.

use std::time::Instant;

use gsar_proto::v1;
use metrics::histogram;

use crate::call::Step;
use crate::telemetry::metrics as names;

#[derive(Debug)]
pub(super) struct Stopwatch {
    since: Instant,
    laps: Vec<v1::StepTiming>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { since: Instant::now(), laps: Vec::with_capacity(4) }
    }

    pub(super) fn lap(&mut self, step: Step) {
        let now = Instant::now();
        let took = now.duration_since(self.since);
        self.since = now;
        histogram!(names::STEP_SECONDS, "step" => step.name()).record(took);
        let duration = prost_types::Duration {
            seconds: i64::try_from(took.as_secs()).unwrap_or(i64::MAX),
            nanos: i32::try_from(took.subsec_nanos()).unwrap_or(0),
        };
        self.laps.push(v1::StepTiming { step: step.name().to_owned(), duration: Some(duration) });
    }

    /// Returns a stopwatch for another evaluation that shares the steps so far.
    pub(super) fn resumed(&self) -> Self {
        Self { since: Instant::now(), laps: self.laps.clone() }
    }

    pub(super) fn into_timings(self) -> Vec<v1::StepTiming> {
        self.laps
    }
}
