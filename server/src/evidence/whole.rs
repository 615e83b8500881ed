//! This module keeps corpora that were read as a whole in memory while they are asked for and nothing in them
//! changes.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::error::StoreError;
use super::store::Corpus;
use crate::weight::weight;

/// How long a corpus stays that nobody asks for.
const IDLE: Duration = Duration::from_secs(600);

/// Items of whole corpora, by the revision of the corpus.
#[derive(Debug)]
pub(super) struct WholeCorpora(Cache<u64, Arc<Vec<EvidenceItem>>>);

impl WholeCorpora {
    /// Keeps corpora of at most `bytes` by [`weight`].
    pub(super) fn new(bytes: u64) -> Self {
        let weigh = |_: &u64, items: &Arc<Vec<EvidenceItem>>| weight(items);
        Self(Cache::builder().max_capacity(bytes).weigher(weigh).time_to_idle(IDLE).build())
    }

    /// Every item of a corpus. Two callers at once read it once.
    pub(super) fn items(&self, corpus: &dyn Corpus) -> Result<Arc<Vec<EvidenceItem>>, StoreError> {
        // What changes while it is read is kept under the revision before and never asked for again.
        let read = || corpus.items().map(Arc::new);
        self.0.try_get_with(corpus.revision()?, read).map_err(Arc::unwrap_or_clone)
    }
}
