//! Renders byte ranges and the coverage of a synthesis.

use core::ops::Range;

use gsar_core::coverage::Coverage;
use gsar_core::report::{Reason, Uncovered};

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
    let reason = match uncovered.reason {
        Reason::Markup => v1::UncoveredReason::Markup,
        Reason::Marker => v1::UncoveredReason::Marker,
        Reason::Label => v1::UncoveredReason::Label,
        Reason::ColumnHeader => v1::UncoveredReason::ColumnHeader,
        Reason::Title => v1::UncoveredReason::Title,
        Reason::EvidenceLine => v1::UncoveredReason::EvidenceLine,
        Reason::LinkTarget => v1::UncoveredReason::LinkTarget,
        Reason::NotJudged => v1::UncoveredReason::NotJudged,
    };
    v1::UncoveredSpan { span: Some(byte_range(&uncovered.span)), reason: reason.into() }
}
