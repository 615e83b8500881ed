//! This module says how much of a bound evidence that is kept in memory takes.

use gsar_core::evidence::EvidenceItem;

/// What a set of items takes beside its contents. Small sets are read into tables that are not small: without this, a
/// bound of contents would admit any number of them.
const SET: usize = 2 << 10;
/// What an item takes beside its content: its id, its tool, its labels.
const ITEM: usize = 256;

/// The bytes of a set of items that count towards a bound.
pub(crate) fn weight(items: &[EvidenceItem]) -> u32 {
    let bytes: usize = items.iter().map(|item| ITEM + item.content.as_str().len()).sum();
    u32::try_from(SET + bytes).unwrap_or(u32::MAX)
}
