//! A BLAKE3 hasher for length-prefixed fields. It buffers them, because hashing many short texts one by one is slow.

const BUFFER_BYTES: usize = 16 << 10;

pub(crate) struct FieldHasher {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
}

impl FieldHasher {
    pub(crate) fn new(hasher: blake3::Hasher) -> Self {
        Self { hasher, buffer: Vec::with_capacity(BUFFER_BYTES) }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.feed(bytes);
    }

    pub(crate) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.feed(&number.to_le_bytes());
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.feed(&[u8::from(flag)]);
    }

    pub(crate) fn option<T>(&mut self, value: Option<&T>, add_value: impl FnOnce(&mut Self, &T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            add_value(self, value);
        }
    }

    /// Adds bytes without their length.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((head, tail)) = bytes.split_at_checked(BUFFER_BYTES - self.buffer.len()) {
            self.buffer.extend_from_slice(head);
            self.hasher.update(&self.buffer);
            self.buffer.clear();
            bytes = tail;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns a hasher over all fields.
    pub(crate) fn into_hasher(mut self) -> blake3::Hasher {
        self.hasher.update(&self.buffer);
        self.hasher
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        self.into_hasher().finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn buffered_fields_hash_like_unbuffered_ones(lengths in prop::collection::vec(0_usize..100_000, 0..6)) {
            let mut digest = FieldHasher::new(blake3::Hasher::new());
            let mut unbuffered = blake3::Hasher::new();
            for length in lengths {
                let field = vec![7; length];
                digest.bytes(&field);
                unbuffered.update(&(length as u64).to_le_bytes());
                unbuffered.update(&field);
            }
            prop_assert_eq!(digest.finish(), *unbuffered.finalize().as_bytes());
        }
    }
}
