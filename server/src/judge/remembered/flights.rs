//! Questions that are being asked now, so that whoever comes with the same one waits for its answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OnceCell;

use super::key::Key;
use crate::judge::{JudgeError, Judgement};

/// What all who wait are given.
pub(super) type Landed = Arc<Result<Judgement, JudgeError>>;
/// Filled by the first who asks; where that one leaves, the next asks in its place.
pub(super) type Flight = OnceCell<Landed>;

/// The flights on which somebody still waits.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<HashMap<Key, Weak<Flight>>>);

impl Flights {
    /// The flight of a question, a new one where none is under way.
    pub(super) fn join(&self, key: Key) -> Arc<Flight> {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = flights.get(&key).and_then(Weak::upgrade);
        if let Some(flight) = under_way.filter(|flight| !flight.initialized()) {
            return flight;
        }
        flights.retain(|_, flight| flight.strong_count() > 0);
        let flight = Arc::default();
        flights.insert(key, Arc::downgrade(&flight));
        flight
    }
}
