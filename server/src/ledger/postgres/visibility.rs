//! Finds the sequence up to which all evaluations are visible. Sequence values are assigned before commit, so
//! that a lower value can become visible after a higher one.
//!
//! Until it commits, a writer holds a shared advisory lock on the last sequence value before its own. All
//! transactions in progress are above the lowest lock, or above the last value that was assigned before the
//! locks were read. Transactions never wait for each other.

use crate::storage::postgres::query;
use deadpool_postgres::GenericClient;
use tokio_postgres::Error;

/// The highest 24 bits of the lock keys.
const LOCKS: i64 = 0x67_7361;

/// Returns the query that takes the lock. It must run before a sequence value is assigned.
pub(super) fn lock_before_value() -> String {
    format!(
        "SELECT pg_advisory_xact_lock_shared({} | CASE WHEN is_called THEN last_value ELSE last_value - 1 END) \
         FROM evaluation_sequence",
        LOCKS << 40
    )
}

/// Returns the sequence up to which all evaluations are visible.
pub(super) async fn last_visible_sequence(client: &impl GenericClient) -> Result<i64, Error> {
    const LAST: &str = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM evaluation_sequence";
    // `pg_locks` splits a 64-bit key into two columns.
    const LOWEST: &str = "SELECT min(((classid::bigint & 255) << 32) | objid::bigint) FROM pg_locks \
         WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 8 = $1 \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    // The last value must be read first, because a writer locks before it takes its value.
    let last_value: i64 = query::one(client, LAST, &[]).await?.get(0);
    let lowest_lock: Option<i64> = query::one(client, LOWEST, &[&LOCKS]).await?.get(0);
    Ok(lowest_lock.map_or(last_value, |lowest_lock| lowest_lock.min(last_value)))
}
