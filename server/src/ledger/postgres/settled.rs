//! Finds the sequence up to which no evaluation can be added any more. A transaction takes its sequence value before it
//! commits, so that a lower value may become visible after a higher one.
//!
//! A writer therefore holds, until its transaction ends, a shared advisory lock on the value that the sequence had
//! before it took its own. Every transaction in progress is above the lowest such lock, or above the value that the
//! sequence had before the locks were read. No transaction waits for another.

use crate::storage::postgres::query;
use deadpool_postgres::GenericClient;
use tokio_postgres::Error;

/// The highest 24 bits of the keys of these locks.
const LOCKS: i64 = 0x67_7361;

/// Returns the query that takes the lock; it must run before a sequence value is taken.
pub(super) fn lock_before_value() -> String {
    format!(
        "SELECT pg_advisory_xact_lock_shared({} | CASE WHEN is_called THEN last_value ELSE last_value - 1 END) \
         FROM evaluation_sequence",
        LOCKS << 40
    )
}

/// Returns the sequence up to which no evaluation can be added any more.
pub(super) async fn bound(client: &impl GenericClient) -> Result<i64, Error> {
    const LAST: &str = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM evaluation_sequence";
    // `pg_locks` splits a 64-bit key into two columns.
    const LOWEST: &str = "SELECT min(((classid::bigint & 255) << 32) | objid::bigint) FROM pg_locks \
         WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 8 = $1 \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    // The order matters: a lock is taken before its value, and released after the row is visible.
    let last: i64 = query::one(client, LAST, &[]).await?.get(0);
    let lowest: Option<i64> = query::one(client, LOWEST, &[&LOCKS]).await?.get(0);
    Ok(lowest.map_or(last, |lowest| lowest.min(last)))
}
