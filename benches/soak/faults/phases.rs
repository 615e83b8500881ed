//! Tracks the active and recent faults.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::faults::schedule::FaultKind;

/// How long after a fault its effects are still expected: WAL replay, reconnects, and open circuit breakers.
pub(crate) const GRACE: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) what: FaultKind,
    /// The start, relative to the start of the load.
    pub(crate) from: Duration,
    /// The end of recovery; `None` while the fault is active.
    pub(crate) until: Option<Duration>,
}

#[derive(Debug)]
pub(crate) struct Phases {
    began: Instant,
    windows: Mutex<Vec<Window>>,
}

impl Phases {
    pub(crate) fn begin() -> Self {
        Self { began: Instant::now(), windows: Mutex::default() }
    }

    pub(crate) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    pub(crate) fn enter(&self, what: FaultKind) {
        self.windows().push(Window { what, from: self.now(), until: None });
    }

    pub(crate) fn leave(&self, what: FaultKind) {
        let now = self.now();
        let mut windows = self.windows();
        if let Some(window) = windows.iter_mut().rev().find(|window| window.what == what) {
            window.until.get_or_insert(now);
        }
    }

    /// Returns the faults that can affect a call made in this period.
    pub(crate) fn affecting(&self, from: Duration, until: Duration) -> Vec<FaultKind> {
        let windows = self.windows();
        let affecting = windows.iter().filter(|window| window.affects(from, until));
        affecting.map(|window| window.what).collect()
    }

    /// Returns the phase at a time: the active fault, `recovering` shortly after one, or `calm`.
    pub(crate) fn name(&self, at: Duration) -> &'static str {
        let windows = self.windows();
        let is_active =
            |window: &&Window| window.from <= at && window.until.is_none_or(|until| at <= until);
        if let Some(window) = windows.iter().rev().find(is_active) {
            return window.what.kind();
        }
        if windows.iter().any(|window| window.affects(at, at)) { "recovering" } else { "calm" }
    }

    fn windows(&self) -> MutexGuard<'_, Vec<Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    fn affects(&self, from: Duration, until: Duration) -> bool {
        self.from <= until && self.until.is_none_or(|end| from <= end + GRACE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_affect_calls_until_shortly_after_recovery() {
        let window =
            |until| Window { what: FaultKind::KillDatabase, from: Duration::from_secs(10), until };
        let affects = |window: Window, from, until| {
            window.affects(Duration::from_secs(from), Duration::from_secs(until))
        };
        let over = window(Some(Duration::from_secs(20)));
        assert!(!affects(over, 0, 9));
        assert!(affects(over, 0, 10) && affects(over, 12, 13) && affects(over, 35, 40));
        assert!(!affects(over, 36, 40));
        assert!(affects(window(None), 1_000, 1_001));
    }
}
