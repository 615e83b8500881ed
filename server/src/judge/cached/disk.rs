//! The disk cache of judgements, in SQLite. A read that fails or times out counts as a miss. Writes happen in
//! the background.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use gsar_core::time::Timestamp;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use tokio::sync::Semaphore;

use super::cache::CacheLimits;
use super::json;
use super::key::Key;
use super::store::{JudgementStore, StoredJudgement};
use crate::judge::database::{self, DatabaseError, Durability, FILE};

/// The maximum number of pending writes. If it is reached, further judgements are not stored.
const MAX_PENDING_WRITES: usize = 64;

/// A disk cache that limits its size and the age of its judgements. Clones share the same cache.
#[derive(Clone, Debug)]
pub(super) struct DiskCache(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    connection: Mutex<Connection>,
    file: PathBuf,
    limits: CacheLimits,
    permits: Arc<Semaphore>,
    is_failing: AtomicBool,
}

impl DiskCache {
    pub(super) fn open(
        folder: &Path,
        limits: CacheLimits,
        now: Timestamp,
    ) -> Result<Self, DatabaseError> {
        let disk = Shared {
            connection: Mutex::new(database::open(folder, Durability::Lossy)?),
            file: folder.join(FILE),
            limits,
            permits: Arc::new(Semaphore::new(MAX_PENDING_WRITES)),
            is_failing: AtomicBool::new(false),
        };
        let result = disk.tidy(now);
        result.map_err(|error| DatabaseError::from_sqlite(&error, &disk.file))?;
        Ok(Self(Arc::new(disk)))
    }
}

#[async_trait]
impl JudgementStore for DiskCache {
    async fn find(&self, key: Key, now: Timestamp) -> Option<StoredJudgement> {
        let disk = Arc::clone(&self.0);
        let lookup = tokio::task::spawn_blocking(move || disk.read(&key, now));
        let result = tokio::time::timeout(self.0.limits.store_timeout, lookup).await.ok()?.ok()?;
        self.0.log_failure(result).flatten()
    }

    fn put(&self, key: Key, text: Vec<u8>, now: Timestamp) {
        let Ok(permit) = Arc::clone(&self.0.permits).try_acquire_owned() else { return };
        let disk = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || {
            let result = disk.write(&key, &text, now);
            disk.log_failure(result);
            drop(permit);
        });
    }

    #[cfg(test)]
    async fn flush(&self) {
        let all_permits = u32::try_from(MAX_PENDING_WRITES).unwrap();
        drop(self.0.permits.acquire_many(all_permits).await.unwrap());
    }
}

