//! Background maintenance, which one server at a time performs: creates partitions, and deletes old
//! evaluations and unreferenced rows.

use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use deadpool_postgres::Object;
use tokio_postgres::Error;

use super::retention::{self, Walk};
use super::{Shared, partitions};
use crate::storage::postgres::Failure;
use crate::wall_clock;

/// The advisory lock for maintenance, `gsam` in ASCII.
const LOCK: i64 = 0x6773_616d;
const ROWS: i64 = 500;
const INTERVAL_BOUNDS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Runs maintenance until the last handle to the ledger is dropped.
pub(super) fn start(shared: &Arc<Shared>, max_age: Option<Duration>) {
    let interval = max_age
        .map_or(INTERVAL_BOUNDS.1, |age| (age / 10).clamp(INTERVAL_BOUNDS.0, INTERVAL_BOUNDS.1));
    let shared: Weak<Shared> = Arc::downgrade(shared);
    tokio::spawn(async move {
        loop {
            {
                let Some(shared) = shared.upgrade() else { return };
                if shared.watch.is_closed() {
                    return;
                }
                if let Err(failure) = apply(&shared, max_age).await {
                    shared.metrics.retention_failures.increment(1);
                    tracing::warn!("ledger maintenance failed: {failure}");
                }
            }
            tokio::time::sleep(interval).await;
        }
    });
}

pub(super) async fn apply(shared: &Shared, max_age: Option<Duration>) -> Result<(), Failure> {
    partitions::create(&shared.database).await?;
    let oldest_kept = max_age.map(|age| {
        let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
        wall_clock::now().as_microsecond().saturating_sub(age)
    });
    let walk = *shared.walk.lock().unwrap_or_else(PoisonError::into_inner);
    let task = shared.database.run_long((oldest_kept, walk), |client, (oldest_kept, walk), _| {
        Box::pin(run_with_lock(client, *oldest_kept, *walk))
    });
    let (deleted, walk) = task.await?;
    *shared.walk.lock().unwrap_or_else(PoisonError::into_inner) = walk;
    if deleted > 0 {
        shared.cache.clear();
        shared.metrics.deleted_by_age.increment(deleted);
    }
    Ok(())
}

/// Runs maintenance, unless another server holds the lock.
async fn run_with_lock(
    client: &mut Object,
    oldest_kept: Option<i64>,
    walk: Walk,
) -> Result<(u64, Walk), Error> {
    let is_locked: bool =
        client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK]).await?.get(0);
    if !is_locked {
        return Ok((0, walk));
    }
    let result = run_steps(client, oldest_kept, walk).await;
    client.query_one("SELECT pg_advisory_unlock($1)", &[&LOCK]).await?;
    result
}

async fn run_steps(
    client: &mut Object,
    oldest_kept: Option<i64>,
    walk: Walk,
) -> Result<(u64, Walk), Error> {
    let mut deleted = 0;
    if let Some(oldest_kept) = oldest_kept {
        deleted += partitions::drop_old(client, oldest_kept).await?;
        while let count @ 1.. = retention::delete_old(client, oldest_kept, ROWS).await? {
            deleted += count;
        }
        retention::delete_empty_investigations(client, oldest_kept, ROWS).await?;
    }
    Ok((deleted, walk.step(client, ROWS).await?))
}
