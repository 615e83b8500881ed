//! Test helpers.

use crate::evidence::{Content, EvidenceId, EvidenceItem, Lane};

pub(crate) fn tool(id: &str, content: &str) -> EvidenceItem {
    let (id, content) = (EvidenceId::new(id).unwrap(), Content::Text(content.to_string()));
    EvidenceItem {
        tool: String::from("kubectl logs"),
        ..EvidenceItem::new(id, Lane::Logs, content)
    }
}
