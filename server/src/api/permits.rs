//! Limits concurrent calls. At the limit, unary calls are refused and stream items wait. Streams use at
//! most half of the permits.

use std::sync::Arc;

use metrics::{Gauge, gauge};
use tokio::sync::Semaphore;

use crate::call::Permit;
use crate::memory::Memory;
use crate::telemetry::metrics as names;

/// The permits of all listeners, and the memory that their calls share.
#[derive(Debug)]
pub(crate) struct Permits {
    calls: Arc<Semaphore>,
    streams: Arc<Semaphore>,
    in_flight: Gauge,
    memory: Memory,
}

impl Permits {
    pub(crate) fn new(limit: usize, memory: Memory) -> Self {
        Self {
            calls: Arc::new(Semaphore::new(limit)),
            streams: Arc::new(Semaphore::new((limit / 2).max(1))),
            in_flight: gauge!(names::CALLS_IN_FLIGHT),
            memory,
        }
    }

    pub(crate) const fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn try_acquire(&self) -> Option<Permit> {
        Arc::clone(&self.calls).try_acquire_owned().ok().map(Permit::for_call)
    }

    /// Waits for a permit for one item of a stream. Never returns `None`, since the semaphores are never closed.
    pub(super) async fn acquire_for_stream(&self) -> Option<Permit> {
        let stream = Arc::clone(&self.streams).acquire_owned().await.ok()?;
        let permit = Arc::clone(&self.calls).acquire_owned().await.ok()?;
        Some(Permit::for_stream_item(permit, stream))
    }

    /// Counts a call as in flight until the guard is dropped.
    pub(super) fn count(&self) -> InFlight<'_> {
        self.in_flight.increment(1);
        InFlight(&self.in_flight)
    }
}

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
    async fn streams_use_at_most_half_of_the_permits() {
        let permits = Permits::new(4, Memory::new(1 << 20));
        let first = permits.acquire_for_stream().await;
        let second = permits.acquire_for_stream().await;
        assert!(first.is_some() && second.is_some());
        assert!(
            permits.acquire_for_stream().now_or_never().is_none(),
            "half of the permits are taken"
        );
        let calls: Vec<_> = std::iter::from_fn(|| permits.try_acquire()).collect();
        assert_eq!(calls.len(), 2);
        drop(first);
        assert!(permits.acquire_for_stream().await.is_some());
    }

    #[tokio::test]
    async fn a_single_permit_serves_calls_and_streams() {
        let permits = Permits::new(1, Memory::new(1 << 20));
        let call = permits.try_acquire();
        assert!(call.is_some() && permits.acquire_for_stream().now_or_never().is_none());
        drop(call);
        let item = permits.acquire_for_stream().await;
        assert!(item.is_some() && permits.try_acquire().is_none());
    }
}
