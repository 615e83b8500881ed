//! Names and descriptions of ledger metrics.

use metrics::{Unit, describe_counter, describe_histogram};

/// Durable transactions.
pub const COMMITS_TOTAL: &str = "gsar_ledger_commits_total";
/// Recorded evaluations, without replays.
pub const RECORDS_TOTAL: &str = "gsar_ledger_records_total";
/// Transaction durations including the commit, in seconds.
pub const COMMIT_DURATION_SECONDS: &str = "gsar_ledger_commit_duration_seconds";
/// Records per transaction.
pub const BATCH_SIZE: &str = "gsar_ledger_batch_size";
/// Failed batches and records rejected by a full queue, by [`KIND`].
pub const ERRORS_TOTAL: &str = "gsar_ledger_errors_total";
/// Deleted evaluations, by [`REASON`].
pub const DELETED_TOTAL: &str = "gsar_ledger_deleted_total";

/// A label of [`ERRORS_TOTAL`]: `full`, `busy`, `access`, `connection`, `io`, `corrupt`, `replaced`, `other`,
/// `queue_full` or `retention`.
pub const KIND: &str = "kind";
/// A label of [`DELETED_TOTAL`]: `age`, `size` or `request`.
pub const REASON: &str = "reason";

/// Describes the metrics to the recorder.
pub fn describe() {
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
