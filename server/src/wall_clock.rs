//! This module reads the clock of the machine, which may be set to anything.

use std::time::SystemTime;

use jiff::Timestamp;
use uuid::Uuid;

/// The time now; the first or the last that there is where the clock is beyond it.
pub(crate) fn now() -> Timestamp {
    let now = SystemTime::now();
    let nearest = if now < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(now).unwrap_or(nearest)
}

/// A new id, which sorts behind earlier ones; one by chance where the clock is before 1970.
pub(crate) fn new_id() -> Uuid {
    if SystemTime::now() < SystemTime::UNIX_EPOCH { Uuid::new_v4() } else { Uuid::now_v7() }
}
