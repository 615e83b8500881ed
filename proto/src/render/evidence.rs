//! Renders evidence items.

use gsar_core::evidence::{Content, EvidenceItem, VerificationResult};

use super::time::timestamp;
use crate::enums::Enumeration;
use crate::v1;

/// Renders an item as in a request, which has no attestation.
#[must_use]
pub fn evidence_item(item: EvidenceItem) -> v1::EvidenceItem {
    v1::EvidenceItem {
        id: item.id.as_str().to_owned(),
        kind: item.kind.number(),
        lane: item.lane.number(),
        tool: item.tool,
        query: item.query,
        content: Some(match item.content {
            Content::Text(text) => v1::evidence_item::Content::Text(text),
            Content::Json(json) => v1::evidence_item::Content::Json(json),
        }),
        collected_at: item.collected_at.map(timestamp),
        exhaustive: item.exhaustive,
        step_id: item.step_id,
        specialist_id: item.specialist_id,
        verification_result: verification_result(item.verification_result),
    }
}

/// Renders the result of a check, or unspecified for `None`.
#[must_use]
pub fn verification_result(result: Option<VerificationResult>) -> i32 {
    result.map_or(0, Enumeration::number)
}
