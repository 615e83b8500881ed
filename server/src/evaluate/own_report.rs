//! Prevents a report from serving as its own evidence.

use std::sync::Arc;

use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::own_report::OwnReport;

use crate::call::Call;
use crate::compute_pool::compute_briefly;
use crate::evidence_size::content_bytes;
use crate::judge::Notice;

/// Marks as a prior claim every item that repeats the report. Returns a notice that lists these items.
pub(super) async fn mark(
    call: &Call,
    report: &str,
    mut evidence: Arc<Vec<EvidenceItem>>,
) -> (Arc<Vec<EvidenceItem>>, Option<Notice>) {
    let report = report.to_owned();
    let bytes = report.len() + content_bytes(&evidence);
    compute_briefly(call, bytes, move || {
        let notice = mark_now(&report, &mut evidence);
        (evidence, notice)
    })
    .await
}

fn mark_now(report: &str, evidence: &mut Arc<Vec<EvidenceItem>>) -> Option<Notice> {
    let report = OwnReport::new(report);
    let is_repeated = |item: &EvidenceItem| report.is_repeated_by(item.content.as_str());
    let positions: Vec<usize> = evidence
        .iter()
        .enumerate()
        .filter_map(|(position, item)| is_repeated(item).then_some(position))
        .collect();
    if positions.is_empty() {
        return None;
    }
    let items = Arc::make_mut(evidence);
    let mut ids = Vec::new();
    for position in positions {
        if let Some(item) = items.get_mut(position) {
            item.kind = EvidenceKind::PriorClaim;
            ids.push(item.id.to_string());
        }
    }
    let sentence = format!(
        "a report cannot be its own evidence, so evidence that repeats this report counts as prior_claim; leave out: {}",
        ids.join(", ")
    );
    Some(Notice { code: "REPORT_IN_EVIDENCE", sentence })
}
