//! Cohen's kappa (1960) and Spearman's rank correlation (1904).

use std::collections::BTreeMap;

use statrs::statistics::{Data, OrderStatistics as _, RankTieBreaker, Statistics as _};

/// Cohen's kappa of two raters over the same items; `None` without items, or if both always give the same class.
pub(crate) fn kappa<C: Ord + Copy>(pairs: &[(C, C)]) -> Option<f64> {
    let of = pairs.len() as f64;
    let mut counts: BTreeMap<C, (u32, u32)> = BTreeMap::new();
    for (first, second) in pairs {
        counts.entry(*first).or_default().0 += 1;
        counts.entry(*second).or_default().1 += 1;
    }
    let agreed = pairs.iter().filter(|(first, second)| first == second).count() as f64 / of;
    let by_chance: f64 =
        counts.values().map(|(a, b)| f64::from(*a) * f64::from(*b) / (of * of)).sum();
    (of > 0.0 && by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

/// Spearman's rank correlation; `None` for fewer than two pairs or a constant side.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let [first, second] =
        [first, second].map(|values| Data::new(values).ranks(RankTieBreaker::Average));
    let deviations = (&first).std_dev() * (&second).std_dev();
    let correlation = (&first).covariance(&second) / deviations;
    correlation.is_finite().then_some(correlation)
}
