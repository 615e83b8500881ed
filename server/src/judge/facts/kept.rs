//! This module caches what was read off evidence that will be asked about again, and reads all other evidence anew.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::Observations;
use crate::judge::Question;

/// How long it keeps what nobody asks for.
const IDLE: Duration = Duration::from_secs(600);

self_cell::self_cell! {
    /// Evidence, and what was read off it.
    pub(in crate::judge) struct Read {
        owner: Arc<Vec<EvidenceItem>>,
        #[not_covariant]
        dependent: Observations,
    }
}

/// What was read off evidence, by its address, which stays the same while it is here. Clones share it.
#[derive(Clone)]
pub struct Kept(Cache<usize, Arc<Read>>);

impl Kept {
    /// Holds at most `max_bytes` bytes of evidence; what was read off them takes several times as much memory.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let weigh = |_: &usize, read: &Arc<Read>| {
            let items = read.borrow_owner().iter();
            let bytes: usize = items.map(|item| item.content.as_str().len()).sum();
            u32::try_from(bytes).unwrap_or(u32::MAX)
        };
        let cache = Cache::builder().max_capacity(max_bytes).weigher(weigh).time_to_idle(IDLE);
        Self(cache.build())
    }

    /// The evidence of a question, read.
    pub(in crate::judge) fn read(&self, question: &Question) -> Arc<Read> {
        let evidence = &question.evidence;
        let read = || {
            let evidence = Arc::clone(evidence);
            Arc::new(Read::new(evidence, |evidence| Observations::read(evidence)))
        };
        if question.is_kept { self.0.get_with(Arc::as_ptr(evidence).addr(), read) } else { read() }
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("entries", &self.0.entry_count()).finish_non_exhaustive()
    }
}
