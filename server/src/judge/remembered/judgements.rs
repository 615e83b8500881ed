//! What is remembered of all judges together: in memory, on disk, and what is being asked now.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gsar_core::time::Timestamp;
use moka::sync::Cache;

use super::flights::Flights;
use super::key::Key;
use super::shelf::{Found, Shelf, is_fresh};
use super::written;
use crate::judge::Judgement;
use crate::judge::clock::Clock;

/// The longest time to live that the cache in memory takes.
const MAX_TIME_TO_LIVE: Duration = Duration::from_secs(1_000 * 365 * 24 * 3_600);

/// How much is remembered, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of judgements in memory, as they are written; 0 for none.
    pub memory_bytes: u64,
    /// Bytes of the database; 0 for no judgement on disk. Lists of free pages and the write-ahead log come on top.
    pub disk_bytes: u64,
    /// How long after it was made a judgement is given again.
    pub time_to_live: Duration,
    /// How long a question waits for the disk before the judge is asked.
    pub disk_patience: Duration,
}

/// The judgements that are remembered; one for all judges of a server.
pub struct Judgements {
    memory: Cache<Key, Entry>,
    shelf: Option<Arc<Shelf>>,
    pub(super) flights: Flights,
    clock: Clock,
    time_to_live: Duration,
}

#[derive(Clone)]
struct Entry {
    judgement: Arc<Judgement>,
    made_at: Timestamp,
    size: u32,
}

impl Judgements {
    /// Remembers in memory alone.
    #[must_use]
    pub fn in_memory(bounds: Bounds, clock: Clock) -> Self {
        Self {
            memory: Cache::builder()
                .max_capacity(bounds.memory_bytes)
                .weigher(|_, entry: &Entry| entry.size)
                .time_to_live(bounds.time_to_live.min(MAX_TIME_TO_LIVE))
                .build(),
            shelf: None,
            flights: Flights::default(),
            clock,
            time_to_live: bounds.time_to_live,
        }
    }

    /// Remembers in memory and in the data directory. Where the database there cannot be used, that is logged with
    /// its mend and memory has to do.
    #[must_use]
    pub fn open(folder: &Path, bounds: Bounds, clock: Clock) -> Self {
        let memory = Self::in_memory(bounds, clock);
        if bounds.disk_bytes == 0 {
            return memory;
        }
        let now = (memory.clock)();
        let shelf = Shelf::open(folder, bounds, now)
            .inspect_err(|error| tracing::warn!(%error, "judgements are remembered in memory only"))
            .ok();
        Self { shelf, ..memory }
    }

    /// The judgement of that key, where it is in memory.
    pub(super) fn in_mind(&self, key: &Key) -> Option<Arc<Judgement>> {
        let entry = self.memory.get(key)?;
        is_fresh(entry.made_at, self.time_to_live, (self.clock)()).then_some(entry.judgement)
    }

    /// The judgement of that key, where it is on disk; it is in memory from then on.
    pub(super) async fn on_disk(&self, key: Key) -> Option<Arc<Judgement>> {
        let shelf = self.shelf.as_ref()?;
        let Found { judgement, made_at, size } = shelf.find(key, (self.clock)()).await?;
        let judgement = Arc::new(judgement);
        self.keep_in_mind(key, Arc::clone(&judgement), made_at, size);
        Some(judgement)
    }

    /// Remembers a judgement, as it is to be given again.
    pub(super) fn keep(&self, key: Key, judgement: Judgement) {
        let Ok(text) = written::write(&judgement) else { return };
        let now = (self.clock)();
        self.keep_in_mind(key, Arc::new(judgement), now, text.len());
        if let Some(shelf) = &self.shelf {
            shelf.keep(key, text, now);
        }
    }

    fn keep_in_mind(&self, key: Key, judgement: Arc<Judgement>, made_at: Timestamp, size: usize) {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        self.memory.insert(key, Entry { judgement, made_at, size });
    }

    /// Returns when everything that was to be kept is.
    #[cfg(test)]
    pub(super) async fn settled(&self) {
        self.memory.run_pending_tasks();
        if let Some(shelf) = &self.shelf {
            shelf.settled().await;
        }
    }

    /// Bytes in memory.
    #[cfg(test)]
    pub(super) fn bytes_in_mind(&self) -> u64 {
        self.memory.weighted_size()
    }
}
