//! The clock of the judges' cache and budgets.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use gsar_core::time::Timestamp;

/// A function that returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

const MICROS_PER_DAY: i64 = 24 * 3_600 * 1_000_000;

/// Returns the UTC day of an instant, as days since 1970-01-01.
pub(super) fn day_of(time: Timestamp) -> i64 {
    time.as_micros().div_euclid(MICROS_PER_DAY)
}

/// Returns the end of a day, which is the start of the next one.
pub(super) fn end_of_day(day: i64) -> Timestamp {
    Timestamp::from_micros(day.saturating_add(1).saturating_mul(MICROS_PER_DAY))
}

/// Returns the system clock.
#[must_use]
pub fn system() -> Clock {
    Arc::new(|| {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX))
    })
}
