//! Limits the memory of calls in flight. Half of the limit is for messages, as their bytes arrive; the other
//! half is for running computations.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use procfs::{Current as _, Meminfo};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory per byte of a message, for the received, decoded and checked copies.
const PER_BYTE: usize = 3;
/// The granularity of message memory, in bytes.
const GRANULE: usize = 1 << 10;
/// The memory per byte counted by a budget. Allocators retain more than is requested, and parsing needs temporary
/// lists.
const PER_COUNTED_BYTE: u64 = 3;
/// The default limit if the machine's memory is unknown.
const DEFAULT_LIMIT: u64 = 4 << 30;

/// The memory limit shared by a server's calls.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    free_granules: Arc<Semaphore>,
    /// The number of counted bytes left for computations.
    available: Arc<AtomicU64>,
    total: u64,
}

impl Memory {
    pub(crate) fn new(total: u64) -> Self {
        let granules = usize::try_from(total / 2).unwrap_or(usize::MAX) / GRANULE;
        let free_granules = Arc::new(Semaphore::new(granules.min(Semaphore::MAX_PERMITS)));
        let available = Arc::new(AtomicU64::new(total / 2 / PER_COUNTED_BYTE));
        Self { free_granules, available, total }
    }

    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn reservation(&self) -> Reservation {
        Reservation {
            available: Arc::clone(&self.available),
            total: self.compute_total(),
            reserved: Cell::new(0),
        }
    }

    /// Returns the number of counted bytes for all computations.
    const fn compute_total(&self) -> u64 {
        self.total / 2 / PER_COUNTED_BYTE
    }

    /// Reserves memory for received bytes, if enough is left.
    fn try_reserve(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let granules = u32::try_from(bytes.saturating_mul(PER_BYTE).div_ceil(GRANULE)).ok()?;
        Arc::clone(&self.free_granules).try_acquire_many_owned(granules).ok()
    }
}

/// The memory reserved for a computation. Released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    available: Arc<AtomicU64>,
    total: u64,
    reserved: Cell<u64>,
}

impl Reservation {
    /// Grows the reservation to `bytes` counted bytes. Returns `false` if too little is left.
    pub(crate) fn reserve(&self, bytes: u64) -> bool {
        let additional = bytes.saturating_sub(self.reserved.get());
        let take = |available: u64| available.checked_sub(additional);
        let is_taken =
            self.available.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if is_taken {
            self.reserved.set(self.reserved.get() + additional);
        }
        is_taken
    }

    /// Returns `true` if `bytes` is more than half of the total, so that no other computation can be the cause.
    pub(crate) const fn is_majority(&self, bytes: u64) -> bool {
        bytes > self.total / 2
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.available.fetch_add(self.reserved.get(), Ordering::Relaxed);
    }
}

/// The memory reserved for a message. Released on drop.
#[derive(Debug)]
pub(crate) struct MessageMemory(OwnedSemaphorePermit);

#[derive(Debug)]
pub(crate) struct ReceivedBytes {
    memory: Memory,
    reserved: Mutex<Option<MessageMemory>>,
    is_full: AtomicBool,
}

impl ReceivedBytes {
    pub(crate) fn new(memory: &Memory) -> Self {
        Self { memory: memory.clone(), reserved: Mutex::new(None), is_full: AtomicBool::new(false) }
    }

    /// Counts bytes and reserves memory for them. Fails with the limit in bytes if too little is left.
    pub(crate) fn add(&self, bytes: usize) -> Result<(), u64> {
        let Some(new_permit) = self.memory.try_reserve(bytes) else {
            self.is_full.store(true, Ordering::Relaxed);
            return Err(self.memory.total);
        };
        let mut reserved = self.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *reserved {
            Some(MessageMemory(permit)) => permit.merge(new_permit),
            None => *reserved = Some(MessageMemory(new_permit)),
        }
        Ok(())
    }

    pub(crate) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Takes the memory of the bytes received since the last call, which form a message.
    pub(crate) fn take(&self) -> Option<MessageMemory> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns half of the machine's memory, or of this process's cgroup limit if that is lower.
pub(crate) fn default_limit() -> u64 {
    let machine = Meminfo::current().map_or(2 * DEFAULT_LIMIT, |memory| memory.mem_total);
    group_limit().map_or(machine, |bound| bound.min(machine)) / 2
}

/// Returns the lowest limit of this process's cgroup and its ancestors.
fn group_limit() -> Option<u64> {
    let groups = procfs::process::Process::myself().ok()?.cgroups().ok()?;
    let unified_group = groups.into_iter().find(|group| group.hierarchy == 0)?;
    let path = Path::new("/sys/fs/cgroup").join(unified_group.pathname.trim_start_matches('/'));
    let bounds = path.ancestors().take_while(|ancestor| ancestor.starts_with("/sys/fs/cgroup"));
    bounds
        .filter_map(|ancestor| std::fs::read_to_string(ancestor.join("memory.max")).ok())
        .filter_map(|bound| bound.trim().parse().ok())
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_use_memory_until_they_are_dropped() {
        let memory = Memory::new(600 << 10);
        let (first, second) = (ReceivedBytes::new(&memory), ReceivedBytes::new(&memory));
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
        assert!(first.reserve(60) && first.reserve(60) && first.is_majority(60));
        assert!(second.reserve(40) && !second.reserve(50) && !second.is_majority(50));
        drop(first);
        assert!(second.reserve(100) && !second.reserve(101));
    }

    #[test]
    fn the_default_limit_is_plausible() {
        assert!(default_limit() > 64 << 20);
    }
}
