//! This module ranks: hits in one total order, and the k best of a stream.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The key it was added under.
    pub key: u64,
    /// The cosine of the angle between it and the query, -1 to 1.
    pub similarity: f32,
}

impl Hit {
    /// Best first: greater similarity, then smaller key.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.similarity.total_cmp(&self.similarity).then(self.key.cmp(&other.key))
    }
}

/// The k best hits of those that were offered.
pub(crate) struct Best {
    wanted: usize,
    worst_first: BinaryHeap<WorstFirst>,
}

struct WorstFirst(Hit);

impl Ord for WorstFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl PartialOrd for WorstFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WorstFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for WorstFirst {}

impl Best {
    /// The best `wanted` hits; memory grows with what is offered, not with what is wanted.
    pub(crate) fn new(wanted: usize) -> Self {
        Self { wanted, worst_first: BinaryHeap::new() }
    }

    #[inline]
    pub(crate) fn offer(&mut self, hit: Hit) {
        if self.worst_first.len() < self.wanted {
            self.worst_first.push(WorstFirst(hit));
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && hit.order(&worst.0).is_lt()
        {
            *worst = WorstFirst(hit);
        }
    }

    pub(crate) fn best_first(self) -> Vec<Hit> {
        self.worst_first.into_sorted_vec().into_iter().map(|WorstFirst(hit)| hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_ties_by_key() {
        for wanted in 0..6 {
            let mut best = Best::new(wanted);
            for (key, similarity) in [(5, 0.5), (9, 0.9), (4, 0.5), (1, -1.0), (3, 0.9)] {
                best.offer(Hit { key, similarity });
            }
            let keys: Vec<u64> = best.best_first().iter().map(|hit| hit.key).collect();
            assert_eq!(keys, [3, 9, 4, 5, 1][..wanted.min(5)]);
        }
    }
}
