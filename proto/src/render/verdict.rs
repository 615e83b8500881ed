//! Renders the verdict on a tool result.

use gsar_core::safety::{ClassifiedVerdict, summary};

use crate::enums::Enumeration;
use crate::v1;

/// Renders the verdict on a tool result, with the result on one line.
#[must_use]
pub fn classified_verdict(
    classified: ClassifiedVerdict,
    content: &str,
) -> v1::ClassifyVerdictResponse {
    v1::ClassifyVerdictResponse {
        verdict: classified.verdict.number(),
        reason: classified.reason,
        signal: classified.signal.map(|signal| signal.name).unwrap_or_default(),
        summary: summary(content),
    }
}
