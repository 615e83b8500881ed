//! Records call latencies by operation and phase.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

#[derive(Debug, Default)]
pub(crate) struct Latencies(Mutex<BTreeMap<(&'static str, &'static str), Vec<u32>>>);

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Line {
    pub(crate) operation: &'static str,
    pub(crate) phase: &'static str,
    pub(crate) calls: usize,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Latencies {
    pub(crate) fn note(&self, operation: &'static str, phase: &'static str, took: Duration) {
        let took = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry((operation, phase)).or_default().push(took);
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .map(|((operation, phase), times)| {
                let mut times = times.clone();
                times.sort_unstable();
                let at = |share: f64| {
                    let index = ((times.len() - 1) as f64 * share).round() as usize;
                    times.get(index).map_or(0.0, |time| f64::from(*time) / 1e3)
                };
                Line {
                    operation,
                    phase,
                    calls: times.len(),
                    p50_ms: at(0.5),
                    p99_ms: at(0.99),
                    max_ms: at(1.0),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computes_quantiles_per_phase() {
        let latencies = Latencies::default();
        for milliseconds in 1..=101 {
            latencies.note("Evaluate", "calm", Duration::from_millis(milliseconds));
        }
        latencies.note("Evaluate", "slow disk", Duration::from_secs(2));
        let lines = latencies.lines();
        assert_eq!(
            (lines[0].calls, lines[0].p50_ms, lines[0].p99_ms, lines[0].max_ms),
            (101, 51.0, 100.0, 101.0)
        );
        assert_eq!((lines[1].phase, lines[1].p50_ms), ("slow disk", 2_000.0));
    }
}
