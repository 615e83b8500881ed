//! This module draws numbers one after another from a seed, the same for the same seed. The callers choose the seed.

/// Numbers drawn from a seed.
pub(super) struct Draws(blake3::OutputReader);

impl Draws {
    /// Drawn from what that hasher has read.
    pub(super) fn of(hasher: &blake3::Hasher) -> Self {
        Self(hasher.finalize_xof())
    }

    /// Drawn from the randomness of the operating system.
    pub(super) fn from_os() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(uuid::Uuid::new_v4().as_bytes()).update(uuid::Uuid::new_v4().as_bytes());
        Self::of(&hasher)
    }

    /// A number from 0 to `bound` - 1; 0 where there is none.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let mut drawn = [0; 8];
        self.0.fill(&mut drawn);
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(u64::from_le_bytes(drawn) % bound).unwrap_or(0)
    }

    /// One of them.
    pub(super) fn one_of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }

    /// Puts them in an order in which each has the same chance of each place.
    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}
