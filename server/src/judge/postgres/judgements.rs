//! The judgement cache in PostgreSQL, which several servers share. A read that fails or times out counts as a
//! miss. Writes happen in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use async_trait::async_trait;
use deadpool_postgres::Object;
use gsar_core::time::Timestamp;
use tokio::sync::Semaphore;
use tokio_postgres::Error;

use crate::judge::cached::{
    CacheLimits, JudgementStore, Key, StoredJudgement, from_json, is_fresh, micros,
};
use crate::storage::postgres::{Database, Failure};

/// The maximum number of pending writes. If it is reached, further judgements are not stored.
const MAX_PENDING_WRITES: usize = 64;
const WRITES_PER_CLEANUP: u32 = 32;
/// The precision of the stored time of last use, in microseconds.
const USE_PRECISION: i64 = 60 * 1_000_000;

/// A shared cache that limits its size and the age of its judgements. Clones use the same cache.
#[derive(Clone)]
pub(in crate::judge) struct SharedJudgements {
    database: Database,
    limits: CacheLimits,
    permits: Arc<Semaphore>,
    write_count: Arc<AtomicU32>,
    is_failing: Arc<AtomicBool>,
}

impl SharedJudgements {
    pub(in crate::judge) fn new(database: Database, limits: CacheLimits) -> Self {
        Self {
            database,
            limits,
            permits: Arc::new(Semaphore::new(MAX_PENDING_WRITES)),
            write_count: Arc::default(),
            is_failing: Arc::default(),
        }
    }

    /// Returns the success value. Logs a failure unless the previous operation failed too.
    fn log_failure<T>(&self, result: Result<T, Failure>) -> Option<T> {
        let was_failing = self.is_failing.swap(result.is_err(), Ordering::Relaxed);
        result
            .inspect_err(|failure| {
                if !was_failing {
                    tracing::warn!(%failure, "the judgement cache in the database is unavailable");
                }
            })
            .ok()
    }

    async fn write(&self, key: Key, text: Vec<u8>, now: Timestamp) {
        let insertion = self.database.run((key, text, now), |client, (key, text, now), _| {
            Box::pin(write(client, *key, text, *now))
        });
        self.log_failure(insertion.await);
        if self.write_count.fetch_add(1, Ordering::Relaxed).is_multiple_of(WRITES_PER_CLEANUP) {
            let CacheLimits { time_to_live, disk_bytes, .. } = self.limits;
            let cutoff = now.as_micros().saturating_sub(micros(time_to_live));
            let max_bytes = i64::try_from(disk_bytes).unwrap_or(i64::MAX);
            let cleanup =
                self.database.run((cutoff, max_bytes), |client, (cutoff, max_bytes), _| {
                    Box::pin(make_room(client, *cutoff, *max_bytes))
                });
            self.log_failure(cleanup.await);
        }
    }
}

#[async_trait]
impl JudgementStore for SharedJudgements {
    async fn find(&self, key: Key, now: Timestamp) -> Option<StoredJudgement> {
        let lookup = self
            .database
            .run((key, now), |client, (key, now), _| Box::pin(find(client, *key, *now)));
        let result = tokio::time::timeout(self.limits.store_timeout, lookup).await.ok()?;
        let (text, made_at) = self.log_failure(result).flatten()?;
        let made_at = Timestamp::from_micros(made_at);
        let judgement =
            from_json(&text).filter(|_| is_fresh(made_at, self.limits.time_to_live, now))?;
        Some(StoredJudgement { judgement, made_at, size: text.len() })
    }

    fn put(&self, key: Key, text: Vec<u8>, now: Timestamp) {
        if text.len() as u64 > self.limits.disk_bytes {
            return;
        }
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else { return };
        let judgements = self.clone();
        tokio::spawn(async move {
            judgements.write(key, text, now).await;
            drop(permit);
        });
    }

    #[cfg(test)]
    async fn flush(&self) {
        let all_permits = u32::try_from(MAX_PENDING_WRITES).unwrap();
        drop(self.permits.acquire_many(all_permits).await.unwrap());
    }
}

async fn find(
    client: &mut Object,
    key: Key,
    now: Timestamp,
) -> Result<Option<(Vec<u8>, i64)>, Error> {
    const SELECT: &str = "SELECT judgement, made_at, used_at FROM judgements WHERE key = $1";
    const UPDATE_LAST_USE: &str = "UPDATE judgements SET used_at = $2 WHERE key = $1";
    let statement = client.prepare_cached(SELECT).await?;
    let Some(row) = client.query_opt(&statement, &[&key.as_bytes()]).await? else {
        return Ok(None);
    };
    if now.as_micros().saturating_sub(row.get(2)) > USE_PRECISION {
        let statement = client.prepare_cached(UPDATE_LAST_USE).await?;
        client.execute(&statement, &[&key.as_bytes(), &now.as_micros()]).await?;
    }
    Ok(Some((row.get(0), row.get(1))))
}

async fn write(client: &mut Object, key: Key, text: &[u8], now: Timestamp) -> Result<(), Error> {
    const INSERT: &str = "INSERT INTO judgements (key, judgement, made_at, used_at) VALUES ($1, $2, $3, $3) \
         ON CONFLICT (key) DO UPDATE SET judgement = excluded.judgement, made_at = excluded.made_at, used_at = excluded.used_at";
    let statement = client.prepare_cached(INSERT).await?;
    client.execute(&statement, &[&key.as_bytes(), &text, &now.as_micros()]).await.map(drop)
}

/// Removes expired judgements, then the least recently used ones until the size limit is met.
async fn make_room(client: &mut Object, cutoff: i64, max_bytes: i64) -> Result<(), Error> {
    const DELETE_EXPIRED: &str = "DELETE FROM judgements WHERE made_at <= $1";
    const DELETE_EXCESS: &str = "DELETE FROM judgements WHERE key IN (SELECT key FROM (SELECT key, \
         sum(length(judgement)) OVER (ORDER BY used_at DESC, key) AS bytes FROM judgements) AS used WHERE bytes > $1)";
    let statement = client.prepare_cached(DELETE_EXPIRED).await?;
    client.execute(&statement, &[&cutoff]).await?;
    let statement = client.prepare_cached(DELETE_EXCESS).await?;
    client.execute(&statement, &[&max_bytes]).await.map(drop)
}
