//! This module keeps a report from being its own evidence: items that repeat it count as earlier claims. It judges nothing.

use std::sync::Arc;

use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::own_report::repeats;

use crate::judge::Notice;

/// Makes every item that repeats the report an earlier claim, with a notice that names them.
pub(super) fn mark(report: &str, evidence: &mut Arc<Vec<EvidenceItem>>) -> Option<Notice> {
    let is_repeated = |item: &EvidenceItem| repeats(item.content.as_str(), report);
    let places: Vec<usize> = evidence
        .iter()
        .enumerate()
        .filter_map(|(place, item)| is_repeated(item).then_some(place))
        .collect();
    if places.is_empty() {
        return None;
    }
    let items = Arc::make_mut(evidence);
    let mut ids = Vec::new();
    for place in places {
        if let Some(item) = items.get_mut(place) {
            item.kind = EvidenceKind::PriorClaim;
            ids.push(item.id.to_string());
        }
    }
    let sentence = format!(
        "a report is never its own evidence: {} holds the text of this report and counts as prior_claim; leave it out",
        ids.join(", ")
    );
    Some(Notice { code: "REPORT_IN_EVIDENCE", sentence })
}
