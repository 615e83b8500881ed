//! Limits the work and memory of a computation. Work is counted in units and memory in bytes; every few thousand units
//! a callback decides whether to continue. Reads no clock itself.

use core::cell::Cell;
use core::fmt;
use std::rc::Rc;

/// The number of units between two calls of the callback. A unit is about the work of reading one byte once.
const UNITS_BETWEEN_CHECKS: u64 = 16 << 10;
/// The number of bytes between two calls of the callback.
const BYTES_BETWEEN_CHECKS: u64 = 1 << 20;

/// The reason why a computation was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed or the caller went away.
    Interrupted,
    /// The units of work are exhausted.
    OutOfWork,
    /// The memory limit is exceeded.
    OutOfMemory,
}

/// A limit on a computation. Loops over input call [`spend`](Self::spend) for what they read and
/// [`allocate`](Self::allocate) for what they collect, and stop when it returns `false`; [`finish`](Self::finish) then
/// discards the partial result. Clones share one budget.
#[derive(Clone)]
pub struct Budget(Rc<Inner>);

struct Inner {
    units: u64,
    spent: Cell<u64>,
    allocated: Cell<u64>,
    /// The units and bytes at which the callback is called next.
    next_check: Cell<(u64, u64)>,
    check: Box<dyn Fn(u64) -> Result<(), Stop>>,
    stopped: Cell<Option<Stop>>,
}

impl Budget {
    /// Creates a budget of `units`. `check` is called with the number of allocated bytes and may stop the computation.
    #[must_use]
    pub fn new(units: u64, check: impl Fn(u64) -> Result<(), Stop> + 'static) -> Self {
        Self(Rc::new(Inner {
            units,
            spent: Cell::new(0),
            allocated: Cell::new(0),
            next_check: Cell::new((UNITS_BETWEEN_CHECKS, BYTES_BETWEEN_CHECKS)),
            check: Box::new(check),
            stopped: Cell::new(None),
        }))
    }

    /// Creates a budget without limits.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, |_| Ok(()))
    }

    /// Spends units. Returns `false` if the computation must stop; after a stop it always does.
    pub fn spend(&self, units: usize) -> bool {
        let units = u64::try_from(units).unwrap_or(u64::MAX).saturating_add(1);
        self.take(units, 0)
    }

    /// Counts bytes of memory, by estimate, until they are released. Returns `false` if the computation must stop.
    pub fn allocate(&self, bytes: usize) -> bool {
        self.take(0, u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Releases bytes of memory.
    pub fn release(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.0.allocated.set(self.0.allocated.get().saturating_sub(bytes));
    }

    fn take(&self, units: u64, bytes: u64) -> bool {
        let Inner { spent, allocated, next_check, stopped, .. } = &*self.0;
        if stopped.get().is_some() {
            return false;
        }
        spent.set(spent.get().saturating_add(units));
        allocated.set(allocated.get().saturating_add(bytes));
        let (at_units, at_bytes) = next_check.get();
        if spent.get() > self.0.units {
            stopped.set(Some(Stop::OutOfWork));
        } else if spent.get() >= at_units || allocated.get() >= at_bytes {
            let after = |taken: u64, step| taken.saturating_add(step);
            next_check.set((
                after(spent.get(), UNITS_BETWEEN_CHECKS),
                after(allocated.get(), BYTES_BETWEEN_CHECKS),
            ));
            stopped.set((self.0.check)(allocated.get()).err());
        }
        stopped.get().is_none()
    }

    /// Returns the number of units spent.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.spent.get()
    }

    /// Returns the number of bytes allocated.
    #[must_use]
    pub fn allocated(&self) -> u64 {
        self.0.allocated.get()
    }

    /// Returns `result` unless the computation was stopped.
    ///
    /// # Errors
    /// The reason why it was stopped; the result is incomplete then.
    pub fn finish<T>(&self, result: T) -> Result<T, Stop> {
        self.0.stopped.get().map_or(Ok(result), Err)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { units, spent, allocated, stopped, .. } = &*self.0;
        f.debug_struct("Budget")
            .field("units", units)
            .field("spent", spent)
            .field("allocated", allocated)
            .field("stopped", stopped)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_at_the_unit_limit_or_when_the_callback_fails() {
        let budget = Budget::new(10, |_| Ok(()));
        assert!(budget.spend(4) && budget.spend(3));
        assert_eq!(budget.finish(()), Ok(()));
        assert!(!budget.spend(1), "each call costs one extra unit");
        assert_eq!(budget.finish(()), Err(Stop::OutOfWork));

        let calls = Rc::new(Cell::new(0));
        let checks = Rc::clone(&calls);
        let budget = Budget::new(u64::MAX, move |_| {
            checks.set(checks.get() + 1);
            if checks.get() < 3 { Ok(()) } else { Err(Stop::Interrupted) }
        });
        let spent = (0..).take_while(|_| budget.spend(1 << 10)).count();
        assert_eq!((spent, calls.get()), (47, 3));
        assert!(!budget.spend(0));
        assert_eq!(budget.finish(()), Err(Stop::Interrupted));
    }

    #[test]
    fn stops_at_the_memory_limit() {
        let budget = Budget::new(u64::MAX, |allocated| match allocated {
            0..=2_097_152 => Ok(()),
            _ => Err(Stop::OutOfMemory),
        });
        assert!(budget.allocate(1 << 20) && budget.allocate(1 << 20) && budget.spend(1));
        assert!(!budget.allocate(1 << 20) && !budget.spend(1));
        assert_eq!((budget.allocated(), budget.finish(())), (3 << 20, Err(Stop::OutOfMemory)));
    }

    #[test]
    fn unlimited_budgets_never_stop() {
        let budget = Budget::unlimited();
        assert!((0..1000).all(|_| budget.spend(1 << 40)));
        assert_eq!(budget.finish(7), Ok(7));
    }
}
