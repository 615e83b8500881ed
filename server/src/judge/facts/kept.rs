//! This module caches what was read off evidence that will be asked about again, and reads all other evidence anew.

use std::sync::Arc;
use std::time::Duration;

use gsar_core::budget::Budget;
use gsar_core::evidence::EvidenceItem;
use moka::sync::Cache;

use super::Observations;
use crate::judge::Question;
use crate::weight::weight;

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
    /// Holds evidence of at most `max_bytes` by [`weight`]; what was read off it takes about nine times as much memory.
    #[must_use]
    pub fn new(max_bytes: u64) -> Self {
        let weigh = |_: &usize, read: &Arc<Read>| weight(read.borrow_owner());
        let cache = Cache::builder().max_capacity(max_bytes).weigher(weigh).time_to_idle(IDLE);
        Self(cache.build())
    }

    /// The evidence of a question, read. Not whole where the budget stops it.
    pub(in crate::judge) fn read(&self, question: &Question, budget: &Budget) -> Arc<Read> {
        match question.is_kept {
            true => self.kept(&question.evidence),
            false => read(&question.evidence, budget),
        }
    }

    fn kept(&self, evidence: &Arc<Vec<EvidenceItem>>) -> Arc<Read> {
        // Others wait for it, whose deadlines are later.
        let read = || read(evidence, &Budget::unlimited());
        self.0.get_with(Arc::as_ptr(evidence).addr(), read)
    }
}

fn read(evidence: &Arc<Vec<EvidenceItem>>, budget: &Budget) -> Arc<Read> {
    Arc::new(Read::new(Arc::clone(evidence), |evidence| Observations::read(evidence, budget)))
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("entries", &self.0.entry_count()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::item;
    use super::*;

    #[test]
    fn any_number_of_small_sets_keeps_within_the_bound() {
        let kept = Kept::new(64 << 10);
        for number in 0..500 {
            kept.kept(&Arc::new(vec![item("log", &format!("pool size is {number}"))]));
        }
        kept.0.run_pending_tasks();
        assert!((1..=32).contains(&kept.0.entry_count()), "{kept:?}");
    }
}
