//! This module says whether memory and descriptors of a server stay level once it is warm.

use std::time::Duration;

use serde::Serialize;

use crate::invariants::Violation;
use crate::servers::process::Taken;

/// What a server took at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Since the load began.
    pub(crate) at: Duration,
    /// Which server.
    pub(crate) server: usize,
    /// Which start of it, from 1.
    pub(crate) start: u32,
    /// What it took.
    pub(crate) taken: Taken,
}

/// How what a server takes changes from one start to its end, once it is warm.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Level {
    /// Which server, and which start of it.
    pub(crate) server: usize,
    /// Which start of it, from 1.
    pub(crate) start: u32,
    /// Hours that are looked at.
    pub(crate) hours: f64,
    /// Median of the resident set, in MiB.
    pub(crate) memory_mib: f64,
    /// Growth of the resident set, in MiB an hour.
    pub(crate) memory_mib_per_hour: f64,
    /// Median of open descriptors.
    pub(crate) descriptors: f64,
    /// Growth of open descriptors an hour.
    pub(crate) descriptors_per_hour: f64,
    /// Whether it is long enough to be held against the bounds.
    pub(crate) is_judged: bool,
}

/// What a server needs to fill its caches.
const WARM_UP: Duration = Duration::from_secs(600);
/// What is looked at after that has to be at least so long to say anything.
const MIN_SPAN: f64 = 0.5;
/// Growth over what is looked at, beyond which it is one: a share of the median, and at least so much.
const MAX_SHARE: f64 = 0.25;
const MIN_MEMORY_MIB: f64 = 24.0;
const MIN_DESCRIPTORS: f64 = 16.0;
/// Points to which a series is thinned out; slopes are of every pair of them.
const MAX_POINTS: usize = 400;

/// The level of every start that was seen past its warm-up.
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
    let series = |value: fn(&Taken) -> f64| -> Vec<(f64, f64)> {
        let step = warm.len().div_ceil(MAX_POINTS).max(1);
        warm.iter().step_by(step).map(|s| (s.at.as_secs_f64() / 3_600.0, value(&s.taken))).collect()
    };
    let memory = series(|taken| taken.memory as f64 / 1_024.0);
    let descriptors = series(|taken| taken.descriptors as f64);
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

/// The median of the slopes of all pairs (Theil and Sen), which a few wild values do not move.
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

/// What grew.
pub(crate) fn check(levels: &[Level]) -> Vec<Violation> {
    let grows = |per_hour: f64, level: &Level, median: f64, least: f64| {
        per_hour * level.hours > (median * MAX_SHARE).max(least)
    };
    let mut violations = Vec::new();
    for level in levels.iter().filter(|level| level.is_judged) {
        let Level { server, start, hours, memory_mib, memory_mib_per_hour, .. } = level;
        if grows(*memory_mib_per_hour, level, *memory_mib, MIN_MEMORY_MIB) {
            violations.push(Violation::new(
                "level",
                format!("server {server}, start {start}: memory grows by {memory_mib_per_hour:.1} MiB an hour over {hours:.1} h, of {memory_mib:.0} MiB"),
            ));
        }
        let Level { descriptors, descriptors_per_hour, .. } = level;
        if grows(*descriptors_per_hour, level, *descriptors, MIN_DESCRIPTORS) {
            violations.push(Violation::new(
                "level",
                format!("server {server}, start {start}: descriptors grow by {descriptors_per_hour:.1} an hour over {hours:.1} h, of {descriptors:.0}"),
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hours of samples, every ten seconds; both values as functions of hours.
    fn samples(memory: impl Fn(f64) -> f64, descriptors: impl Fn(f64) -> f64) -> Vec<Sample> {
        (0..720)
            .map(|number| {
                let hours = f64::from(number) / 360.0;
                let noise = f64::from(number % 7);
                let taken = Taken {
                    memory: ((memory(hours) + noise) * 1_024.0) as u64,
                    descriptors: descriptors(hours) as u64,
                    threads: 8,
                };
                Sample { at: Duration::from_secs(number as u64 * 10), server: 0, start: 1, taken }
            })
            .collect()
    }

    #[test]
    fn what_stays_level_is_found_level_whatever_it_does_while_it_warms_up() {
        let warm = |hours: f64| 100.0 + 60.0 * (hours / 0.15).min(1.0);
        let levels = levels(&samples(warm, |_| 40.0));
        assert_eq!(check(&levels), []);
        assert!(levels[0].is_judged && levels[0].memory_mib_per_hour.abs() < 5.0, "{levels:?}");
    }

    #[test]
    fn memory_and_descriptors_that_grow_are_found() {
        let memory = check(&levels(&samples(|hours| 100.0 + 40.0 * hours, |_| 40.0)));
        assert!(memory[0].found.contains("memory grows"), "{memory:?}");
        let descriptors = check(&levels(&samples(|_| 100.0, |hours| 40.0 + 20.0 * hours)));
        assert!(descriptors[0].found.contains("descriptors grow"), "{descriptors:?}");
        assert_eq!((memory.len(), descriptors.len()), (1, 1));
    }

    #[test]
    fn a_short_run_is_shown_and_not_judged() {
        let short = samples(|hours| 100.0 + 400.0 * hours, |_| 40.0);
        let levels = levels(&short[..150]);
        assert!(!levels[0].is_judged && levels[0].memory_mib_per_hour > 300.0);
        assert_eq!(check(&levels), []);
    }
}
