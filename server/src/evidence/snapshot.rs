//! Parts of stored items.

use gsar_core::evidence::EvidenceItem;

use super::store::{self, Head};

/// The number of bytes returned if no range is requested.
pub(super) const HEAD_BYTES: u64 = 4 << 10;
/// The maximum number of bytes returned at once.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// A reference to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemRef {
    /// The id.
    Id(String),
    /// The BLAKE3 digest of the content.
    Digest([u8; 32]),
}

/// The part of an item to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first few kilobytes.
    Head,
    /// A half-open byte range.
    Bytes(u64, u64),
    /// An inclusive range of lines, from 1.
    Lines(u64, u64),
}

/// A part of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The metadata of the item.
    pub head: Head,
    /// The BLAKE3 digest of the whole content.
    pub digest: [u8; 32],
    /// The size of the whole content in bytes.
    pub size: u64,
    /// The text of the part.
    pub content: String,
    /// The byte offset of the part. Larger than requested if the range started inside a character.
    pub start: u64,
}

impl Snapshot {
    /// Converts the part into an item.
    #[must_use]
    pub fn into_item(self) -> EvidenceItem {
        store::build_item(self.head, self.content)
    }
}
