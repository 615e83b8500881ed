//! This module says what keeps judgements beyond the process, whatever engine it is. It keeps nothing.

use async_trait::async_trait;
use gsar_core::time::Timestamp;

use super::key::Key;
use crate::judge::Judgement;

/// A judgement that was found.
#[derive(Debug)]
pub(in crate::judge) struct StoredJudgement {
    pub(in crate::judge) judgement: Judgement,
    pub(in crate::judge) made_at: Timestamp,
    /// Its bytes as it is written.
    pub(in crate::judge) size: usize,
}

/// Judgements by key. Nothing depends on one being there: what is damaged, late or unreadable counts as not found.
#[async_trait]
pub(in crate::judge) trait JudgementStore: Send + Sync {
    /// The judgement of that key, unless it is missing, damaged, too old, or the store is slow.
    async fn find(&self, key: Key, now: Timestamp) -> Option<StoredJudgement>;

    /// Keeps a judgement as it is written. Returns at once; what cannot be kept is not.
    fn put(&self, key: Key, text: Vec<u8>, now: Timestamp);

    /// Returns when everything that was put before is kept or given up.
    #[cfg(test)]
    async fn settled(&self);
}
