//! A SplitMix64 random number generator (Steele, Lea and Flood 2014). The sequence is the same on every machine.

/// A SplitMix64 random number generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next random number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a uniformly distributed number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.number()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Returns a number from `low` to `high`, inclusive.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below((high + 1).saturating_sub(low))
    }

    /// Returns `true` with a probability of `percent` in 100.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Picks an item, or returns `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Picks a word, or returns an empty string if there are none.
    pub fn word(&mut self, words: &[&'static str]) -> &'static str {
        self.pick(words).copied().unwrap_or_default()
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_the_reference_sequence() {
        let mut random = Random::new(0);
        // The first numbers from the reference implementation.
        assert_eq!(random.number(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(random.number(), 0x6e78_9e6a_a1b9_65f4);
        assert_ne!(Random::new(1).number(), Random::new(2).number());
    }

    #[test]
    fn numbers_cover_their_range() {
        let mut random = Random::new(7);
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            seen[random.below(5)] += 1;
        }
        assert!(seen.iter().all(|times| *times > 100), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn picks_from_the_given_items() {
        let mut random = Random::new(5);
        for _ in 0..100 {
            assert!((3..=5).contains(&random.between(3, 5)));
            assert!(["a", "b"].contains(&random.word(&["a", "b"])));
        }
        assert_eq!((random.word(&[]), random.pick::<u8>(&[])), ("", None));
        assert!(random.percent(100) && !random.percent(0));
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..20).collect();
        Random::new(3).shuffle(&mut items);
        let mut again: Vec<u32> = (0..20).collect();
        Random::new(3).shuffle(&mut again);
        assert_eq!(items, again);
        assert_ne!(items, (0..20).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
