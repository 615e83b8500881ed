//! Weighted reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): a key's score is the sum of weight /
//! (10 + rank) over all rankings. docs/EVALUATION.md, "How the rankings are fused", explains the constant 10.

use std::collections::BTreeMap;

/// The constant in reciprocal rank fusion. The larger it is, the less the first ranks differ.
const SMOOTHING: u64 = 10;
/// The unit of scores, which are integers so that the order does not depend on rounding.
const BILLION: u64 = 1_000_000_000;

/// A key with its score, in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fused {
    /// The key.
    pub key: u64,
    /// The sum of weight / (10 + rank), in billionths, each term rounded down.
    pub score: u64,
}

/// Fuses rankings, each given as its weight and its keys, best first. Returns the keys in descending order
/// of score, and keys with equal scores in ascending order. A key counts only once per ranking.
#[must_use]
pub fn fuse(rankings: &[(u32, &[u64])]) -> Vec<Fused> {
    let mut sums: BTreeMap<u64, u64> = BTreeMap::new();
    for (weight, ranking) in rankings {
        let mut seen = std::collections::HashSet::new();
        for (rank, key) in (1_u64..).zip(ranking.iter().filter(|key| seen.insert(**key))) {
            *sums.entry(*key).or_default() += u64::from(*weight) * BILLION / (SMOOTHING + rank);
        }
    }
    let mut fused: Vec<Fused> = sums.into_iter().map(|(key, score)| Fused { key, score }).collect();
    fused.sort_by(|a, b| b.score.cmp(&a.score).then(a.key.cmp(&b.key)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(rankings: &[&[u64]]) -> Vec<u64> {
        let rankings: Vec<(u32, &[u64])> = rankings.iter().map(|ranking| (1, *ranking)).collect();
        fuse(&rankings).into_iter().map(|fused| fused.key).collect()
    }

    #[test]
    fn keys_in_several_rankings_rank_first() {
        assert_eq!(keys(&[&[1, 2, 3], &[3, 4]]), [3, 1, 2, 4]);
        assert_eq!(keys(&[&[7, 5]]), [7, 5]);
        assert_eq!(keys(&[&[9], &[8]]), [8, 9]);
        assert_eq!(keys(&[&[1, 1, 2]]), [1, 2]);
        assert!(keys(&[]).is_empty());
        let weighted = fuse(&[(1, &[7, 5]), (4, &[5])]);
        assert_eq!(weighted.first().map(|fused| (fused.key, fused.score)), Some((5, 446_969_696)));
    }
}
