//! An in-memory cache of whole corpora.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::error::StoreError;
use super::store::Corpus;
use crate::weight::weight;

/// The time after which an unused corpus is dropped.
const IDLE: Duration = Duration::from_secs(600);

/// Items of whole corpora, by the revision of the corpus.
#[derive(Debug)]
pub(super) struct CorpusCache(Cache<u64, Arc<Vec<EvidenceItem>>>);

impl CorpusCache {
    /// Creates a cache of at most `bytes` by [`weight`].
    pub(super) fn new(bytes: u64) -> Self {
        let weigh = |_: &u64, items: &Arc<Vec<EvidenceItem>>| weight(items);
        Self(Cache::builder().max_capacity(bytes).weigher(weigh).time_to_idle(IDLE).build())
    }

    /// Returns every item of a corpus. Concurrent callers read it once.
    pub(super) fn items(&self, corpus: &dyn Corpus) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        // A change during the read is cached under the old revision, which is never requested again.
        let read = || corpus.items().map(Arc::new);
        self.0.try_get_with(corpus.revision()?, read).map_err(Arc::unwrap_or_clone)
    }
}
