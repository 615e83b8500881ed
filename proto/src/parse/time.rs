//! Parses timestamps, windows and durations, truncated to microseconds.

use gsar_core::time::{Timestamp, Window};

use super::field::{optional, present};
use super::path::Path;
use crate::v1;
use crate::violations::Violations;

/// 0001-01-01T00:00:00Z in seconds since 1970, the minimum of protobuf's `Timestamp`.
const FIRST_SECOND: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z in seconds since 1970, the maximum of protobuf's `Timestamp`.
const LAST_SECOND: i64 = 253_402_300_799;
const MICROS_PER_SECOND: i64 = 1_000_000;
const NANOS_PER_SECOND: i32 = 1_000_000_000;
const NANOS_PER_MICRO: i32 = 1_000;

pub(super) fn timestamp(
    path: Path<'_>,
    value: prost_types::Timestamp,
    violations: &mut Violations,
) -> Option<Timestamp> {
    let prost_types::Timestamp { seconds, nanos } = value;
    if !(FIRST_SECOND..=LAST_SECOND).contains(&seconds) {
        violations.add(
            path,
            format_args!(
                "{seconds} s is outside the years 1 to 9999; give seconds since 1970-01-01"
            ),
        );
        return None;
    }
    if !(0..NANOS_PER_SECOND).contains(&nanos) {
        violations.add(path, format_args!("{nanos} ns is out of range; give 0 to 999999999"));
        return None;
    }
    let micros = seconds * MICROS_PER_SECOND + i64::from(nanos / NANOS_PER_MICRO);
    Some(Timestamp::from_micros(micros))
}

/// Parses an optional timestamp. The outer `None` means that it is invalid.
pub(super) fn optional_timestamp(
    path: Path<'_>,
    value: Option<prost_types::Timestamp>,
    violations: &mut Violations,
) -> Option<Option<Timestamp>> {
    optional(value, |value| timestamp(path, value, violations))
}

/// Parses the optional bounds on evaluations' start times.
pub(super) fn start_time_bounds(
    (from_path, from): (Path<'_>, Option<prost_types::Timestamp>),
    (before_path, before): (Path<'_>, Option<prost_types::Timestamp>),
    violations: &mut Violations,
) -> Option<(Option<Timestamp>, Option<Timestamp>)> {
    let from = optional_timestamp(from_path, from, violations);
    let before = optional_timestamp(before_path, before, violations);
    let (from, before) = (from?, before?);
    if from.zip(before).is_some_and(|(from, before)| before <= from) {
        violations.add(before_path, "is not after evaluated_from; give a later time, or omit it");
        return None;
    }
    Some((from, before))
}

/// Parses a window. Both ends are required, and the end must not precede the start.
pub(super) fn window(
    path: Path<'_>,
    value: v1::TimeWindow,
    violations: &mut Violations,
) -> Option<Window> {
    let mut read_edge = |name, value| {
        let path = path.field(name);
        timestamp(path, present(path, value, violations)?, violations)
    };
    let (start, end) = (read_edge("start", value.start), read_edge("end", value.end));
    let window = Window::new(start?, end?);
    if window.is_none() {
        violations.add(path, "ends before it starts; swap start and end");
    }
    window
}

/// Parses a non-negative duration, in microseconds.
pub(super) fn elapsed_micros(
    path: Path<'_>,
    value: prost_types::Duration,
    violations: &mut Violations,
) -> Option<u64> {
    let prost_types::Duration { seconds, nanos } = value;
    if seconds < 0 || nanos < 0 {
        violations.add(path, format_args!("{seconds} s {nanos} ns is negative; give 0 or more"));
        return None;
    }
    if seconds > LAST_SECOND || nanos >= NANOS_PER_SECOND {
        violations.add(path, format_args!("{seconds} s {nanos} ns is not a valid duration"));
        return None;
    }
    u64::try_from(seconds * MICROS_PER_SECOND + i64::from(nanos / NANOS_PER_MICRO)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_micros(seconds: i64, nanos: i32) -> Option<i64> {
        let value = prost_types::Timestamp { seconds, nanos };
        let mut violations = Violations::default();
        let parsed = timestamp(Path::root("at"), value, &mut violations);
        assert_eq!(parsed.is_none(), !violations.is_empty());
        parsed.map(Timestamp::as_micros)
    }

    #[test]
    fn timestamps_are_truncated_to_microseconds() {
        assert_eq!(parse_micros(0, 1_999), Some(1));
        assert_eq!(parse_micros(-1, 999_999_999), Some(-1));
        assert_eq!(parse_micros(LAST_SECOND, 0), Some(LAST_SECOND * MICROS_PER_SECOND));
        assert_eq!(parse_micros(LAST_SECOND + 1, 0), None);
        assert_eq!(parse_micros(i64::MIN, 0), None);
        assert_eq!(parse_micros(0, -1), None);
        assert_eq!(parse_micros(0, NANOS_PER_SECOND), None);
    }
}
