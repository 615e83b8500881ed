//! Renders instants.

use gsar_core::time::Timestamp;

const MICROS_PER_SECOND: i64 = 1_000_000;

/// Renders an instant, exact to the microsecond.
#[must_use]
pub fn timestamp(instant: Timestamp) -> prost_types::Timestamp {
    let micros = instant.as_micros();
    let remainder_micros = micros.rem_euclid(MICROS_PER_SECOND);
    prost_types::Timestamp {
        seconds: micros.div_euclid(MICROS_PER_SECOND),
        nanos: i32::try_from(remainder_micros * 1_000).unwrap_or(0),
    }
}
