//! The clock that the judges' cache and budgets use.

use std::sync::Arc;

use gsar_core::time::Timestamp;

use crate::wall_clock;

/// A function that returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

const MICROS_PER_DAY: i64 = 24 * 3_600 * 1_000_000;

/// Returns the UTC day of an instant, as days since 1970-01-01.
pub(super) fn day_of(time: Timestamp) -> i64 {
    time.as_micros().div_euclid(MICROS_PER_DAY)
}

/// Returns the end of a day, which is the start of the next day.
pub(super) fn end_of_day(day: i64) -> Timestamp {
    Timestamp::from_micros(day.saturating_add(1).saturating_mul(MICROS_PER_DAY))
}

/// Returns the system clock.
#[must_use]
pub fn system() -> Clock {
    Arc::new(|| Timestamp::from_micros(wall_clock::now_micros()))
}

#[cfg(test)]
pub(super) mod testing {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    /// A clock that tests set by hand, in seconds since the epoch.
    #[derive(Clone)]
    pub(in crate::judge) struct ManualClock(Arc<AtomicI64>);

    impl ManualClock {
        pub(in crate::judge) fn new(seconds: i64) -> Self {
            Self(Arc::new(AtomicI64::new(seconds)))
        }

        pub(in crate::judge) fn set(&self, seconds: i64) {
            self.0.store(seconds, Ordering::SeqCst);
        }

        pub(in crate::judge) fn clock(&self) -> Clock {
            let seconds = Arc::clone(&self.0);
            Arc::new(move || Timestamp::from_micros(seconds.load(Ordering::SeqCst) * 1_000_000))
        }
    }
}
