//! Limits the work and memory of a computation. Work is counted in units and memory in bytes, and a callback
//! decides periodically whether to continue.

use core::cell::Cell;
use core::fmt;
use std::rc::Rc;

/// The number of units between two callback calls. A unit is roughly the work of scanning one byte.
const UNITS_BETWEEN_CHECKS: u64 = 16 << 10;
/// The number of allocated bytes between two callback calls.
const BYTES_BETWEEN_CHECKS: u64 = 1 << 20;

/// The reason for stopping a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed or the caller disconnected.
    Interrupted,
    /// The work units are exhausted.
    OutOfWork,
    /// The memory limit is exceeded.
    OutOfMemory,
}

/// A shared limit on a computation. Loops call [`spend`](Self::spend) and [`allocate`](Self::allocate) and
/// stop when these return `false`. [`finish`](Self::finish) then discards the partial result.
#[derive(Clone)]
pub struct Budget(Rc<Inner>);

struct Inner {
    units: u64,
    spent: Cell<u64>,
    allocated: Cell<u64>,
    /// The numbers of units and bytes at which to call `check` again.
    next_check: Cell<(u64, u64)>,
    check: Box<dyn Fn(u64) -> Result<(), Stop>>,
    stopped: Cell<Option<Stop>>,
}

impl Budget {
    /// Creates a budget of work units. `check` receives the number of allocated bytes and can stop
    /// the computation.
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

    /// Spends units. Returns `false` once the computation is stopped.
    pub fn spend(&self, units: usize) -> bool {
        let units = u64::try_from(units).unwrap_or(u64::MAX).saturating_add(1);
        self.charge(units, 0)
    }

    /// Adds to the estimated memory in use. Returns `false` once the computation is stopped.
    pub fn allocate(&self, bytes: usize) -> bool {
        self.charge(0, u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Subtracts from the estimated memory in use.
    pub fn release(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.0.allocated.set(self.0.allocated.get().saturating_sub(bytes));
    }

    fn charge(&self, units: u64, bytes: u64) -> bool {
        let Inner { spent, allocated, next_check, stopped, .. } = &*self.0;
        if stopped.get().is_some() {
            return false;
        }
        spent.set(spent.get().saturating_add(units));
        allocated.set(allocated.get().saturating_add(bytes));
        let (next_units, next_bytes) = next_check.get();
        if spent.get() > self.0.units {
            stopped.set(Some(Stop::OutOfWork));
        } else if spent.get() >= next_units || allocated.get() >= next_bytes {
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
    /// Returns the reason for stopping. The result is incomplete in that case.
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
