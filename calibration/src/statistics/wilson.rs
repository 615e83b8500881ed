//! The Wilson score interval (1927). Valid for independent items only.

use super::{Counts, Interval};

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Returns the 95 % score interval of a share, or `None` if nothing was counted.
pub(crate) fn wilson(counts: Counts) -> Option<Interval> {
    if counts.of == 0 {
        return None;
    }
    let (hits, of) = (f64::from(counts.hits), f64::from(counts.of));
    let share = hits / of;
    let squared = Z * Z;
    let middle = (share + squared / (2.0 * of)) / (1.0 + squared / of);
    let spread = (share * (1.0 - share) / of + squared / (4.0 * of * of)).sqrt();
    let half = Z * spread / (1.0 + squared / of);
    Some(Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_mille(hits: u32, of: u32) -> (i64, i64) {
        let interval = wilson(Counts { hits, of }).unwrap();
        ((interval.low * 1_000.0).round() as i64, (interval.high * 1_000.0).round() as i64)
    }

    #[test]
    fn matches_published_intervals() {
        assert_eq!(per_mille(8, 10), (490, 943));
        assert_eq!(per_mille(0, 10), (0, 278));
        assert_eq!(per_mille(10, 10), (722, 1_000));
        assert_eq!(per_mille(50, 100), (404, 596));
        assert_eq!(wilson(Counts::default()), None);
    }
}
