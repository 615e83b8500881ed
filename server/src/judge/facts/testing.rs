//! Evidence for tests of the judge `rules/2`.

use gsar_core::evidence::{Content, EvidenceId, EvidenceItem, Lane};

pub(super) fn item(id: &str, content: &str) -> EvidenceItem {
    let (id, content) = (EvidenceId::new(id).unwrap(), Content::Text(content.to_owned()));
    EvidenceItem {
        tool: "kubectl get pods".to_owned(),
        attested: true,
        ..EvidenceItem::new(id, Lane::StaticInfra, content)
    }
}
