//! The interface of a persistent store of judgements.

use async_trait::async_trait;
use gsar_core::time::Timestamp;

use super::key::Key;
use crate::judge::Judgement;

/// A judgement read from a store.
#[derive(Debug)]
pub(in crate::judge) struct StoredJudgement {
    pub(in crate::judge) judgement: Judgement,
    pub(in crate::judge) made_at: Timestamp,
    /// The size of the serialized judgement in bytes.
    pub(in crate::judge) size: usize,
}

/// Judgements by key. Best effort: a judgement that is damaged or cannot be read in time counts as not found.
#[async_trait]
pub(in crate::judge) trait JudgementStore: Send + Sync {
    /// Returns the judgement of `key`, unless it is missing, damaged or expired, or the store is slow.
    async fn find(&self, key: Key, now: Timestamp) -> Option<StoredJudgement>;

    /// Stores a serialized judgement in the background, or drops it if that fails.
    fn put(&self, key: Key, text: Vec<u8>, now: Timestamp);

    /// Waits for all pending writes.
    #[cfg(test)]
    async fn flush(&self);
}
