//! Measures the duration of an evaluation's steps.

use std::time::Instant;

use gsar_proto::v1;
use metrics::histogram;

use crate::call::Step;
use crate::telemetry::metrics as names;

#[derive(Debug)]
pub(super) struct Stopwatch {
    lap_start: Instant,
    laps: Vec<v1::StepTiming>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self { lap_start: Instant::now(), laps: Vec::with_capacity(4) }
    }

    pub(super) fn lap(&mut self, step: Step) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.lap_start);
        self.lap_start = now;
        histogram!(names::STEP_SECONDS, "step" => step.name()).record(elapsed);
        let duration = prost_types::Duration::try_from(elapsed).ok();
        self.laps.push(v1::StepTiming { step: step.name().to_owned(), duration });
    }

    /// Returns a stopwatch for another evaluation that shares the steps so far.
    pub(super) fn fork(&self) -> Self {
        Self { lap_start: Instant::now(), laps: self.laps.clone() }
    }

    pub(super) fn into_timings(self) -> Vec<v1::StepTiming> {
        self.laps
    }
}
