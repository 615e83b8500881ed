//! Tracks the active and recent faults.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::faults::schedule::What;

/// The time after a fault in which its effects are still expected: WAL replay, reconnects, open circuit
/// breakers.
pub(crate) const GRACE: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) what: What,
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

    pub(crate) fn enter(&self, what: What) {
        self.windows().push(Window { what, from: self.now(), until: None });
    }

    pub(crate) fn leave(&self, what: What) {
        let now = self.now();
        let mut windows = self.windows();
        if let Some(window) = windows.iter_mut().rev().find(|window| window.what == what) {
            window.until.get_or_insert(now);
        }
    }

    /// Returns the faults that can affect a call made in this period.
    pub(crate) fn affecting(&self, from: Duration, until: Duration) -> Vec<What> {
        let windows = self.windows();
        let felt = windows.iter().filter(|window| window.affects(from, until));
        felt.map(|window| window.what).collect()
    }

    /// Returns the phase at a time: the active fault, `recovering` shortly after one, or `calm`.
    pub(crate) fn name(&self, at: Duration) -> &'static str {
        let windows = self.windows();
        let holds =
            |window: &&Window| window.from <= at && window.until.is_none_or(|until| at <= until);
        if let Some(window) = windows.iter().rev().find(holds) {
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
    fn faults_affect_calls_until_shortly_after() {
        let window =
            |until| Window { what: What::KillDatabase, from: Duration::from_secs(10), until };
        let felt = |window: Window, from, until| {
            window.affects(Duration::from_secs(from), Duration::from_secs(until))
        };
        let over = window(Some(Duration::from_secs(20)));
        assert!(!felt(over, 0, 9));
        assert!(felt(over, 0, 10) && felt(over, 12, 13) && felt(over, 35, 40));
        assert!(!felt(over, 36, 40));
        assert!(felt(window(None), 1_000, 1_001));
    }
}
