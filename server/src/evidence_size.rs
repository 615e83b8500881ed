//! The estimated memory of evidence, for bounded caches.

use gsar_core::evidence::EvidenceItem;

/// The overhead of a set of items, in bytes. The parsed form of a small set is large in relation to its
/// contents.
const SET: usize = 2 << 10;
/// The overhead of an item, in bytes.
const ITEM: usize = 256;

/// Returns the size of the contents, in bytes.
pub(crate) fn content_bytes(items: &[EvidenceItem]) -> usize {
    items.iter().map(|item| item.content.as_str().len()).sum()
}

pub(crate) fn weight(items: &[EvidenceItem]) -> u32 {
    u32::try_from(SET + ITEM * items.len() + content_bytes(items)).unwrap_or(u32::MAX)
}
