//! Percentile bootstrap intervals over cases (Efron and Tibshirani 1993, chapter 13).

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use serde::Serialize;

use super::Random;

const DRAWS: usize = 1_000;

const MEAN_DRAWS: u64 = 10_000;

/// The seed is fixed so that intervals are reproducible.
const SEED: u64 = 1;

/// The share of draws below the interval, and the share above it.
const TAIL: f64 = 0.025;

/// A 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns the percentile bootstrap interval of a statistic. Skips draws for which it is undefined. Returns
/// `None` if it is undefined for every draw.
pub(crate) fn interval<T>(
    cases: &[T],
    statistic: impl Fn(&mut dyn Iterator<Item = &T>) -> Option<f64>,
) -> Option<Interval> {
    let mut random = Random::new(SEED);
    let mut values = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        let drawn: Vec<&T> =
            (0..cases.len()).filter_map(|_| cases.get(random.below(cases.len()))).collect();
        values.extend(statistic(&mut drawn.into_iter()));
    }
    middle(values)
}

/// Returns the percentile bootstrap interval of a mean, computed in parallel, or `None` if there are no values.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let mean = |draw: u64| {
        // One generator per draw, so that thread order does not matter.
        let mut random = Random::new(draw);
        let drawn = (0..values.len()).filter_map(|_| values.get(random.below(values.len())));
        drawn.sum::<f64>() / values.len() as f64
    };
    (!values.is_empty())
        .then(|| (0..MEAN_DRAWS).into_par_iter().map(mean).collect())
        .and_then(middle)
}

fn middle(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    Some(Interval { low: quantile(&values, TAIL)?, high: quantile(&values, 1.0 - TAIL)? })
}

/// Returns a quantile of ordered values, linearly interpolated (Hyndman and Fan 1996, type 7).
fn quantile(ordered: &[f64], share: f64) -> Option<f64> {
    let at = ordered.len().checked_sub(1)? as f64 * share;
    let (below, rest) = (at.floor() as usize, at.fract());
    let low = *ordered.get(below)?;
    let high = ordered.get(below + 1).copied().unwrap_or(low);
    Some(low + (high - low) * rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(cases: &mut dyn Iterator<Item = &f64>) -> Option<f64> {
        let (mut sum, mut number) = (0.0, 0.0);
        for case in cases {
            sum += case;
            number += 1.0;
        }
        (number > 0.0).then(|| sum / number)
    }

    #[test]
    fn intervals_are_reproducible() {
        let cases: Vec<f64> = (0..40).map(f64::from).collect();
        let first = interval(&cases, mean).unwrap();
        assert_eq!(interval(&cases, mean), Some(first));
        assert!(first.low < 19.5 && 19.5 < first.high, "{first:?}");
        // The standard error of the mean is 11.5 / sqrt(40) = 1.83.
        assert!((15.0..17.0).contains(&first.low), "{first:?}");
        assert!((22.0..24.0).contains(&first.high), "{first:?}");
    }

    #[test]
    fn equal_cases_have_a_point_interval() {
        assert_eq!(interval(&[2.0; 9], mean), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(interval(&[], mean), None);
        assert_eq!(interval(&[1.0], |_| None), None);
    }

    #[test]
    fn skips_undefined_draws() {
        let only_ones = |mut cases: &mut dyn Iterator<Item = &u32>| {
            Iterator::any(&mut cases, |case| *case == 1).then_some(1.0)
        };
        assert_eq!(interval(&[0, 1], only_ones), Some(Interval { low: 1.0, high: 1.0 }));
    }
}
