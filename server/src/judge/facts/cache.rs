//! Caches the facts extracted from evidence that other questions may share.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::budget::Budget;
use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::Observations;
use crate::evidence_size::weight;
use crate::judge::Question;

/// The time after which unused facts are removed.
const IDLE: Duration = Duration::from_secs(600);

self_cell::self_cell! {
    pub(in crate::judge) struct ExtractedFacts {
        owner: Arc<Vec<EvidenceItem>>,
        #[not_covariant]
        dependent: Observations,
    }
}

/// A cache of extracted facts. The key is the address of the evidence, which is stable since the entry owns
/// the evidence. Clones share the cache.
#[derive(Clone)]
pub struct FactsCache(Cache<usize, Arc<ExtractedFacts>>);

impl FactsCache {
    /// Creates a cache for at most `max_bytes` of evidence, measured by [`weight`]. Its facts use about
    /// nine times as much memory.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let weigh = |_: &usize, facts: &Arc<ExtractedFacts>| weight(facts.borrow_owner());
        let cache = Cache::builder().max_capacity(max_bytes).weigher(weigh).time_to_idle(IDLE);
        Self(cache.build())
    }

    /// Returns the facts in a question's evidence. They are incomplete if the budget is exhausted.
    pub(in crate::judge) fn read(
        &self,
        question: &Question,
        budget: &Budget,
    ) -> Arc<ExtractedFacts> {
        match question.evidence_is_reused {
            true => self.get_or_extract(&question.evidence),
            false => extract(&question.evidence, budget),
        }
    }

    fn get_or_extract(&self, evidence: &Arc<Vec<EvidenceItem>>) -> Arc<ExtractedFacts> {
        // The budget does not apply, since callers with more of it may wait for the same entry.
        let extract = || extract(evidence, &Budget::unlimited());
        self.0.get_with(Arc::as_ptr(evidence).addr(), extract)
    }
}

fn extract(evidence: &Arc<Vec<EvidenceItem>>, budget: &Budget) -> Arc<ExtractedFacts> {
    Arc::new(ExtractedFacts::new(Arc::clone(evidence), |evidence| {
        Observations::read(evidence, budget)
    }))
}

impl std::fmt::Debug for FactsCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactsCache").field("entries", &self.0.entry_count()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::item;
    use super::*;

    #[test]
    fn many_small_entries_stay_within_the_limit() {
        let cache = FactsCache::new(64 << 10);
        for number in 0..500 {
            cache.get_or_extract(&Arc::new(vec![item("log", &format!("pool size is {number}"))]));
        }
        cache.0.run_pending_tasks();
        assert!((1..=32).contains(&cache.0.entry_count()), "{cache:?}");
    }
}
