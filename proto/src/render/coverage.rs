//! Renders byte ranges and the coverage of a synthesis.

use core::ops::Range;

use gsar_core::coverage::Coverage;
use gsar_core::report::Uncovered;

use crate::enums::Enumeration;
use crate::v1;

/// Renders a half-open byte range.
#[must_use]
pub fn byte_range(range: &Range<usize>) -> v1::ByteRange {
    v1::ByteRange { start: range.start as u64, end: range.end as u64 }
}

/// Renders the coverage of a synthesis.
#[must_use]
pub fn coverage(coverage: &Coverage) -> v1::Coverage {
    v1::Coverage {
        covered: coverage.covered,
        sentences: coverage.sentences,
        uncovered: coverage.uncovered.iter().map(byte_range).collect(),
        spans: coverage.spans.iter().map(uncovered_span).collect(),
        words: coverage.words.clone(),
    }
}

fn uncovered_span(uncovered: &Uncovered) -> v1::UncoveredSpan {
    let reason = uncovered.reason.number();
    v1::UncoveredSpan { span: Some(byte_range(&uncovered.span)), reason }
}
