//! Times functions on one thread, and implements the baseline for the rules.

use std::time::Duration;

use gsar_core::Claim;

use crate::cpu_time::of_thread;

/// Returns the median CPU time over several rounds.
pub fn median(rounds: usize, mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let before = of_thread();
            run();
            of_thread().saturating_sub(before)
        })
        .collect();
    times.sort_unstable();
    times.get(rounds / 2).copied().unwrap_or_default()
}

/// Converts a duration to milliseconds.
pub fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns, for each claim, the line with the most words in common. Uses no index.
pub fn scan<'e>(evidence: &'e str, claims: &[Claim]) -> Vec<Option<&'e str>> {
    let best = |claim: &Claim| {
        let claim = claim.text.to_ascii_lowercase();
        let words: Vec<&str> = claim.split_whitespace().collect();
        evidence.lines().max_by_key(|line| {
            let line = line.to_ascii_lowercase();
            words.iter().filter(|word| line.contains(**word)).count()
        })
    };
    claims.iter().map(best).collect()
}
