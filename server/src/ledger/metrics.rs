//! Handles for the ledger's metrics.

use metrics::{Counter, Histogram, counter, histogram};

use super::fault::FaultKind;
use super::metric_names::{
    BATCH_SIZE, COMMIT_DURATION_SECONDS, COMMITS_TOTAL, DELETED_TOTAL, ERRORS_TOTAL, KIND, REASON,
    RECORDS_TOTAL, describe,
};

#[derive(Clone, Debug)]
pub(super) struct LedgerMetrics {
    pub(super) commits: Counter,
    pub(super) records: Counter,
    pub(super) commit_duration: Histogram,
    pub(super) batch_size: Histogram,
    pub(super) queue_full: Counter,
    pub(super) retention_failures: Counter,
    pub(super) deleted_by_age: Counter,
    pub(super) deleted_by_size: Counter,
    pub(super) deleted_by_id: Counter,
    faults: [(FaultKind, Counter); FaultKind::ALL.len()],
}

impl LedgerMetrics {
    pub(super) fn register() -> Self {
        describe();
        Self {
            commits: counter!(COMMITS_TOTAL),
            records: counter!(RECORDS_TOTAL),
            commit_duration: histogram!(COMMIT_DURATION_SECONDS),
            batch_size: histogram!(BATCH_SIZE),
            queue_full: counter!(ERRORS_TOTAL, KIND => "queue_full"),
            retention_failures: counter!(ERRORS_TOTAL, KIND => "retention"),
            deleted_by_age: counter!(DELETED_TOTAL, REASON => "age"),
            deleted_by_size: counter!(DELETED_TOTAL, REASON => "size"),
            deleted_by_id: counter!(DELETED_TOTAL, REASON => "request"),
            faults: FaultKind::ALL.map(|kind| (kind, counter!(ERRORS_TOTAL, KIND => kind.label()))),
        }
    }

    pub(super) fn record_commit(&self, duration: std::time::Duration, records: u32) {
        self.commit_duration.record(duration);
        self.commits.increment(1);
        self.records.increment(u64::from(records));
        self.batch_size.record(f64::from(records));
    }

    pub(super) fn count_failed_batch(&self, kind: FaultKind) {
        for (fault_kind, counter) in &self.faults {
            if *fault_kind == kind {
                counter.increment(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics_exporter_prometheus::PrometheusBuilder;

    #[test]
    fn a_failed_batch_counts_under_its_kind() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        let metrics = metrics::with_local_recorder(&recorder, LedgerMetrics::register);
        metrics.count_failed_batch(FaultKind::Full);
        metrics.count_failed_batch(FaultKind::Full);
        let text = handle.render();
        assert!(text.contains(r#"gsar_ledger_errors_total{kind="full"} 2"#), "{text}");
        assert!(text.contains(r#"gsar_ledger_errors_total{kind="io"} 0"#), "{text}");
    }
}
