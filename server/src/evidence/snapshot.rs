//! Reading an item, or a range of it.

use gsar_core::evidence::EvidenceItem;

use super::store::{self, Head};

/// The number of bytes returned without a range.
pub(super) const HEAD_BYTES: u64 = 4 << 10;
/// The maximum number of bytes returned at once.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// Identifies an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemRef {
    /// By its id.
    Id(String),
    /// By the BLAKE3 digest of its content.
    Digest([u8; 32]),
}

/// A range of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first bytes.
    Head,
    /// A half-open range of bytes.
    Bytes(u64, u64),
    /// An inclusive range of lines, from 1.
    Lines(u64, u64),
}

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The head of the item.
    pub head: Head,
    /// The BLAKE3 digest of its content.
    pub digest: [u8; 32],
    /// The size of its whole content in bytes.
    pub size: u64,
    /// The content of the part.
    pub content: String,
    /// The offset at which it starts; after the requested one if that is inside a character.
    pub start: u64,
}

impl Snapshot {
    /// Converts the part into an item.
    #[must_use]
    pub fn into_item(self) -> EvidenceItem {
        store::item(self.head, self.content)
    }
}
