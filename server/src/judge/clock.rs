//! The clock of the judges' cache and budget. No other module of the judges reads the system clock.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use gsar_core::time::Timestamp;

/// Returns the current time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

const MICROS_PER_DAY: i64 = 24 * 3_600 * 1_000_000;

/// Returns the UTC day of an instant, counted from 1970-01-01.
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(MICROS_PER_DAY)
}

/// Returns the first instant of the next day.
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
