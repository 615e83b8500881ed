//! The weight of evidence in caches of bounded size.

use gsar_core::evidence::EvidenceItem;

/// The overhead of a set of items. Small sets are parsed into large tables: without this, a bound on contents would
/// admit too many.
const SET: usize = 2 << 10;
/// The overhead of an item: its id, tool and labels.
const ITEM: usize = 256;

/// Returns the weight of a set of items in bytes.
pub(crate) fn weight(items: &[EvidenceItem]) -> u32 {
    let bytes: usize = items.iter().map(|item| ITEM + item.content.as_str().len()).sum();
    u32::try_from(SET + bytes).unwrap_or(u32::MAX)
}
