//! This module runs computations off the threads that serve calls. At most one fewer than there are cores run at once; the
//! rest are queued, and principals take turns. A computation stops soon after its caller disconnects or its deadline passes.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;
use std::time::Instant;

use gsar_core::budget::{Budget, Stop};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

use crate::call::Call;
use crate::errors;
use crate::identity::Principal;

/// How many computations may run at once: one core is left for serving.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1));
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(*THREADS)));

/// The places of one principal: it cannot fill the queue before others.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(*THREADS)))
    }
}

/// The caller of a computation, and its deadline.
#[derive(Clone, Debug)]
pub(crate) struct For {
    principal: Arc<Principal>,
    deadline: Option<Instant>,
    /// Held until the computation ends.
    call: Option<Call>,
}

impl From<&Call> for For {
    fn from(call: &Call) -> Self {
        Self::call(Some(call), Some(call.deadline))
    }
}

impl For {
    /// For the caller of a call, or nobody in particular, until then.
    pub(crate) fn call(call: Option<&Call>, deadline: Option<Instant>) -> Self {
        let principal = call.map_or_else(Principal::anybody, |call| Arc::clone(&call.principal));
        Self { principal, deadline, call: call.cloned() }
    }
}

/// Stops a computation whose result nobody waits for any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Computes within a budget that ends with the deadline of a call, and when this future is dropped.
///
/// # Errors
/// DEADLINE_EXCEEDED.
pub(crate) async fn compute<T: Send + 'static>(
    call: &Call,
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Result<T, Status> {
    let result = try_compute(call, computation).await;
    result.map_err(|stop| stopped(call, stop))
}

/// Does the same for a call or for a judge's question.
///
/// # Errors
/// Why it was stopped.
pub(crate) async fn try_compute<T: Send + 'static>(
    whom: impl Into<For>,
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Result<T, Stop> {
    on_a_thread(whom.into(), |budget| {
        let result = computation(&budget);
        budget.finish(result)
    })
    .await
}

/// Computes what takes too little time to be stopped: one pass over the bytes of a request.
pub(crate) async fn compute_briefly<T: Send + 'static>(
    whom: impl Into<For>,
    computation: impl FnOnce() -> T + Send + 'static,
) -> T {
    on_a_thread(whom.into(), |_| computation()).await
}

async fn on_a_thread<T: Send + 'static>(
    whom: For,
    computation: impl FnOnce(Budget) -> T + Send + 'static,
) -> T {
    let places = (place(&whom.principal.turns().0).await, place(&PLACES).await);
    let stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&stopped));
    let span = tracing::Span::current();
    let ended = tokio::task::spawn_blocking(move || {
        let For { principal: _, deadline, call: _call } = whom;
        let _places = places;
        let is_waited_for = move || {
            !stopped.load(Ordering::Relaxed)
                && deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        span.in_scope(|| computation(Budget::new(u64::MAX, is_waited_for)))
    });
    match ended.await {
        Ok(result) => result,
        // A panic goes on to admission, which answers it; nobody cancels these tasks.
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// `None` where places are given out no more, which does not happen.
async fn place(places: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(places).acquire_owned().await.ok()
}

/// The error of a call whose computation was stopped.
pub(crate) fn stopped(call: &Call, stop: Stop) -> Status {
    match stop {
        Stop::Interrupted | Stop::Exhausted => errors::deadline_exceeded(call.step().name()),
    }
}
