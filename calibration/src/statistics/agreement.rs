//! Cohen's kappa (1960) and Spearman's rank correlation (1904).

use std::collections::BTreeMap;

use statrs::statistics::{Data, OrderStatistics as _, RankTieBreaker};

/// Returns Cohen's kappa for two raters, or `None` if there are no items or if both raters always choose
/// the same class.
pub(crate) fn kappa<C: Ord + Copy>(pairs: &[(C, C)]) -> Option<f64> {
    let count = pairs.len() as f64;
    let mut counts: BTreeMap<C, (u32, u32)> = BTreeMap::new();
    for (first, second) in pairs {
        counts.entry(*first).or_default().0 += 1;
        counts.entry(*second).or_default().1 += 1;
    }
    let agreed = pairs.iter().filter(|(first, second)| first == second).count() as f64 / count;
    let by_chance: f64 =
        counts.values().map(|(a, b)| f64::from(*a) * f64::from(*b) / (count * count)).sum();
    (count > 0.0 && by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

/// Returns Spearman's rank correlation, or `None` if there are fewer than two pairs or one side is constant.
///
/// The result does not depend on the order of the pairs: ranks are multiples of a half, so every sum below is exact.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let [first, second] = [first, second].map(rank_deviations);
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let variances = product(&first, &first) * product(&second, &second);
    let correlation = product(&first, &second) / variances.sqrt();
    correlation.is_finite().then_some(correlation)
}

/// Returns the ranks minus their mean. Equal values share their mean rank.
fn rank_deviations(values: Vec<f64>) -> Vec<f64> {
    let mean = (values.len() + 1) as f64 / 2.0;
    let ranks = Data::new(values).ranks(RankTieBreaker::Average);
    ranks.into_iter().map(|rank| rank - mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spearman_ignores_row_order() {
        let mut pairs: Vec<(f64, f64)> = (0..101_u32)
            .map(|i| (f64::from(i * 37 % 101 / 2), f64::from(i * i % 103) / 7.0))
            .collect();
        let expected = spearman(&pairs).map(f64::to_bits);
        assert!(expected.is_some());
        for shift in 1..pairs.len() {
            pairs.rotate_left(shift);
            assert_eq!(spearman(&pairs).map(f64::to_bits), expected);
        }
    }
}
