//! Moments and durations as bare numbers: `"startTimeUnixNano": "1775655060108912128"`, `"createdAt":
//! 1781147910118`, the microseconds of a span.

use gsar_core::text::figures::Unit;

/// The moment that a number under a key of time stands for, in microseconds since the epoch.
pub(crate) fn moment(key: &str, written: &str) -> Option<i64> {
    (written.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && is_moment(key))
        .then(|| epoch_micros(written))?
}

/// Whether a key speaks of a moment.
fn is_moment(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let parts = ["time", "timestamp", "date", "created", "updated", "modified", "unixnano"];
    let is_duration = ["timeout", "duration", "elapsed", "uptime"];
    let ends = ["_at", "_ts", "ts", "_since", "_until", "expires", "expiry", "epoch", "seen"];
    let camel = key.ends_with("At") || key.ends_with("Time");
    !is_duration.iter().any(|part| lower.contains(part))
        && (camel
            || parts.iter().any(|part| lower.contains(part))
            || ends.iter().any(|end| lower.ends_with(end)))
}

/// Seconds, milliseconds, microseconds or nanoseconds since the epoch, told apart by their size.
pub(crate) fn epoch_micros(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i64 = whole.parse().ok()?;
    let micros = match whole.len() {
        9 | 10 => number.checked_mul(1_000_000)?,
        12 | 13 => number.checked_mul(1_000)?,
        15 | 16 => number,
        18 | 19 => number / 1_000,
        _ => return None,
    };
    let thousandths = fraction.get(..3).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or(0);
    Some(if whole.len() <= 10 { micros + thousandths * 1_000 } else { micros })
}

/// The unit of a number under a key that says none, where its neighbours give the shape away: a span that has
/// its start in microseconds has its duration in microseconds.
pub(crate) fn unit_beside(key: &str, start: Option<&str>) -> Option<Unit> {
    if key != "duration" {
        return None;
    }
    Unit::named(match start?.len() {
        12 | 13 => "ms",
        15 | 16 => "us",
        18 | 19 => "ns",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_moment_only_under_a_key_of_time() {
        assert_eq!(moment("startTimeUnixNano", "1775655060108912128"), Some(1_775_655_060_108_912));
        assert_eq!(moment("createdAt", "1781147910118"), Some(1_781_147_910_118_000));
        assert_eq!(moment("last_triggered_ts", "1771959150"), Some(1_771_959_150_000_000));
        assert_eq!(moment("id", "1771959150"), None);
        assert_eq!(moment("timeout", "1771959150"), None);
        assert_eq!(moment("started_at", "42"), None);
    }
}
