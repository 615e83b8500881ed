//! Caches the facts extracted from evidence, so that other questions with the same evidence can reuse them.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::budget::Budget;
use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::Observations;
use crate::evidence_size::weight;
use crate::judge::Question;
use crate::judge::cached::digest_items;

/// The time after which unused facts are removed.
const IDLE: Duration = Duration::from_secs(600);

self_cell::self_cell! {
    pub(in crate::judge) struct ExtractedFacts {
        owner: Arc<Vec<EvidenceItem>>,
        #[not_covariant]
        dependent: Observations,
    }
}

/// A cache of extracted facts. Clones share the cache.
#[derive(Clone)]
pub struct FactsCache(Cache<Key, Arc<ExtractedFacts>>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// The address of shared evidence. It is stable, since the entry owns the evidence.
    Address(usize),
    /// The digest of a request's evidence.
    Digest([u8; 32]),
}

impl FactsCache {
    /// Creates a cache for at most `max_bytes` of evidence, measured by [`weight`]. The facts extracted from
    /// it use about nine times as much memory.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let weigh = |_: &Key, facts: &Arc<ExtractedFacts>| weight(facts.borrow_owner());
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
            false => self.get_or_extract_within(&question.evidence, budget),
        }
    }

    fn get_or_extract_within(
        &self,
        evidence: &Arc<Vec<EvidenceItem>>,
        budget: &Budget,
    ) -> Arc<ExtractedFacts> {
        let key = Key::Digest(digest_items(evidence));
        if let Some(facts) = self.0.get(&key) {
            return facts;
        }
        let facts = extract(evidence, budget);
        let is_complete = budget.finish(()).is_ok();
        if is_complete {
            self.0.insert(key, Arc::clone(&facts));
        }
        facts
    }

    fn get_or_extract(&self, evidence: &Arc<Vec<EvidenceItem>>) -> Arc<ExtractedFacts> {
        // The budget does not apply, since callers with a larger budget may be waiting for the same entry.
        let extract = || extract(evidence, &Budget::unlimited());
        self.0.get_with(Key::Address(Arc::as_ptr(evidence).addr()), extract)
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
    use gsar_core::evidence::EvidenceKind;

    use super::super::testing::item;
    use super::*;

    #[test]
    fn facts_are_extracted_once_and_cached_only_if_complete() {
        let cache = FactsCache::new(64 << 10);
        let evidence = |lines: &str| Arc::new(vec![item("log", lines)]);
        let read =
            |lines: &str| cache.get_or_extract_within(&evidence(lines), &Budget::unlimited());
        let interrupted =
            cache.get_or_extract_within(&evidence("pool size is 1"), &Budget::new(0, |_| Ok(())));
        let (first, again) = (read("pool size is 1"), read("pool size is 1"));
        assert!(!Arc::ptr_eq(&interrupted, &first) && Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &read("pool size is 2")));
        let mut prior_claim = item("log", "pool size is 1");
        prior_claim.kind = EvidenceKind::PriorClaim;
        assert_ne!(digest_items(&evidence("pool size is 1")), digest_items(&[prior_claim]));
    }

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
