//! Selects and sorts the k best hits.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A vector found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its key.
    pub key: u64,
    /// Its cosine similarity to the query, from -1 to 1.
    pub similarity: f32,
}

impl Hit {
    /// Orders hits by descending similarity, then by ascending key.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.similarity.total_cmp(&self.similarity).then(self.key.cmp(&other.key))
    }
}

pub(crate) struct TopHits {
    k: usize,
    heap: BinaryHeap<WorstFirst>,
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

impl TopHits {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    #[inline]
    pub(crate) fn offer(&mut self, hit: Hit) {
        if self.heap.len() < self.k {
            self.heap.push(WorstFirst(hit));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit.order(&worst.0).is_lt()
        {
            *worst = WorstFirst(hit);
        }
    }

    pub(crate) fn into_sorted(self) -> Vec<Hit> {
        self.heap.into_sorted_vec().into_iter().map(|WorstFirst(hit)| hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_hits_by_similarity_and_ties_by_key() {
        for k in 0..6 {
            let mut best = TopHits::new(k);
            for (key, similarity) in [(5, 0.5), (9, 0.9), (4, 0.5), (1, -1.0), (3, 0.9)] {
                best.offer(Hit { key, similarity });
            }
            let keys: Vec<u64> = best.into_sorted().iter().map(|hit| hit.key).collect();
            assert_eq!(keys, [3, 9, 4, 5, 1][..k.min(5)]);
        }
    }
}
