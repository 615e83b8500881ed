//! This module joins callers with the same question into one call of the judge (single-flight). It asks nobody itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use super::key::Key;
use crate::judge::{JudgeError, Judgement};

/// The answer that all callers of one question share.
pub(super) type SharedAnswer = Arc<Result<Judgement, JudgeError>>;
/// A call under way: filled by its leader; when the leader's caller leaves, the next caller leads.
pub(super) type Call = OnceCell<SharedAnswer>;

/// The calls on which somebody still waits.
#[derive(Debug, Default)]
pub(super) struct SingleFlight(Mutex<HashMap<Key, Weak<Call>>>);

impl SingleFlight {
    /// The call under way for a question, else a new one.
    pub(super) fn join(&self, key: Key) -> Arc<Call> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = calls.get(&key).and_then(Weak::upgrade);
        if let Some(call) = under_way.filter(|call| !call.initialized()) {
            return call;
        }
        calls.retain(|_, call| call.strong_count() > 0);
        let call = Arc::default();
        calls.insert(key, Arc::downgrade(&call));
        call
    }
}
