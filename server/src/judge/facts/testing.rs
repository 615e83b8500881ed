//! Evidence for tests of the judge `rules/2`.

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, EvidenceKind, Lane};

pub(super) fn item(id: &str, content: &str) -> EvidenceItem {
    EvidenceItem {
        id: EvidenceId::new(id).unwrap(),
        kind: EvidenceKind::ToolOutput,
        lane: Lane::StaticInfra,
        tool: "kubectl get pods".to_owned(),
        query: String::new(),
        content: Content::Text(content.to_owned()),
        collected_at: None,
        exhaustive: false,
        attested: true,
        step_id: String::new(),
        specialist_id: String::new(),
        verification_result: None,
    }
}
