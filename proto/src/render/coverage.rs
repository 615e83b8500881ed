//! Byte ranges and what of a synthesis its claims cover.

use core::ops::Range;

use gsar_core::coverage::Coverage;

use crate::v1;

/// A half-open byte range.
#[must_use]
pub fn byte_range(range: &Range<usize>) -> v1::ByteRange {
    v1::ByteRange { start: range.start as u64, end: range.end as u64 }
}

/// Coverage of a synthesis.
#[must_use]
pub fn coverage(coverage: &Coverage) -> v1::Coverage {
    v1::Coverage {
        covered: coverage.covered,
        sentences: coverage.sentences,
        uncovered: coverage.uncovered.iter().map(byte_range).collect(),
    }
}