impl Shared {
    fn read(&self, key: &Key, now: Timestamp) -> rusqlite::Result<Option<StoredJudgement>> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let sql = "SELECT judgement, checksum, made_at FROM judgements WHERE key = ?1";
        let row = connection
            .query_row(sql, [key.as_bytes()], |row| {
                Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?, row.get(2)?))
            })
            .optional()?;
        let Some((text, stored_checksum, made_at)) = row else { return Ok(None) };
        if checksum(key, made_at, &text).as_slice() != stored_checksum {
            tracing::warn!(file = %self.file.display(), "removed a damaged cached judgement");
            connection.execute("DELETE FROM judgements WHERE key = ?1", [key.as_bytes()])?;
            return Ok(None);
        }
        if !is_fresh(Timestamp::from_micros(made_at), self.limits.time_to_live, now) {
            return Ok(None);
        }
        let sql = "UPDATE judgements SET used_at = ?2 WHERE key = ?1";
        // The judgement is valid even if this fails, for example on a full disk.
        let _ = connection.execute(sql, (key.as_bytes(), now.as_micros()));
        let made_at = Timestamp::from_micros(made_at);
        let to_stored = |judgement| StoredJudgement { judgement, made_at, size: text.len() };
        Ok(json::from_json(&text).map(to_stored))
    }

    fn write(&self, key: &Key, text: &[u8], now: Timestamp) -> rusqlite::Result<()> {
        if text.len() as u64 > self.limits.disk_bytes {
            return Ok(());
        }
        let made_at = now.as_micros();
        let sum = checksum(key, made_at, text);
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute(
            "INSERT OR REPLACE INTO judgements VALUES (?1, ?2, ?3, ?4, ?4)",
            (key.as_bytes(), text, sum, made_at),
        )?;
        self.make_room(&transaction, now)?;
        transaction.commit()
    }

    /// Enforces the limits, and returns free pages to the file system.
    fn tidy(&self, now: Timestamp) -> rusqlite::Result<()> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.make_room(&transaction, now)?;
        transaction.commit()?;
        connection.pragma_query(None, "incremental_vacuum", |_| Ok(()))
    }

    /// Removes expired judgements, then the least recently used ones until the size limit is met.
    fn make_room(&self, connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
        let cutoff = now.as_micros().saturating_sub(micros(self.limits.time_to_live));
        connection.execute("DELETE FROM judgements WHERE made_at <= ?1", [cutoff])?;
        let sql = "DELETE FROM judgements WHERE rowid =
                   (SELECT rowid FROM judgements ORDER BY used_at, rowid LIMIT 1)";
        while used_bytes(connection)? > self.limits.disk_bytes {
            if connection.execute(sql, [])? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Returns the success value. Logs a failure unless the previous operation failed too.
    fn log_failure<T>(&self, result: rusqlite::Result<T>) -> Option<T> {
        let was_failing = self.is_failing.swap(result.is_err(), Ordering::Relaxed);
        result
            .inspect_err(|error| {
                if !was_failing {
                    let error = DatabaseError::from_sqlite(error, &self.file);
                    tracing::warn!(%error, "the disk cache of judgements is unavailable");
                }
            })
            .ok()
    }
}

/// Returns `true` if a judgement made at `made_at` is valid at `now`. A judgement from the future is invalid,
/// since a clock must have been wrong.
pub(in crate::judge) fn is_fresh(
    made_at: Timestamp,
    time_to_live: Duration,
    now: Timestamp,
) -> bool {
    (0..micros(time_to_live)).contains(&now.micros_since(made_at))
}

pub(in crate::judge) fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

fn checksum(key: &Key, made_at: i64, text: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.as_bytes()).update(&made_at.to_le_bytes()).update(text);
    hasher.finalize().into()
}

fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT (page_count - freelist_count) * page_size
               FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|bytes| bytes.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Judgement;
    use crate::judge::cached::testing::{LIMITS, judgement, key};

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);
    const PAGE: u64 = 4_096;

    fn disk(folder: &Path, disk_bytes: u64) -> Arc<Shared> {
        DiskCache::open(folder, CacheLimits { disk_bytes, ..LIMITS }, NOW).unwrap().0
    }

    fn now_plus(seconds: i64) -> Timestamp {
        Timestamp::from_micros(NOW.as_micros() + seconds * 1_000_000)
    }

    fn text() -> Vec<u8> {
        json::to_json(&judgement()).unwrap()
    }

    fn long_text() -> Vec<u8> {
        let explanation = "x".repeat(4_000);
        json::to_json(&Judgement { explanation, ..judgement() }).unwrap()
    }

    fn rows(disk: &Shared) -> i64 {
        let connection = disk.connection.lock().unwrap();
        connection.query_row("SELECT count(*) FROM judgements", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn expired_and_future_judgements_are_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path(), LIMITS.disk_bytes);
        disk.write(&key(1), &text(), NOW).unwrap();
        assert!(disk.read(&key(1), NOW).unwrap().is_some());
        assert!(disk.read(&key(2), NOW).unwrap().is_none());
        assert!(disk.read(&key(1), now_plus(3_599)).unwrap().is_some());
        assert!(disk.read(&key(1), now_plus(3_600)).unwrap().is_none());
        assert!(disk.read(&key(1), now_plus(-1)).unwrap().is_none());
        disk.write(&key(2), &text(), now_plus(3_600)).unwrap();
        assert_eq!(rows(&disk), 1, "writing removes expired judgements");
    }

    #[test]
    fn removes_the_least_recently_used_judgement_first() {
        let folder = tempfile::tempdir().unwrap();
        let max = 64 * PAGE;
        let disk = disk(folder.path(), max);
        for number in 0..100 {
            disk.write(&key(number), &long_text(), now_plus(number.into())).unwrap();
            disk.read(&key(0), now_plus(number.into())).unwrap().unwrap();
            assert!(used_bytes(&disk.connection.lock().unwrap()).unwrap() <= max);
        }
        let is_cached = |number| disk.read(&key(number), now_plus(100)).unwrap().is_some();
        assert!(is_cached(0), "it was used in every round");
        assert!(is_cached(99));
        assert!(!is_cached(1));
        assert!(rows(&disk) > 10);
    }

    #[test]
    fn a_judgement_larger_than_the_cache_is_not_cached() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path(), 64 * PAGE);
        disk.write(&key(1), &text(), NOW).unwrap();
        disk.write(&key(2), &vec![b'x'; 65 * 4_096], NOW).unwrap();
        assert_eq!(rows(&disk), 1);
    }

    #[test]
    fn lowering_the_limit_shrinks_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let large = disk(folder.path(), 512 * PAGE);
        for number in 0..100 {
            large.write(&key(number), &long_text(), NOW).unwrap();
        }
        drop(large);
        let file = folder.path().join(FILE);
        assert!(std::fs::metadata(&file).unwrap().len() > 64 * PAGE);
        drop(disk(folder.path(), 64 * PAGE));
        assert!(std::fs::metadata(&file).unwrap().len() <= 64 * PAGE);
    }

    #[test]
    fn a_damaged_judgement_is_removed() {
        for damage in [
            "UPDATE judgements SET judgement = CAST(judgement || ' ' AS BLOB)",
            "UPDATE judgements SET made_at = made_at + 1",
            "UPDATE judgements SET checksum = x'00'",
            "UPDATE judgements SET checksum = x''",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let disk = disk(folder.path(), LIMITS.disk_bytes);
            disk.write(&key(1), &text(), NOW).unwrap();
            disk.connection.lock().unwrap().execute(damage, []).unwrap();
            assert!(disk.read(&key(1), now_plus(1)).unwrap().is_none(), "{damage}");
            assert_eq!(rows(&disk), 0);
        }
    }

    #[test]
    fn rejects_a_judgement_under_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path(), LIMITS.disk_bytes);
        disk.write(&key(1), &text(), NOW).unwrap();
        let swap = "UPDATE judgements SET key = ?1";
        disk.connection.lock().unwrap().execute(swap, [key(2).as_bytes()]).unwrap();
        assert!(disk.read(&key(2), NOW).unwrap().is_none());
    }

    #[tokio::test]
    #[expect(
        clippy::await_holding_lock,
        reason = "the reader waits for this lock until it times out"
    )]
    async fn a_slow_disk_times_out() {
        let folder = tempfile::tempdir().unwrap();
        let limits = CacheLimits { store_timeout: Duration::ZERO, ..LIMITS };
        let cache = DiskCache::open(folder.path(), limits, NOW).unwrap();
        let disk = &cache.0;
        disk.write(&key(1), &text(), NOW).unwrap();
        let lock = disk.connection.lock().unwrap();
        let found = cache.find(key(1), NOW).await;
        drop(lock);
        assert!(found.is_none());
        assert!(disk.read(&key(1), NOW).unwrap().is_some());
    }

    #[tokio::test]
    async fn excess_pending_writes_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path(), LIMITS.disk_bytes);
        let lock = disk.connection.lock().unwrap();
        let cache = DiskCache(Arc::clone(&disk));
        for number in 0..100 {
            cache.put(key(number), text(), NOW);
        }
        drop(lock);
        cache.flush().await;
        assert_eq!(rows(&disk), 64);
    }

    #[tokio::test]
    async fn a_missing_table_is_a_miss() {
        let folder = tempfile::tempdir().unwrap();
        let disk = disk(folder.path(), LIMITS.disk_bytes);
        disk.connection.lock().unwrap().execute("DROP TABLE judgements", []).unwrap();
        let cache = DiskCache(Arc::clone(&disk));
        cache.put(key(1), text(), NOW);
        cache.flush().await;
        assert!(cache.find(key(1), NOW).await.is_none());
        assert!(disk.is_failing.load(Ordering::Relaxed));
    }
}
