//! This module holds the judgements of all judges of a server: in memory, on disk, and the calls under way.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_core::time::Timestamp;
use moka::sync::Cache;

use super::disk::{DiskCache, is_fresh};
use super::key::Key;
use super::single_flight::SingleFlight;
use super::store::{JudgementStore, StoredJudgement};
use super::written;
use crate::judge::Judgement;
use crate::judge::clock::Clock;
use crate::judge::postgres::SharedJudgements;
use crate::storage::postgres::Database;

/// The longest time to live that the cache in memory takes.
const MAX_TIME_TO_LIVE: Duration = Duration::from_secs(1_000 * 365 * 24 * 3_600);

/// Bounds of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The most bytes of judgements in memory, as they are written; 0 for none.
    pub memory_bytes: u64,
    /// The most bytes of the database; 0 for no judgement on disk. Lists of free pages and the write-ahead log come
    /// on top.
    pub disk_bytes: u64,
    /// How long after it was made a judgement is fresh.
    pub time_to_live: Duration,
    /// How long a question waits for the disk before the judge is asked.
    pub disk_patience: Duration,
}

/// The cache of judgements; one for all judges of a server.
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
    /// A cache in memory only.
    #[must_use]
    pub fn in_memory(bounds: Bounds, clock: Clock) -> Self {
        Self {
            memory: Cache::builder()
                .max_capacity(bounds.memory_bytes)
                .weigher(|_, entry: &Entry| entry.size)
                .time_to_live(bounds.time_to_live.min(MAX_TIME_TO_LIVE))
                .build(),
            store: None,
            single_flight: SingleFlight::default(),
            clock,
            time_to_live: bounds.time_to_live,
        }
    }

    /// A cache in memory and in the data directory. Where the database there cannot be used, that is logged with its fix,
    /// and memory is used alone.
    #[must_use]
    pub fn open(folder: &Path, bounds: Bounds, clock: Clock) -> Self {
        let memory = Self::in_memory(bounds, clock);
        if bounds.disk_bytes == 0 {
            return memory;
        }
        let now = (memory.clock)();
        match DiskCache::open(folder, bounds, now) {
            Ok(disk) => Self { store: Some(Arc::new(disk)), ..memory },
            Err(error) => {
                tracing::warn!(%error, "judgements are cached in memory only");
                memory
            }
        }
    }

    /// A cache in memory and in a database that servers share.
    pub(crate) fn shared(database: Database, bounds: Bounds, clock: Clock) -> Self {
        let memory = Self::in_memory(bounds, clock);
        if bounds.disk_bytes == 0 {
            return memory;
        }
        Self { store: Some(Arc::new(SharedJudgements::new(database, bounds))), ..memory }
    }

    /// The judgement of that key, where it is in memory.
    pub(super) fn get_in_memory(&self, key: &Key) -> Option<Arc<Judgement>> {
        let entry = self.memory.get(key)?;
        is_fresh(entry.made_at, self.time_to_live, (self.clock)()).then_some(entry.judgement)
    }

    /// The judgement of that key, where it is on disk; it is in memory from then on.
    pub(super) async fn get_on_disk(&self, key: Key) -> Option<Arc<Judgement>> {
        let store = self.store.as_ref()?;
        let StoredJudgement { judgement, made_at, size } = store.find(key, (self.clock)()).await?;
        let judgement = Arc::new(judgement);
        self.keep_in_memory(key, Arc::clone(&judgement), made_at, size);
        Some(judgement)
    }

    /// Caches a judgement, as it is to be given.
    pub(super) fn put(&self, key: Key, judgement: Judgement) {
        let Ok(text) = written::write(&judgement) else { return };
        let now = (self.clock)();
        self.keep_in_memory(key, Arc::new(judgement), now, text.len());
        if let Some(store) = &self.store {
            store.put(key, text, now);
        }
    }

    fn keep_in_memory(&self, key: Key, judgement: Arc<Judgement>, made_at: Timestamp, size: usize) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.memory.insert(key, Entry { judgement, made_at, size });
    }

    /// Returns when everything that was to be kept is.
    #[cfg(test)]
    pub(super) async fn settled(&self) {
        self.memory.run_pending_tasks();
        if let Some(store) = &self.store {
            store.settled().await;
        }
    }

    /// The bytes of the judgements in memory.
    #[cfg(test)]
    pub(super) fn bytes_in_memory(&self) -> u64 {
        self.memory.weighted_size()
    }
}
