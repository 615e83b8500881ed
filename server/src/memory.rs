//! This module bounds the memory that calls in progress take. Half of the bound is for messages, which are weighed as
//! their bytes arrive, and half is shared by the computations that run at once. It knows nothing of what is in a message.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use procfs::{Current as _, Meminfo};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes of memory that a byte of a message takes until its call is answered: as it came, decoded, and checked.
const PER_BYTE: usize = 3;
/// What is weighed at once, in bytes.
const GRAIN: usize = 1 << 10;
/// The bytes of memory that a computation takes for each byte that its budget counts: allocators keep more than is asked
/// of them, and what is read passes through lists that are dropped.
const PER_COUNTED_BYTE: u64 = 3;
/// The bound where the memory of the machine is not known.
const UNKNOWN: u64 = 4 << 30;

/// The memory of a server.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    free: Arc<Semaphore>,
    /// The bytes that computations may yet count.
    left: Arc<AtomicU64>,
    total: u64,
}

impl Memory {
    /// That many bytes for all calls together.
    pub(crate) fn new(total: u64) -> Self {
        let messages = usize::try_from(total / 2).unwrap_or(usize::MAX) / GRAIN;
        let free = Arc::new(Semaphore::new(messages.min(Semaphore::MAX_PERMITS)));
        let left = Arc::new(AtomicU64::new(total / 2 / PER_COUNTED_BYTE));
        Self { free, left, total }
    }

    /// The bound, in bytes.
    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    /// Memory for a computation that is about to begin.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { left: Arc::clone(&self.left), all: self.computing(), reserved: Cell::new(0) }
    }

    /// The bytes that all computations may count.
    const fn computing(&self) -> u64 {
        self.total / 2 / PER_COUNTED_BYTE
    }

    /// Room for bytes of a message, if there is any.
    fn room(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let grains = u32::try_from(bytes.saturating_mul(PER_BYTE).div_ceil(GRAIN)).ok()?;
        Arc::clone(&self.free).try_acquire_many_owned(grains).ok()
    }
}

/// What one computation has of the memory for all of them; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    left: Arc<AtomicU64>,
    all: u64,
    reserved: Cell<u64>,
}

impl Reservation {
    /// Reserves memory so that it comes to that many counted bytes; whether there is as much.
    pub(crate) fn reserve(&self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.reserved.get());
        let take = |left: u64| left.checked_sub(more);
        let is_taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if is_taken {
            self.reserved.set(self.reserved.get() + more);
        }
        is_taken
    }

    /// Whether that is most of what there is: then it is not the others that take too much.
    pub(crate) const fn is_most(&self, bytes: u64) -> bool {
        bytes > self.all / 2
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.left.fetch_add(self.reserved.get(), Ordering::Relaxed);
    }
}

/// The room that a message has taken; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Weighed(OwnedSemaphorePermit);

/// What has arrived of the messages of a call.
#[derive(Debug)]
pub(crate) struct Arrived {
    memory: Memory,
    weighed: Mutex<Option<Weighed>>,
    is_full: AtomicBool,
}

impl Arrived {
    /// Nothing yet.
    pub(crate) fn nothing(memory: &Memory) -> Self {
        Self { memory: memory.clone(), weighed: Mutex::new(None), is_full: AtomicBool::new(false) }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// The bound of the memory of all calls, where there is no room.
    pub(crate) fn add(&self, bytes: usize) -> Result<(), u64> {
        let Some(more) = self.memory.room(bytes) else {
            self.is_full.store(true, Ordering::Relaxed);
            return Err(self.memory.total);
        };
        let mut weighed = self.weighed.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *weighed {
            Some(Weighed(all)) => all.merge(more),
            None => *weighed = Some(Weighed(more)),
        }
        Ok(())
    }

    /// Whether there was no room for something.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// What has arrived since this was last asked, for the message that it made.
    pub(crate) fn take(&self) -> Option<Weighed> {
        self.weighed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Half of the memory that this process may have: of its control group where that is bounded, else of the machine.
pub(crate) fn half_of_machine() -> u64 {
    let machine = Meminfo::current().map_or(2 * UNKNOWN, |memory| memory.mem_total);
    group_bound().map_or(machine, |bound| bound.min(machine)) / 2
}

/// The least bound of the control group of this process and of those above it.
fn group_bound() -> Option<u64> {
    let groups = procfs::process::Process::myself().ok()?.cgroups().ok()?;
    let unified = groups.into_iter().find(|group| group.hierarchy == 0)?;
    let path = Path::new("/sys/fs/cgroup").join(unified.pathname.trim_start_matches('/'));
    let bounds = path.ancestors().take_while(|above| above.starts_with("/sys/fs/cgroup"));
    bounds
        .filter_map(|above| std::fs::read_to_string(above.join("memory.max")).ok())
        .filter_map(|bound| bound.trim().parse().ok())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_take_room_until_they_are_dropped() {
        let memory = Memory::new(600 << 10);
        let (first, second) = (Arrived::nothing(&memory), Arrived::nothing(&memory));
        assert_eq!(first.add(60 << 10), Ok(()));
        assert_eq!(second.add(60 << 10), Err(600 << 10));
        assert_eq!(second.add(30 << 10), Ok(()));
        let message = first.take();
        assert!(message.is_some() && first.take().is_none());
        assert_eq!(second.add(20 << 10), Err(600 << 10));
        drop(message);
        assert_eq!(second.add(20 << 10), Ok(()));
    }

    #[test]
    fn computations_share_the_other_half() {
        let memory = Memory::new(600);
        let (first, second) = (memory.reservation(), memory.reservation());
        assert!(first.reserve(60) && first.reserve(60) && first.is_most(60));
        assert!(second.reserve(40) && !second.reserve(50) && !second.is_most(50));
        drop(first);
        assert!(second.reserve(100) && !second.reserve(101));
    }

    #[test]
    fn the_memory_of_the_machine_is_known() {
        assert!(half_of_machine() > 64 << 20);
    }
}
