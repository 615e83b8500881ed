//! Cohen's kappa (1960) and Spearman's rank correlation (1904).

use std::collections::BTreeMap;

/// Cohen's kappa of two raters over the same items; `None` where there is none, or both always say the same one thing.
pub(crate) fn kappa<C: Ord + Copy>(pairs: &[(C, C)]) -> Option<f64> {
    let of = pairs.len() as f64;
    let mut said: BTreeMap<C, (u32, u32)> = BTreeMap::new();
    for (first, second) in pairs {
        said.entry(*first).or_default().0 += 1;
        said.entry(*second).or_default().1 += 1;
    }
    let agreed = pairs.iter().filter(|(first, second)| first == second).count() as f64 / of;
    let by_chance: f64 =
        said.values().map(|(a, b)| f64::from(*a) * f64::from(*b) / (of * of)).sum();
    (of > 0.0 && by_chance < 1.0).then(|| (agreed - by_chance) / (1.0 - by_chance))
}

/// Spearman's rank correlation; `None` where there are fewer than two pairs or one side does not vary.
pub(crate) fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    pearson(&ranks(&first), &ranks(&second))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let value = |at: usize| values.get(at).copied().unwrap_or_default();
    order.sort_by(|a, b| value(*a).total_cmp(&value(*b)));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    for group in order.chunk_by(|a, b| value(*a) == value(*b)) {
        // The mean of the ranks from + 1 to from + len.
        let mean = (2 * from + group.len() + 1) as f64 / 2.0;
        for at in group {
            if let Some(rank) = ranks.get_mut(*at) {
                *rank = mean;
            }
        }
        from += group.len();
    }
    ranks
}

fn pearson(first: &[f64], second: &[f64]) -> Option<f64> {
    let of = first.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / of;
    let (mean_first, mean_second) = (mean(first), mean(second));
    let mut sums = (0.0, 0.0, 0.0);
    for (a, b) in first.iter().zip(second) {
        let (a, b) = (a - mean_first, b - mean_second);
        sums = (sums.0 + a * b, sums.1 + a * a, sums.2 + b * b);
    }
    let (both, of_first, of_second) = sums;
    (of_first > 0.0 && of_second > 0.0).then(|| both / (of_first * of_second).sqrt())
}
