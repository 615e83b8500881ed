//! The trait for persistent stores of judgements.

use async_trait::async_trait;
use gsar_core::time::Timestamp;

use super::key::Key;
use crate::judge::Judgement;

#[derive(Debug)]
pub(in crate::judge) struct StoredJudgement {
    pub(in crate::judge) judgement: Judgement,
    pub(in crate::judge) made_at: Timestamp,
    pub(in crate::judge) size: usize,
}

/// A best-effort store of judgements.
#[async_trait]
pub(in crate::judge) trait JudgementStore: Send + Sync {
    /// Finds a judgement. Returns `None` if it is missing, damaged or expired, or if the store is too slow.
    async fn find(&self, key: Key, now: Timestamp) -> Option<StoredJudgement>;

    /// Stores a serialized judgement in the background. Failures are ignored.
    fn put(&self, key: Key, text: Vec<u8>, now: Timestamp);

    #[cfg(test)]
    async fn flush(&self);
}
