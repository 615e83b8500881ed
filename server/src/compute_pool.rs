//! Runs CPU-bound work on its own threads. Principals take turns in the queue. A computation stops soon
//! after its client disconnects, its deadline passes, or its call exceeds its limits on work or memory.

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
use crate::server_phase::{Phase, PhaseCell};

/// The number of compute threads. One core is left for serving.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1));
/// The compute threads. They are permanent, which bounds the memory that their allocators retain. `None` if
/// the system could not start them.
static POOL: LazyLock<Option<rayon::ThreadPool>> = LazyLock::new(|| {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(*THREADS);
    pool.thread_name(|number| format!("computing-{number}")).build().ok()
});
static SLOTS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(*THREADS)));

/// The maximum number of bytes to process on the calling thread. One pass over them takes less than about
/// 100 microseconds.
const MAX_INLINE_BYTES: usize = 8 << 10;

#[derive(Debug)]
pub(crate) struct Bounds {
    work: u64,
    memory: Memory,
    /// Computations end when this reaches `Stopped`.
    phase: PhaseCell,
}

impl Bounds {
    pub(crate) fn new(work: u64, memory: &Memory, phase: PhaseCell) -> Self {
        Self { work, memory: memory.clone(), phase }
    }
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    Work,
    /// This call alone reached the memory limit.
    Memory,
    /// All calls together reached the memory limit.
    MemoryOfAll,
}

/// A call's computation limits, and its usage so far.
#[derive(Debug)]
pub(crate) struct Share {
    bounds: Arc<Bounds>,
    used_work: AtomicU64,
    /// The first limit that was reached. Limits that are reached later are not reported.
    reached_bound: OnceLock<Bound>,
}

impl Share {
    pub(crate) fn new(bounds: &Arc<Bounds>) -> Self {
        Self {
            bounds: Arc::clone(bounds),
            used_work: AtomicU64::new(0),
            reached_bound: OnceLock::new(),
        }
    }

    pub(crate) fn unlimited() -> Self {
        let (work, memory, phase) = (u64::MAX, Memory::new(u64::MAX), PhaseCell::default());
        Self::new(&Arc::new(Bounds { work, memory, phase }))
    }

    pub(crate) const fn bounds(&self) -> &Arc<Bounds> {
        &self.bounds
    }

    fn units_left(&self) -> u64 {
        self.bounds.work.saturating_sub(self.used_work.load(Ordering::Relaxed))
    }

    fn allows(&self, bytes: u64, reservation: &Reservation) -> Result<(), Stop> {
        if self.bounds.phase.current() == Phase::Stopped {
            return Err(Stop::Interrupted);
        }
        if reservation.reserve(bytes) {
            return Ok(());
        }
        self.reach(if reservation.is_majority(bytes) { Bound::Memory } else { Bound::MemoryOfAll });
        Err(Stop::OutOfMemory)
    }

    fn add_usage(&self, budget: &Budget) {
        self.used_work.fetch_add(budget.spent(), Ordering::Relaxed);
        if budget.finish(()) == Err(Stop::OutOfWork) {
            self.reach(Bound::Work);
        }
    }

    fn reach(&self, bound: Bound) {
        let _ = self.reached_bound.set(bound);
    }
}

/// One principal's compute slots. They prevent the principal from filling the queue.
#[derive(Clone, Debug)]
pub(crate) struct PrincipalSlots(Arc<Semaphore>);

impl Default for PrincipalSlots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(*THREADS)))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Requester {
    principal: Arc<Principal>,
    deadline: Option<Instant>,
    /// The call stays alive until the computation ends.
    call: Option<Call>,
}

impl From<&Call> for Requester {
    fn from(call: &Call) -> Self {
        Self::new(Some(call), Some(call.deadline))
    }
}

impl Requester {
    pub(crate) fn new(call: Option<&Call>, deadline: Option<Instant>) -> Self {
        let principal = call.map_or_else(Principal::anonymous, |call| Arc::clone(&call.principal));
        Self { principal, deadline, call: call.cloned() }
    }
}

/// Stops a computation when its result is no longer awaited.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a computation within the budget and deadline of a call. Dropping the future stops it.
///
/// # Errors
/// Returns DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, or UNAVAILABLE while draining.
pub(crate) async fn compute<T: Send + 'static>(
    call: &Call,
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Result<T, Status> {
    let result = try_compute(call, computation).await;
    result.map_err(|_| stop_status(call))
}

/// Like [`compute`], but also accepts a judge's question.
///
/// # Errors
/// Returns the reason for stopping.
pub(crate) async fn try_compute<T: Send + 'static>(
    requester: impl Into<Requester>,
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> Result<T, Stop> {
    run_on_pool(requester.into(), |budget| {
        let result = computation(budget);
        budget.finish(result)
    })
    .await
}

/// Runs a computation that is too short to need interruption, such as one pass over `bytes` bytes of a request.
/// For few bytes, it runs on the calling thread, because another thread would take longer to start.
pub(crate) async fn compute_briefly<T: Send + 'static>(
    requester: impl Into<Requester>,
    bytes: usize,
    computation: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= MAX_INLINE_BYTES {
        return computation();
    }
    run_on_pool(requester.into(), |_| computation()).await
}

async fn run_on_pool<T: Send + 'static>(
    requester: Requester,
    computation: impl FnOnce(&Budget) -> T + Send + 'static,
) -> T {
    let slots = (acquire(&requester.principal.compute_slots().0).await, acquire(&SLOTS).await);
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _stop_guard = StopOnDrop(Arc::clone(&is_stopped));
    let span = tracing::Span::current();
    let computation = move || {
        let Requester { principal: _, deadline, call } = requester;
        let _slots = slots;
        let share = call
            .as_ref()
            .map_or_else(|| Arc::new(Share::unlimited()), |call| Arc::clone(call.share()));
        let (call_share, reservation) = (Arc::clone(&share), share.bounds.memory.reservation());
        let budget = Budget::new(share.units_left(), move |bytes| {
            let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_stopped.load(Ordering::Relaxed) || is_late() {
                return Err(Stop::Interrupted);
            }
            call_share.allows(bytes, &reservation)
        });
        let result = span.in_scope(|| computation(&budget));
        share.add_usage(&budget);
        result
    };
    let (sender, receiver) = oneshot::channel();
    let job = move || {
        // The receiver is gone if the call was cancelled.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(computation)));
    };
    match &*POOL {
        Some(pool) => pool.spawn(job),
        None => drop(tokio::task::spawn_blocking(job)),
    }
    match receiver.await {
        Ok(Ok(result)) => result,
        // Admission catches the panic.
        Ok(Err(panic)) => resume_unwind(panic),
        // Unreachable, since every job sends a result.
        Err(error) => resume_unwind(Box::new(error)),
    }
}

async fn acquire(slots: &Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    Arc::clone(slots).acquire_owned().await.ok()
}

/// Checks a deadline for [`Budget::new`].
pub(crate) fn check_deadline(deadline: Instant) -> Result<(), Stop> {
    if Instant::now() < deadline { Ok(()) } else { Err(Stop::Interrupted) }
}

/// Returns the error for a call whose computation was stopped or whose judge was too slow.
pub(crate) fn stop_status(call: &Call) -> Status {
    let (Share { bounds, reached_bound, .. }, step) = (&**call.share(), call.step().name());
    let memory = bounds.memory.total();
    match reached_bound.get() {
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
