//! Checks that the memory and the open descriptors of a server do not grow after its warm-up.

use std::time::Duration;

use serde::Serialize;

use crate::invariants::Violation;
use crate::servers::process::Usage;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) at: Duration,
    pub(crate) server: usize,
    pub(crate) start: u32,
    pub(crate) taken: Usage,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Level {
    pub(crate) server: usize,
    pub(crate) start: u32,
    pub(crate) hours: f64,
    pub(crate) memory_mib: f64,
    pub(crate) memory_mib_per_hour: f64,
    pub(crate) descriptors: f64,
    pub(crate) descriptors_per_hour: f64,
    pub(crate) is_judged: bool,
}

const WARM_UP: Duration = Duration::from_secs(600);
/// The minimum length of a checked series in hours.
const MIN_SPAN: f64 = 0.5;
/// The allowed growth as a share of the median. The two constants below are the minimum that is allowed.
const MAX_SHARE: f64 = 0.25;
const MIN_MEMORY_MIB: f64 = 24.0;
const MIN_DESCRIPTORS: f64 = 16.0;
/// The maximum number of points, which is limited because a slope is computed for every pair.
const MAX_POINTS: usize = 400;

pub(crate) fn levels(samples: &[Sample]) -> Vec<Level> {
    let mut starts: Vec<(usize, u32)> =
        samples.iter().map(|sample| (sample.server, sample.start)).collect();
    starts.sort_unstable();
    starts.dedup();
    starts.into_iter().filter_map(|(server, start)| level(samples, server, start)).collect()
}

fn level(samples: &[Sample], server: usize, start: u32) -> Option<Level> {
    let mut of_start = samples.iter().filter(|s| (s.server, s.start) == (server, start)).peekable();
    let warm = of_start.peek()?.at + WARM_UP;
    let warm: Vec<&Sample> = of_start.filter(|sample| sample.at >= warm).collect();
    let hours = (warm.last()?.at - warm.first()?.at).as_secs_f64() / 3_600.0;
    let series = |value: fn(&Usage) -> f64| -> Vec<(f64, f64)> {
        let step = warm.len().div_ceil(MAX_POINTS).max(1);
        warm.iter().step_by(step).map(|s| (s.at.as_secs_f64() / 3_600.0, value(&s.taken))).collect()
    };
    let memory = series(|usage| usage.memory as f64 / 1_024.0);
    let descriptors = series(|usage| usage.descriptors as f64);
    Some(Level {
        server,
        start,
        hours,
        memory_mib: median(memory.iter().map(|(_, value)| *value).collect())?,
        memory_mib_per_hour: slope(&memory)?,
        descriptors: median(descriptors.iter().map(|(_, value)| *value).collect())?,
        descriptors_per_hour: slope(&descriptors)?,
        is_judged: hours >= MIN_SPAN,
    })
}

/// Returns the median slope over all pairs (Theil-Sen), which is robust against outliers.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let pairs = points.iter().enumerate().flat_map(|(index, one)| {
        let later = points.get(index + 1..).unwrap_or_default();
        later.iter().map(move |other| (other.1 - one.1) / (other.0 - one.0))
    });
    median(pairs.filter(|slope| slope.is_finite()).collect())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

pub(crate) fn check(levels: &[Level]) -> Vec<Violation> {
    let grows = |per_hour: f64, level: &Level, median: f64, min: f64| {
        per_hour * level.hours > (median * MAX_SHARE).max(min)
    };
    let mut violations = Vec::new();
    for level in levels.iter().filter(|level| level.is_judged) {
        let Level { server, start, hours, memory_mib, memory_mib_per_hour, .. } = level;
        if grows(*memory_mib_per_hour, level, *memory_mib, MIN_MEMORY_MIB) {
            violations.push(Violation::new(
                "level",
                format!("server {server}, start {start}: memory grows by {memory_mib_per_hour:.1} MiB per hour over {hours:.1} h, from a median of {memory_mib:.0} MiB"),
            ));
        }
        let Level { descriptors, descriptors_per_hour, .. } = level;
        if grows(*descriptors_per_hour, level, *descriptors, MIN_DESCRIPTORS) {
            violations.push(Violation::new(
                "level",
                format!("server {server}, start {start}: descriptors grow by {descriptors_per_hour:.1} per hour over {hours:.1} h, from a median of {descriptors:.0}"),
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns two hours of samples, one every ten seconds, whose values are functions of the hours passed.
    fn samples(memory: impl Fn(f64) -> f64, descriptors: impl Fn(f64) -> f64) -> Vec<Sample> {
        (0..720)
            .map(|number| {
                let hours = f64::from(number) / 360.0;
                let noise = f64::from(number % 7);
                let taken = Usage {
                    memory: ((memory(hours) + noise) * 1_024.0) as u64,
                    descriptors: descriptors(hours) as u64,
                    threads: 8,
                };
                Sample { at: Duration::from_secs(number as u64 * 10), server: 0, start: 1, taken }
            })
            .collect()
    }

    #[test]
    fn growth_during_warm_up_is_ignored() {
        let warm = |hours: f64| 100.0 + 60.0 * (hours / 0.15).min(1.0);
        let levels = levels(&samples(warm, |_| 40.0));
        assert_eq!(check(&levels), []);
        assert!(levels[0].is_judged && levels[0].memory_mib_per_hour.abs() < 5.0, "{levels:?}");
    }

    #[test]
    fn finds_growing_memory_and_descriptors() {
        let memory = check(&levels(&samples(|hours| 100.0 + 40.0 * hours, |_| 40.0)));
        assert!(memory[0].found.contains("memory grows"), "{memory:?}");
        let descriptors = check(&levels(&samples(|_| 100.0, |hours| 40.0 + 20.0 * hours)));
        assert!(descriptors[0].found.contains("descriptors grow"), "{descriptors:?}");
        assert_eq!((memory.len(), descriptors.len()), (1, 1));
    }

    #[test]
    fn short_runs_are_not_checked() {
        let short = samples(|hours| 100.0 + 400.0 * hours, |_| 40.0);
        let levels = levels(&short[..150]);
        assert!(!levels[0].is_judged && levels[0].memory_mib_per_hour > 300.0);
        assert_eq!(check(&levels), []);
    }
}
