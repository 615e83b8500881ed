//! The ledger's metrics.

use std::time::Duration;

use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};

use super::fault::FaultKind;

/// Durable transactions.
const COMMITS_TOTAL: &str = "gsar_ledger_commits_total";
/// Recorded evaluations, without replays.
const RECORDS_TOTAL: &str = "gsar_ledger_records_total";
/// Transaction durations including the commit, in seconds.
const COMMIT_DURATION_SECONDS: &str = "gsar_ledger_commit_duration_seconds";
/// Records per transaction.
const BATCH_SIZE: &str = "gsar_ledger_batch_size";
/// Failed batches and records rejected by a full queue, by [`KIND`].
const ERRORS_TOTAL: &str = "gsar_ledger_errors_total";
/// Deleted evaluations, by [`REASON`].
const DELETED_TOTAL: &str = "gsar_ledger_deleted_total";

/// A label of [`ERRORS_TOTAL`]: `full`, `busy`, `access`, `connection`, `io`, `corrupt`, `replaced`, `other`,
/// `queue_full` or `retention`.
const KIND: &str = "kind";
/// A label of [`DELETED_TOTAL`]: `age`, `size` or `request`.
const REASON: &str = "reason";

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

    pub(super) fn record_commit(&self, duration: Duration, new_count: usize, batch_size: usize) {
        self.commit_duration.record(duration);
        self.commits.increment(1);
        self.records.increment(u64::try_from(new_count).unwrap_or(u64::MAX));
        self.batch_size.record(f64::from(u32::try_from(batch_size).unwrap_or(u32::MAX)));
    }

    pub(super) fn count_failed_batch(&self, kind: FaultKind) {
        for (fault_kind, counter) in &self.faults {
            if *fault_kind == kind {
                counter.increment(1);
            }
        }
    }
}

/// Describes the metrics to the recorder.
fn describe() {
    describe_counter!(COMMITS_TOTAL, "Ledger transactions that became durable.");
    describe_counter!(RECORDS_TOTAL, "Evaluations recorded in the ledger.");
    describe_histogram!(
        COMMIT_DURATION_SECONDS,
        Unit::Seconds,
        "Duration of a ledger transaction, including its commit."
    );
    describe_histogram!(BATCH_SIZE, Unit::Count, "Records in one ledger transaction.");
    describe_counter!(
        ERRORS_TOTAL,
        "Failed ledger batches, and records rejected by a full queue, by kind."
    );
    describe_counter!(DELETED_TOTAL, "Evaluations deleted by retention or on request, by reason.");
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics_exporter_prometheus::PrometheusBuilder;

    #[test]
    fn a_failed_batch_is_counted_by_its_kind() {
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
