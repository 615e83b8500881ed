//! The judgement cache, which all of the server's judges share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_core::time::Timestamp;
use moka::sync::Cache;

use super::disk::{DiskCache, is_fresh};
use super::json;
use super::key::Key;
use super::single_flight::SingleFlight;
use super::store::{JudgementStore, StoredJudgement};
use crate::judge::Judgement;
use crate::judge::clock::Clock;
use crate::judge::postgres::SharedJudgements;
use crate::storage::postgres::Database;

/// The maximum lifetime that moka supports.
const MAX_TIME_TO_LIVE: Duration = Duration::from_secs(1_000 * 365 * 24 * 3_600);

/// Limits of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheLimits {
    /// The maximum total size of serialized judgements in memory, in bytes. 0 disables the memory cache.
    pub memory_bytes: u64,
    /// The maximum size of the database in bytes, excluding free pages and the write-ahead log. 0 disables
    /// the store.
    pub disk_bytes: u64,
    /// The lifetime of a judgement.
    pub time_to_live: Duration,
    /// The maximum time to wait for the store before the judge is called.
    pub store_timeout: Duration,
}

/// The judgement cache, which all of the server's judges share.
pub struct JudgementCache {
    memory: Cache<Key, Entry>,
    store: Option<Arc<dyn JudgementStore>>,
    pub(super) single_flight: SingleFlight,
    clock: Clock,
    time_to_live: Duration,
}

#[derive(Clone)]
struct Entry {
    judgement: Arc<Judgement>,
    made_at: Timestamp,
    size: u32,
}

impl JudgementCache {
    /// Creates a cache that is kept in memory only.
    #[must_use]
    pub fn in_memory(limits: CacheLimits, clock: Clock) -> Self {
        Self {
            memory: Cache::builder()
                .max_capacity(limits.memory_bytes)
                .weigher(|_, entry: &Entry| entry.size)
                .time_to_live(limits.time_to_live.min(MAX_TIME_TO_LIVE))
                .build(),
            store: None,
            single_flight: SingleFlight::default(),
            clock,
            time_to_live: limits.time_to_live,
        }
    }

    /// Opens a cache in memory and in the data directory. If the database cannot be used, logs the reason
    /// and uses memory only.
    #[must_use]
    pub fn open(folder: &Path, limits: CacheLimits, clock: Clock) -> Self {
        let memory = Self::in_memory(limits, clock);
        if limits.disk_bytes == 0 {
            return memory;
        }
        let now = (memory.clock)();
        match DiskCache::open(folder, limits, now) {
            Ok(disk) => Self { store: Some(Arc::new(disk)), ..memory },
            Err(error) => {
                tracing::warn!(%error, "judgements are cached in memory only");
                memory
            }
        }
    }

    pub(crate) fn shared(database: Database, limits: CacheLimits, clock: Clock) -> Self {
        let memory = Self::in_memory(limits, clock);
        if limits.disk_bytes == 0 {
            return memory;
        }
        Self { store: Some(Arc::new(SharedJudgements::new(database, limits))), ..memory }
    }

    pub(super) fn get_in_memory(&self, key: &Key) -> Option<Arc<Judgement>> {
        let entry = self.memory.get(key)?;
        is_fresh(entry.made_at, self.time_to_live, (self.clock)()).then_some(entry.judgement)
    }

    pub(super) async fn get_from_store(&self, key: Key) -> Option<Arc<Judgement>> {
        let store = self.store.as_ref()?;
        let StoredJudgement { judgement, made_at, size } = store.find(key, (self.clock)()).await?;
        let judgement = Arc::new(judgement);
        self.insert_in_memory(key, Arc::clone(&judgement), made_at, size);
        Some(judgement)
    }

    pub(super) fn put(&self, key: Key, judgement: Judgement) {
        let Ok(text) = json::to_json(&judgement) else { return };
        let now = (self.clock)();
        self.insert_in_memory(key, Arc::new(judgement), now, text.len());
        if let Some(store) = &self.store {
            store.put(key, text, now);
        }
    }

    fn insert_in_memory(
        &self,
        key: Key,
        judgement: Arc<Judgement>,
        made_at: Timestamp,
        size: usize,
    ) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.memory.insert(key, Entry { judgement, made_at, size });
    }

    #[cfg(test)]
    pub(super) async fn flush(&self) {
        self.memory.run_pending_tasks();
        if let Some(store) = &self.store {
            store.flush().await;
        }
    }

    #[cfg(test)]
    pub(super) fn bytes_in_memory(&self) -> u64 {
        self.memory.weighted_size()
    }
}
