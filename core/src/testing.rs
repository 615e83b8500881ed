//! Test helpers.

use crate::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};

pub(crate) fn tool(id: &str, content: &str) -> EvidenceItem {
    EvidenceItem {
        id: EvidenceId::new(id).unwrap(),
        kind: EvidenceKind::ToolOutput,
        lane: Lane::Logs,
        tool: String::from("kubectl logs"),
        query: String::new(),
        content: Content::Text(content.to_string()),
        collected_at: None,
        exhaustive: false,
        attested: false,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    }
}
