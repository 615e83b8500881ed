//! Formats amounts and times for users.

use std::fmt;

use gsar_core::time::Timestamp;

/// Displays millionths of a dollar as dollars, with two decimals if that is exact, and with six otherwise.
pub(super) struct Dollars(pub(super) u64);

impl fmt::Display for Dollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if micros.is_multiple_of(10_000) {
            write!(f, "${dollars}.{:02}", micros / 10_000)
        } else {
            write!(f, "${dollars}.{micros:06}")
        }
    }
}

pub(super) fn format_instant(instant: Timestamp) -> String {
    match jiff::Timestamp::from_microsecond(instant.as_micros()) {
        Ok(instant) => instant.to_string(),
        Err(_) => "midnight UTC".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_not_rounded() {
        for (micros, shown) in [
            (0, "$0.00"),
            (1, "$0.000001"),
            (9_999, "$0.009999"),
            (10_000, "$0.01"),
            (1_500_000, "$1.50"),
            (1_510_001, "$1.510001"),
            (u64::MAX, "$18446744073709.551615"),
        ] {
            assert_eq!(Dollars(micros).to_string(), shown);
        }
    }

    #[test]
    fn instants_are_formatted_as_rfc_3339() {
        assert_eq!(format_instant(Timestamp::from_micros(86_400_000_000)), "1970-01-02T00:00:00Z");
        assert_eq!(format_instant(Timestamp::from_micros(i64::MAX)), "midnight UTC");
    }
}
