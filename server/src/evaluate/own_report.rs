//! This module keeps a report from being its own evidence: items that repeat it count as earlier claims. It judges nothing.

use std::sync::Arc;

use gsar_core::evidence::{EvidenceItem, EvidenceKind};
use gsar_core::own_report::OwnReport;

use crate::call::Call;
use crate::compute::compute_briefly;
use crate::judge::Notice;

/// Makes every item that repeats the report an earlier claim, with a notice that names them.
pub(super) async fn mark(
    call: &Call,
    report: &str,
    mut evidence: Arc<Vec<EvidenceItem>>,
) -> (Arc<Vec<EvidenceItem>>, Option<Notice>) {
    let report = report.to_owned();
    compute_briefly(call, move || {
        let notice = mark_now(&report, &mut evidence);
        (evidence, notice)
    })
    .await
}

fn mark_now(report: &str, evidence: &mut Arc<Vec<EvidenceItem>>) -> Option<Notice> {
    let report = OwnReport::new(report);
    let is_repeated = |item: &EvidenceItem| report.is_repeated_by(item.content.as_str());
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
