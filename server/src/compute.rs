//! This module runs computations off the threads that serve calls. At most one fewer than there are cores run at once; the
//! rest are queued, and principals take turns. A computation stops soon after its caller disconnects, its deadline passes,
//! or it has taken more work or memory than its call may.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::thread::available_parallelism;
use std::time::Instant;

use gsar_core::budget::{Budget, Stop};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tonic::Status;

use crate::call::Call;
use crate::errors;
use crate::identity::Principal;
use crate::memory::{Memory, Reservation};
use crate::phase::{Phase, PhaseCell};

/// How many computations may run at once: one core is left for serving.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1));
/// The threads that compute. They are few and stay, so that what their allocators keep is bounded; `None` where the system
/// gives no threads.
static POOL: LazyLock<Option<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(*THREADS);
    pool.thread_name(|number| format!("computing-{number}")).build().ok()
});
static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(*THREADS)));

/// Bounds on the computations of each call of a server.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// The units of work of all computations of a call.
    work: u64,
    memory: Memory,
    /// Computations end when it is [`Phase::Stopped`].
    phase: PhaseCell,
}

impl Bounds {
    pub(crate) fn new(work: u64, memory: &Memory, phase: PhaseCell) -> Self {
        Self { work, memory: memory.clone(), phase }
    }
}

/// A bound that a computation reached.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Work,
    /// Of memory, for one call by itself.
    Memory,
    /// Of memory, for all calls together.
    MemoryOfAll,
}

/// What the computations of one call may take, and have taken.
#[derive(Debug)]
pub(crate) struct Share {
    bounds: Arc<Bounds>,
    spent: AtomicU64,
    /// The first bound that was reached.
    reached: OnceLock<Bound>,
}

impl Share {
    pub(crate) fn new(bounds: &Arc<Bounds>) -> Self {
        Self { bounds: Arc::clone(bounds), spent: AtomicU64::new(0), reached: OnceLock::new() }
    }

    /// Of a call of the server to itself.
    pub(crate) fn unlimited() -> Self {
        let (work, memory, phase) = (u64::MAX, Memory::new(u64::MAX), PhaseCell::default());
        Self::new(&Arc::new(Bounds { work, memory, phase }))
    }

    pub(crate) const fn bounds(&self) -> &Arc<Bounds> {
        &self.bounds
    }

    fn units_left(&self) -> u64 {
        self.bounds.work.saturating_sub(self.spent.load(Ordering::Relaxed))
    }

    /// Whether a computation that holds that many bytes may go on, apart from its deadline.
    fn allows(&self, held: u64, reservation: &Reservation) -> Result<(), Stop> {
        if self.bounds.phase.current() == Phase::Stopped {
            return Err(Stop::Interrupted);
        }
        if reservation.reserve(held) {
            return Ok(());
        }
        self.reach(if reservation.is_most(held) { Bound::Memory } else { Bound::MemoryOfAll });
        Err(Stop::OutOfMemory)
    }

    fn took(&self, budget: &Budget) {
        self.spent.fetch_add(budget.spent(), Ordering::Relaxed);
        if budget.finish(()) == Err(Stop::OutOfWork) {
            self.reach(Bound::Work);
        }
    }

    fn reach(&self, bound: Bound) {
        // Another one that was reached before is what is reported.
        let _ = self.reached.set(bound);
    }
}

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
    result.map_err(|_| stopped(call))
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
        let result = computation(budget);
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
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> T {
    let places = (place(&whom.principal.turns().0).await, place(&PLACES).await);
    let stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&stopped));
    let span = tracing::Span::current();
    let computation = move || {
        let For { principal: _, deadline, call } = whom;
        let _places = places;
        let share = call
            .as_ref()
            .map_or_else(|| Arc::new(Share::unlimited()), |call| Arc::clone(call.share()));
        let (of_call, reservation) = (Arc::clone(&share), share.bounds.memory.reservation());
        let budget = Budget::new(share.units_left(), move |held| {
            let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if stopped.load(Ordering::Relaxed) || is_late() {
                return Err(Stop::Interrupted);
            }
            of_call.allows(held, &reservation)
        });
        let result = span.in_scope(|| computation(&budget));
        share.took(&budget);
        result
    };
    let (answer, answered) = oneshot::channel();
    let job = move || {
        // Nobody is there to hear it where the call has gone.
        let _ = answer.send(catch_unwind(AssertUnwindSafe(computation)));
    };
    match &*POOL {
        Some(pool) => pool.spawn(job),
        None => drop(tokio::task::spawn_blocking(job)),
    }
    match answered.await {
        Ok(Ok(result)) => result,
        // It goes on to admission, which answers it.
        Ok(Err(panic)) => resume_unwind(panic),
        // A job answers or panics.
        Err(never) => resume_unwind(Box::new(never)),
    }
}

/// `None` where places are given out no more, which does not happen.
async fn place(places: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(places).acquire_owned().await.ok()
}

/// The error of a call whose computation was stopped, or which a judge did not answer in time.
pub(crate) fn stopped(call: &Call) -> Status {
    let (Share { bounds, reached, .. }, step) = (&**call.share(), call.step().name());
    let memory = bounds.memory.total();
    match reached.get() {
        Some(Bound::Work) => {
            errors::too_much("limits.work", &format!("{} units", bounds.work), step)
        }
        Some(Bound::Memory) => {
            errors::too_much("limits.memory", &format!("{memory} bytes for all calls"), step)
        }
        Some(Bound::MemoryOfAll) => errors::too_much_memory(memory),
        None if bounds.phase.current() == Phase::Stopped && Instant::now() < call.deadline => {
            errors::not_serving("draining")
        }
        None => errors::deadline_exceeded(step),
    }
}
