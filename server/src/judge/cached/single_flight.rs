//! Combines concurrent calls for the same question into a single call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use super::key::Key;
use crate::judge::{JudgeError, Judgement};

/// The answer that concurrent callers share.
pub(super) type SharedAnswer = Arc<Result<Judgement, JudgeError>>;
/// A call in flight. If its leader is dropped, another caller takes over.
pub(super) type Flight = OnceCell<SharedAnswer>;

#[derive(Debug, Default)]
pub(super) struct SingleFlight(Mutex<HashMap<Key, Weak<Flight>>>);

impl SingleFlight {
    pub(super) fn join(&self, key: Key) -> Arc<Flight> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let in_flight = calls.get(&key).and_then(Weak::upgrade);
        if let Some(call) = in_flight.filter(|call| !call.initialized()) {
            return call;
        }
        calls.retain(|_, call| call.strong_count() > 0);
        let call = Arc::default();
        calls.insert(key, Arc::downgrade(&call));
        call
    }
}
