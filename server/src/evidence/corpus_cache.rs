//! An in-memory cache of whole corpora.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::error::StoreError;
use super::store::Corpus;
use crate::evidence_size::weight;

/// The time after which an unused corpus is evicted.
const IDLE: Duration = Duration::from_secs(600);

/// Items of corpora, keyed by revision.
#[derive(Debug)]
pub(super) struct CorpusCache(Cache<u64, Arc<Vec<EvidenceItem>>>);

impl CorpusCache {
    /// Creates a cache for at most `bytes`, measured by [`weight`].
    pub(super) fn new(bytes: u64) -> Self {
        let weigher = |_: &u64, items: &Arc<Vec<EvidenceItem>>| weight(items);
        Self(Cache::builder().max_capacity(bytes).weigher(weigher).time_to_idle(IDLE).build())
    }

    /// Returns all items of a corpus. Concurrent callers share one read.
    pub(super) fn items(&self, corpus: &dyn Corpus) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        // A change during the read is cached under the old revision, which is never requested again.
        let read_items = || corpus.items().map(Arc::new);
        self.0.try_get_with(corpus.revision()?, read_items).map_err(Arc::unwrap_or_clone)
    }
}
