//! Percentile bootstrap intervals over cases (Efron and Tibshirani 1993, chapter 13).

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::Random;

/// The number of draws.
const DRAWS: usize = 1_000;

/// The number of draws for a mean.
const DRAWS_OF_MEANS: u64 = 10_000;

/// The seed of the draws, so that the same answers give the same interval.
const SEED: u64 = 1;

/// The share of the ordered values below the interval, and above it.
const TAIL: f64 = 0.025;

/// The middle 95 % of a statistic over drawn cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end, in the unit of the statistic.
    pub low: f64,
    /// Its upper end, in the unit of the statistic.
    pub high: f64,
}

/// The percentile bootstrap interval of a statistic; draws in which it is undefined are left out. `None` if all
/// are.
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

/// The percentile bootstrap interval of a mean, computed on all processors; `None` without values.
pub fn mean_interval(values: &[f64]) -> Option<Interval> {
    let mean = |draw: u64| {
        // Each draw has a sequence of its own, so that the order in which they are made counts nothing.
        let mut random = Random::new(draw);
        let drawn = (0..values.len()).filter_map(|_| values.get(random.below(values.len())));
        drawn.sum::<f64>() / values.len() as f64
    };
    (!values.is_empty())
        .then(|| (0..DRAWS_OF_MEANS).into_par_iter().map(mean).collect())
        .and_then(middle)
}

/// The middle 95 % of values.
fn middle(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    Some(Interval { low: quantile(&values, TAIL)?, high: quantile(&values, 1.0 - TAIL)? })
}

/// A quantile of ordered values, interpolated between the two nearest (Hyndman and Fan 1996, type 7).
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
    fn the_interval_is_the_same_every_time() {
        let cases: Vec<f64> = (0..40).map(f64::from).collect();
        let first = interval(&cases, mean).unwrap();
        assert_eq!(interval(&cases, mean), Some(first));
        assert!(first.low < 19.5 && 19.5 < first.high, "{first:?}");
        // Standard error of the mean: 11.5 / sqrt(40) = 1.83; two of them on either side.
        assert!((15.0..17.0).contains(&first.low), "{first:?}");
        assert!((22.0..24.0).contains(&first.high), "{first:?}");
    }

    #[test]
    fn equal_cases_leave_no_doubt_and_no_case_leaves_no_interval() {
        assert_eq!(interval(&[2.0; 9], mean), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(interval(&[], mean), None);
        assert_eq!(interval(&[1.0], |_| None), None);
    }

    #[test]
    fn undefined_draws_are_left_out() {
        let only_ones = |mut cases: &mut dyn Iterator<Item = &u32>| {
            Iterator::any(&mut cases, |case| *case == 1).then_some(1.0)
        };
        assert_eq!(interval(&[0, 1], only_ones), Some(Interval { low: 1.0, high: 1.0 }));
    }
}
