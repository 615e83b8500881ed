//! This module computes the percentile bootstrap interval of a statistic over cases (Efron and Tibshirani 1993,
//! chapter 13): as many cases as there are, drawn with replacement, many times.

use super::Random;

/// The number of draws.
const DRAWS: usize = 1_000;

/// The seed of the draws, so that the same answers give the same interval.
const SEED: u64 = 1;

/// The share of the ordered values below the interval, and above it, in thousandths: 2.5 % each.
const TAIL_PER_MILLE: usize = 25;

/// The middle 95 % of a statistic over drawn cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    /// Its lower end, in the unit of the statistic.
    pub(crate) low: f64,
    /// Its upper end, in the unit of the statistic.
    pub(crate) high: f64,
}

/// The percentile bootstrap interval of a statistic; draws in which it is undefined are left out. `None` where all
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
    values.sort_unstable_by(f64::total_cmp);
    let tail = values.len() * TAIL_PER_MILLE / 1_000;
    let low = *values.get(tail)?;
    let high = *values.get(values.len() - 1 - tail)?;
    Some(Interval { low, high })
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
