//! The system clock, which may be wrong.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use uuid::Uuid;

/// Returns the current time, clamped to the range of `Timestamp`.
pub(crate) fn now() -> Timestamp {
    let now = SystemTime::now();
    let limit = if now < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(now).unwrap_or(limit)
}

/// Returns the current time in microseconds since 1970-01-01T00:00:00Z, or 0 before that.
pub(crate) fn now_micros() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_micros()).unwrap_or(i64::MAX)
}

/// Returns a time-ordered UUID, or a random one if the clock is before 1970.
pub(crate) fn new_id() -> Uuid {
    if SystemTime::now() < SystemTime::UNIX_EPOCH { Uuid::new_v4() } else { Uuid::now_v7() }
}
