//! The estimated memory of evidence, for bounded caches.

use gsar_core::evidence::EvidenceItem;

/// The overhead of a set of items, in bytes. The parsed form of a small set is large.
const SET: usize = 2 << 10;
/// The overhead of an item, in bytes.
const ITEM: usize = 256;

pub(crate) fn weight(items: &[EvidenceItem]) -> u32 {
    let bytes: usize = items.iter().map(|item| ITEM + item.content.as_str().len()).sum();
    u32::try_from(SET + bytes).unwrap_or(u32::MAX)
}
