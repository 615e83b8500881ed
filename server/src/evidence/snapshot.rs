//! This module says how the content of one item, or a range of it, is asked for and given.

use gsar_core::evidence::EvidenceItem;

use super::store::{self, Head};

/// The bytes of the head that is given where no range is asked for.
pub(super) const HEAD_BYTES: u64 = 4 << 10;
/// The most bytes that are given at once.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// Which item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By its id.
    Id(String),
    /// By the BLAKE3 of its content.
    Digest([u8; 32]),
}

/// Which part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its beginning.
    Head,
    /// From an offset in bytes to before another.
    Bytes(u64, u64),
    /// From a line, counted from 1, to another, that one included.
    Lines(u64, u64),
}

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// What the item is.
    pub head: Head,
    /// The BLAKE3 of its content.
    pub digest: [u8; 32],
    /// The bytes of its whole content.
    pub size: u64,
    /// The content in the part.
    pub content: String,
    /// The offset at which that begins; behind the one asked for where that is within a character.
    pub start: u64,
}

impl Snapshot {
    /// An item with the content in the part.
    #[must_use]
    pub fn into_item(self) -> EvidenceItem {
        store::item(self.head, self.content)
    }
}
