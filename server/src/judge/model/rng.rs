//! A deterministic random number generator.

/// A random number generator that reads the extendable output of BLAKE3.
pub(super) struct Rng(blake3::OutputReader);

impl Rng {
    pub(super) fn from_hasher(hasher: &blake3::Hasher) -> Self {
        Self(hasher.finalize_xof())
    }

    #[cfg(test)]
    pub(super) fn from_seed(seed: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        Self::from_hasher(&hasher)
    }

    pub(super) fn from_os() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(uuid::Uuid::new_v4().as_bytes()).update(uuid::Uuid::new_v4().as_bytes());
        Self::from_hasher(&hasher)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(super) fn number_below(&mut self, bound: usize) -> usize {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(u64::from_le_bytes(bytes) % bound).unwrap_or(0)
    }

    pub(super) fn choose<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.number_below(list.len()))
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.number_below(last + 1));
        }
    }
}
