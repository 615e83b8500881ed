//! Forms batches: the oldest waiting text, and those nearest to it in length.
//!
//! A batch is padded to its longest text, so much shorter texts would waste computation.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::cache::Key;

/// Texts below this many bytes count as equally long, because they have only a few tokens.
const SHORT: usize = 32;

/// The limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The maximum number of texts.
    pub(super) texts: usize,
    /// The maximum number of padded bytes.
    pub(super) bytes: usize,
}

/// The position of a job among the waiting ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    length: usize,
    age: u64,
}

/// The waiting jobs of one priority, indexed by age and by length.
#[derive(Debug, Default)]
pub(super) struct Line {
    by_length: BTreeMap<Place, Key>,
    by_age: BTreeMap<u64, usize>,
}

impl Line {
    /// Adds a job. `age` must be unique and increasing; `length` is in bytes.
    pub(super) fn add(&mut self, key: Key, length: usize, age: u64) -> Place {
        let place = Place { length: length.max(SHORT), age };
        self.by_length.insert(place, key);
        self.by_age.insert(age, place.length);
        place
    }

    /// Removes a job.
    pub(super) fn remove(&mut self, place: Place) {
        self.by_length.remove(&place);
        self.by_age.remove(&place.age);
    }

    /// Returns the number of waiting jobs.
    pub(super) fn len(&self) -> usize {
        self.by_length.len()
    }

    /// Removes and returns the next batch: the oldest job and those of similar length. Empty if no job waits.
    pub(super) fn take(&mut self, bounds: Bounds) -> Vec<Key> {
        let Some((age, length)) = self.by_age.first_key_value() else { return Vec::new() };
        let oldest = Place { length: *length, age: *age };
        let mut shorter = self.by_length.range(..oldest).rev().peekable();
        let mut longer = self.by_length.range(oldest..).peekable();
        let mut batch = Batch { places: Vec::new(), least: oldest.length, most: oldest.length };
        loop {
            let below = shorter.peek().map(|(place, _)| **place);
            let above = longer.peek().map(|(place, _)| **place);
            let is_below_nearer = match (below, above) {
                (None, None) => break,
                (below, above) => {
                    let to_below = below.map_or(usize::MAX, |place| oldest.length - place.length);
                    let to_above = above.map_or(usize::MAX, |place| place.length - oldest.length);
                    to_below < to_above
                }
            };
            let next = if is_below_nearer { shorter.next() } else { longer.next() };
            let Some((place, _)) = next else { break };
            if batch.add(*place, bounds).is_break() {
                break;
            }
        }
        batch
            .places
            .into_iter()
            .filter_map(|place| {
                self.by_age.remove(&place.age);
                self.by_length.remove(&place)
            })
            .collect()
    }
}

struct Batch {
    places: Vec<Place>,
    least: usize,
    most: usize,
}

impl Batch {
    /// Adds a job unless a limit is reached or padding would exceed a quarter of a text.
    fn add(&mut self, place: Place, bounds: Bounds) -> ControlFlow<()> {
        let least = self.least.min(place.length);
        let most = self.most.max(place.length);
        let bytes = most.saturating_mul(self.places.len() + 1);
        let is_first = self.places.is_empty();
        let fits =
            self.places.len() < bounds.texts && bytes <= bounds.bytes && least >= most - most / 4;
        if !is_first && !fits {
            return ControlFlow::Break(());
        }
        self.places.push(place);
        (self.least, self.most) = (least, most);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Bounds = Bounds { texts: 100, bytes: 1 << 20 };

    fn line(lengths: &[usize]) -> Line {
        let mut line = Line::default();
        for (age, length) in lengths.iter().enumerate() {
            line.add(key(*length, age), *length, age as u64);
        }
        line
    }

    fn key(length: usize, age: usize) -> Key {
        Key::new(&[0; 32], &format!("{length} {age}"))
    }

    fn taken(line: &mut Line, bounds: Bounds, lengths: &[usize]) -> Vec<usize> {
        let known: Vec<Key> =
            lengths.iter().enumerate().map(|(age, length)| key(*length, age)).collect();
        let mut ages: Vec<usize> = line
            .take(bounds)
            .iter()
            .map(|key| known.iter().position(|known| known == key).unwrap())
            .collect();
        ages.sort_unstable();
        ages
    }

    #[test]
    fn batches_the_oldest_with_texts_of_similar_length() {
        let lengths = [100, 1000, 90, 101, 5, 110, 990];
        let mut line = line(&lengths);
        assert_eq!(taken(&mut line, WIDE, &lengths), [0, 2, 3, 5]);
        assert_eq!(taken(&mut line, WIDE, &lengths), [1, 6]);
        assert_eq!(taken(&mut line, WIDE, &lengths), [4]);
        assert_eq!(line.len(), 0);
        assert!(line.take(WIDE).is_empty());
    }

    #[test]
    fn respects_the_limits_and_prefers_the_nearest() {
        let lengths = [100, 120, 101, 98, 97];
        let few = Bounds { texts: 3, ..WIDE };
        assert_eq!(taken(&mut line(&lengths), few, &lengths), [0, 2, 3]);
        let light = Bounds { bytes: 205, ..WIDE };
        assert_eq!(taken(&mut line(&lengths), light, &lengths), [0, 2]);
    }

    #[test]
    fn a_text_beyond_the_limit_is_a_batch_of_its_own() {
        let lengths = [5000, 5000];
        let bounds = Bounds { bytes: 100, ..WIDE };
        let mut line = line(&lengths);
        assert_eq!(taken(&mut line, bounds, &lengths), [0]);
        assert_eq!(taken(&mut line, bounds, &lengths), [1]);
    }

    #[test]
    fn short_texts_count_as_equally_long() {
        let lengths = [1, 30, 0, 17];
        assert_eq!(taken(&mut line(&lengths), WIDE, &lengths), [0, 1, 2, 3]);
    }

    #[test]
    fn every_batch_has_the_oldest_and_no_job_is_lost() {
        let lengths: Vec<usize> = (0..500).map(|at| (at * 7919) % 3000).collect();
        let mut line = line(&lengths);
        let mut left: std::collections::BTreeSet<usize> = (0..500).collect();
        while line.len() > 0 {
            let batch = taken(&mut line, Bounds { texts: 16, bytes: 8192 }, &lengths);
            assert!(batch.contains(left.first().unwrap()));
            for age in batch {
                assert!(left.remove(&age));
            }
        }
        assert!(left.is_empty());
    }
}
