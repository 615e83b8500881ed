//! Property tests for verdicts.

use super::Verdict::{Inconclusive, Refutes, Supports};
use super::tests::verdict;
use proptest::prelude::*;

const BAD: [&str; 6] = ["errors", "timeouts", "restarts", "crashes", "failures", "error_rate"];
const GOOD: [&str; 4] = ["ready", "availability", "success_rate", "free_disk"];

proptest! {
    #[test]
    fn a_healthy_result_never_supports_a_fault(
        bad in proptest::sample::select(&BAD[..]), template in 0usize..12, places in 0usize..5, upper: bool,
    ) {
        let zero = if places == 0 { "0".to_string() } else { format!("0.{}", "0".repeat(places)) };
        let content = match template {
            0 => format!("{bad}: {zero}"),
            1 => format!("{bad}={zero}"),
            2 => format!("{bad} is {zero}"),
            3 => format!("no {bad}"),
            4 => format!("0 {bad} in the last 5 minutes"),
            5 => format!("without {bad}"),
            6 => format!("{bad}: none"),
            7 => format!(r#"{{"{bad}": {zero}}}"#),
            8 => format!(r#"{{"name": "{bad}", "value": "{zero}"}}"#),
            9 => format!("{bad} {zero}"),
            10 => format!("ERROR {bad} fell to {zero}"),
            _ => format!("no longer any {bad}"),
        };
        let content = if upper { content.to_uppercase() } else { content };
        prop_assert_ne!(verdict(&content), Supports, "{}", content);
    }

    #[test]
    fn a_good_signal_at_zero_always_supports_a_fault(good in proptest::sample::select(&GOOD[..]), template in 0usize..5) {
        let content = match template {
            0 => format!("{good}: 0"),
            1 => format!("{good} is 0"),
            2 => format!(r#"{{"{good}": 0}}"#),
            3 => format!(r#"{{"name": "{good}", "value": 0.0, "threshold": 0.5}}"#),
            _ => format!("{good}: 0 threshold 0.5"),
        };
        prop_assert_eq!(verdict(&content), Supports, "{}", content);
    }

    #[test]
    fn loads_are_compared_exactly_with_their_thresholds(value in 0u64..2_000_000, threshold in 1u64..2_000_000) {
        let decimal = |micros: u64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let content = format!(r#"{{"name": "cpu", "value": {}, "threshold": {}}}"#, decimal(value), decimal(threshold));
        let expected = match value.cmp(&threshold) {
            core::cmp::Ordering::Less => Refutes,
            core::cmp::Ordering::Equal => Inconclusive,
            core::cmp::Ordering::Greater => Supports,
        };
        prop_assert_eq!(verdict(&content), expected);
    }

    #[test]
    fn classifies_any_text(text in "\\PC{0,200}") {
        let _ = verdict(&text);
    }

    #[test]
    fn classifies_any_arrangement_of_known_words(
        parts in proptest::collection::vec(proptest::sample::select(&[
            "no", "not", "errors", "failed", "to", "of", "0", "5%", "0/5", "ready", ":", "=", ",", ".", "(", ")",
            "threshold", "is", "from", "up", "out", "timed", "could", "NaN", "True", "Ready", "{", "}", "\"", "\n",
            "NAME READY STATUS", "level=error", "type: Ready", "status:", "on", "longer", "stopped", "-", "é", "’",
        ][..]), 0..24),
    ) {
        let _ = verdict(&parts.join(" "));
        let _ = verdict(&parts.concat());
    }
}
