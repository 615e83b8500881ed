//! This module holds the one concurrency limit of a server. A call that comes alone is refused where the limit is
//! reached; a report of a stream waits, and streams together take at most half of the places, so that they never keep
//! others out. With the places it holds the memory of all calls. It knows nothing of what is done under a permit.

use std::sync::Arc;

use metrics::{Gauge, gauge};
use tokio::sync::Semaphore;

use crate::call::Permit;
use crate::memory::Memory;
use crate::telemetry::metrics as names;

/// The places for calls in progress.
#[derive(Debug)]
pub(crate) struct Permits {
    all: Arc<Semaphore>,
    of_streams: Arc<Semaphore>,
    in_flight: Gauge,
    memory: Memory,
}

impl Permits {
    /// As many places as `limits.calls_in_flight` says, and as much memory as `limits.memory`.
    pub(crate) fn new(limit: usize, memory: Memory) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limit)),
            of_streams: Arc::new(Semaphore::new((limit / 2).max(1))),
            in_flight: gauge!(names::CALLS_IN_FLIGHT),
            memory,
        }
    }

    /// The memory of all calls.
    pub(crate) const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// A place for a call, if one is free.
    pub(super) fn of_call(&self) -> Option<Permit> {
        Arc::clone(&self.all).try_acquire_owned().ok().map(Permit::of_call)
    }

    /// A place for one report of a stream, as soon as one is free; `None` never, since no limit is closed.
    pub(super) async fn of_item(&self) -> Option<Permit> {
        let of_streams = Arc::clone(&self.of_streams).acquire_owned().await.ok()?;
        let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Permit::of_item(of_all, of_streams))
    }

    /// Counts one call in progress until it is dropped.
    pub(super) fn count(&self) -> InFlight<'_> {
        self.in_flight.increment(1);
        InFlight(&self.in_flight)
    }
}

/// One call that counts as in progress.
pub(super) struct InFlight<'a>(&'a Gauge);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn streams_take_half_of_the_places_and_wait_for_them() {
        let permits = Permits::new(4, Memory::new(1 << 20));
        let first = permits.of_item().await;
        let second = permits.of_item().await;
        assert!(first.is_some() && second.is_some());
        assert!(permits.of_item().now_or_never().is_none(), "the half is taken");
        let calls: Vec<_> = std::iter::from_fn(|| permits.of_call()).collect();
        assert_eq!(calls.len(), 2);
        drop(first);
        assert!(permits.of_item().await.is_some());
    }

    #[tokio::test]
    async fn one_place_serves_calls_and_streams_in_turn() {
        let permits = Permits::new(1, Memory::new(1 << 20));
        let call = permits.of_call();
        assert!(call.is_some() && permits.of_item().now_or_never().is_none());
        drop(call);
        let item = permits.of_item().await;
        assert!(item.is_some() && permits.of_call().is_none());
    }
}
