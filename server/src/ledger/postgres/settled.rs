//! This module knows up to which sequence everything is recorded that ever will be. Values of a sequence are taken before
//! the transaction commits, so that one with a lower value may become visible after one with a higher.
//!
//! Who records holds, until its transaction ends, a shared advisory lock on a value that the sequence had before it took
//! its own. So whatever is still under way lies above the lowest lock, or above the value that the sequence had before
//! the locks were looked at. Nobody waits for anybody.

use crate::storage::postgres::query;
use deadpool_postgres::GenericClient;
use tokio_postgres::Error;

/// What the keys of these locks begin with, in their highest 24 bits.
const LOCKS: i64 = 0x67_7361;

/// What a statement selects from before it takes a value of the sequence.
pub(super) fn lock_before_value() -> String {
    format!(
        "SELECT pg_advisory_xact_lock_shared({} | CASE WHEN is_called THEN last_value ELSE last_value - 1 END) \
         FROM evaluation_sequence",
        LOCKS << 40
    )
}

/// The sequence up to which nothing will be added any more.
pub(super) async fn bound(client: &impl GenericClient) -> Result<i64, Error> {
    const LAST: &str = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM evaluation_sequence";
    // A key of 64 bits is shown as two of 32.
    const LOWEST: &str = "SELECT min(((classid::bigint & 255) << 32) | objid::bigint) FROM pg_locks \
         WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 8 = $1 \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    // In this order: a lock is taken before its value, and let go after it is visible.
    let last: i64 = query::one(client, LAST, &[]).await?.get(0);
    let lowest: Option<i64> = query::one(client, LOWEST, &[&LOCKS]).await?.get(0);
    Ok(lowest.map_or(last, |lowest| lowest.min(last)))
}
