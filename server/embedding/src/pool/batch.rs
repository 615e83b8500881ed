//! Forms batches from the oldest waiting job and the jobs closest to it in length.
//!
//! A batch is padded to its longest text, so mixing lengths wastes computation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::cache::Key;

/// Texts up to this length in bytes count as equally long, because they have only a few tokens.
const SHORT: usize = 32;

#[derive(Clone, Copy, Debug)]
pub(super) struct BatchLimits {
    pub(super) texts: usize,
    pub(super) bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    length: usize,
    age: u64,
}

/// The waiting jobs for one priority, indexed by age and by length.
#[derive(Debug, Default)]
pub(super) struct WaitingJobs {
    by_length: BTreeMap<Slot, Key>,
    by_age: BTreeMap<u64, usize>,
}

impl WaitingJobs {
    /// Adds a job. `age` must be unique and increasing. `length` is in bytes.
    pub(super) fn add(&mut self, key: Key, length: usize, age: u64) -> Slot {
        let slot = Slot { length: length.max(SHORT), age };
        self.by_length.insert(slot, key);
        self.by_age.insert(age, slot.length);
        slot
    }

    pub(super) fn remove(&mut self, slot: Slot) {
        self.by_length.remove(&slot);
        self.by_age.remove(&slot.age);
    }

    pub(super) fn len(&self) -> usize {
        self.by_length.len()
    }

    /// Removes and returns the next batch: the oldest job and others of similar length. Empty if no job is
    /// waiting.
    pub(super) fn take(&mut self, limits: BatchLimits) -> Vec<Key> {
        let Some((age, length)) = self.by_age.first_key_value() else { return Vec::new() };
        let oldest = Slot { length: *length, age: *age };
        let mut shorter = self.by_length.range(..oldest).rev().peekable();
        let mut longer = self.by_length.range(oldest..).peekable();
        let mut batch = Batch { slots: Vec::new(), min: oldest.length, max: oldest.length };
        loop {
            let next_shorter = shorter.peek().map(|(slot, _)| **slot);
            let next_longer = longer.peek().map(|(slot, _)| **slot);
            let is_shorter_nearer = match (next_shorter, next_longer) {
                (None, None) => break,
                (next_shorter, next_longer) => {
                    let shorter_distance =
                        next_shorter.map_or(usize::MAX, |slot| oldest.length - slot.length);
                    let longer_distance =
                        next_longer.map_or(usize::MAX, |slot| slot.length - oldest.length);
                    shorter_distance < longer_distance
                }
            };
            let next = if is_shorter_nearer { shorter.next() } else { longer.next() };
            let Some((slot, _)) = next else { break };
            if batch.add(*slot, limits).is_break() {
                break;
            }
        }
        batch
            .slots
            .into_iter()
            .filter_map(|slot| {
                self.by_age.remove(&slot.age);
                self.by_length.remove(&slot)
            })
            .collect()
    }
}

struct Batch {
    slots: Vec<Slot>,
    min: usize,
    max: usize,
}

impl Batch {
    /// Adds a job, unless it would exceed a limit or more than a quarter of a text would be padding.
    fn add(&mut self, slot: Slot, limits: BatchLimits) -> ControlFlow<()> {
        let min = self.min.min(slot.length);
        let max = self.max.max(slot.length);
        let bytes = max.saturating_mul(self.slots.len() + 1);
        let is_first = self.slots.is_empty();
        let fits = self.slots.len() < limits.texts && bytes <= limits.bytes && min >= max - max / 4;
        if !is_first && !fits {
            return ControlFlow::Break(());
        }
        self.slots.push(slot);
        (self.min, self.max) = (min, max);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: BatchLimits = BatchLimits { texts: 100, bytes: 1 << 20 };

    fn waiting_jobs(lengths: &[usize]) -> WaitingJobs {
        let mut jobs = WaitingJobs::default();
        for (age, length) in lengths.iter().enumerate() {
            jobs.add(key(*length, age), *length, age as u64);
        }
        jobs
    }

    fn key(length: usize, age: usize) -> Key {
        Key::new(&[0; 32], &format!("{length} {age}"))
    }

    fn take_lengths(jobs: &mut WaitingJobs, limits: BatchLimits, lengths: &[usize]) -> Vec<usize> {
        let keys: Vec<Key> =
            lengths.iter().enumerate().map(|(age, length)| key(*length, age)).collect();
        let mut ages: Vec<usize> = jobs
            .take(limits)
            .iter()
            .map(|key| keys.iter().position(|candidate| candidate == key).unwrap())
            .collect();
        ages.sort_unstable();
        ages
    }

    #[test]
    fn batches_the_oldest_with_texts_of_similar_length() {
        let lengths = [100, 1000, 90, 101, 5, 110, 990];
        let mut waiting_jobs = waiting_jobs(&lengths);
        assert_eq!(take_lengths(&mut waiting_jobs, WIDE, &lengths), [0, 2, 3, 5]);
        assert_eq!(take_lengths(&mut waiting_jobs, WIDE, &lengths), [1, 6]);
        assert_eq!(take_lengths(&mut waiting_jobs, WIDE, &lengths), [4]);
        assert_eq!(waiting_jobs.len(), 0);
        assert!(waiting_jobs.take(WIDE).is_empty());
    }

    #[test]
    fn respects_the_limits_and_prefers_the_nearest_lengths() {
        let lengths = [100, 120, 101, 98, 97];
        let three_texts = BatchLimits { texts: 3, ..WIDE };
        assert_eq!(take_lengths(&mut waiting_jobs(&lengths), three_texts, &lengths), [0, 2, 3]);
        let few_bytes = BatchLimits { bytes: 205, ..WIDE };
        assert_eq!(take_lengths(&mut waiting_jobs(&lengths), few_bytes, &lengths), [0, 2]);
    }

    #[test]
    fn a_text_beyond_the_limit_is_batched_alone() {
        let lengths = [5000, 5000];
        let limits = BatchLimits { bytes: 100, ..WIDE };
        let mut waiting_jobs = waiting_jobs(&lengths);
        assert_eq!(take_lengths(&mut waiting_jobs, limits, &lengths), [0]);
        assert_eq!(take_lengths(&mut waiting_jobs, limits, &lengths), [1]);
    }

    #[test]
    fn short_texts_count_as_equally_long() {
        let lengths = [1, 30, 0, 17];
        assert_eq!(take_lengths(&mut waiting_jobs(&lengths), WIDE, &lengths), [0, 1, 2, 3]);
    }

    #[test]
    fn batches_start_with_the_oldest_and_lose_no_job() {
        let lengths: Vec<usize> = (0..500).map(|index| (index * 7919) % 3000).collect();
        let mut waiting_jobs = waiting_jobs(&lengths);
        let mut remaining: std::collections::BTreeSet<usize> = (0..500).collect();
        while waiting_jobs.len() > 0 {
            let batch =
                take_lengths(&mut waiting_jobs, BatchLimits { texts: 16, bytes: 8192 }, &lengths);
            assert!(batch.contains(remaining.first().unwrap()));
            for age in batch {
                assert!(remaining.remove(&age));
            }
        }
        assert!(remaining.is_empty());
    }
}
