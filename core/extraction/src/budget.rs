//! This module bounds computations: work is counted in units and memory in bytes, and every few thousand units a callback
//! decides whether to continue. It reads no clock; the callback may.

use core::cell::Cell;
use core::fmt;
use std::rc::Rc;

/// After how many units the callback is called again. A unit is about the work of reading one byte once.
const UNITS_BETWEEN_QUESTIONS: u64 = 16 << 10;
/// After how many bytes.
const BYTES_BETWEEN_QUESTIONS: u64 = 1 << 20;

/// Why a computation ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The deadline passed, or the caller is gone.
    Interrupted,
    /// All units of work were spent.
    OutOfWork,
    /// It took more memory than it may.
    OutOfMemory,
}

/// A limit on a computation. Loops over input [`spend`](Self::spend) what they read, and [`hold`](Self::hold) what they
/// collect, and stop when it returns false; [`finish`](Self::finish) then discards the partial result. Clones share one
/// budget.
#[derive(Clone)]
pub struct Budget(Rc<Inner>);

struct Inner {
    units: u64,
    spent: Cell<u64>,
    held: Cell<u64>,
    /// The units and the bytes after which the callback is called.
    next_question: Cell<(u64, u64)>,
    may_go_on: Box<dyn Fn(u64) -> Result<(), Stop>>,
    stopped: Cell<Option<Stop>>,
}

impl Budget {
    /// A budget of that many units, which ends earlier where `may_go_on` says so of the bytes held.
    #[must_use]
    pub fn new(units: u64, may_go_on: impl Fn(u64) -> Result<(), Stop> + 'static) -> Self {
        Self(Rc::new(Inner {
            units,
            spent: Cell::new(0),
            held: Cell::new(0),
            next_question: Cell::new((UNITS_BETWEEN_QUESTIONS, BYTES_BETWEEN_QUESTIONS)),
            may_go_on: Box::new(may_go_on),
            stopped: Cell::new(None),
        }))
    }

    /// A budget without an end.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, |_| Ok(()))
    }

    /// Spends units, and says whether to go on. After a stop it always says no.
    pub fn spend(&self, units: usize) -> bool {
        let units = u64::try_from(units).unwrap_or(u64::MAX).saturating_add(1);
        self.take(units, 0)
    }

    /// Takes bytes of memory until the end of the computation, and says whether to go on. They are what collections hold, by
    /// an estimate.
    pub fn hold(&self, bytes: usize) -> bool {
        self.take(0, u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Gives bytes back before the end.
    pub fn release(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.0.held.set(self.0.held.get().saturating_sub(bytes));
    }

    fn take(&self, units: u64, bytes: u64) -> bool {
        let Inner { spent, held, next_question, stopped, .. } = &*self.0;
        if stopped.get().is_some() {
            return false;
        }
        spent.set(spent.get().saturating_add(units));
        held.set(held.get().saturating_add(bytes));
        let (at_units, at_bytes) = next_question.get();
        if spent.get() > self.0.units {
            stopped.set(Some(Stop::OutOfWork));
        } else if spent.get() >= at_units || held.get() >= at_bytes {
            let after = |taken: u64, step| taken.saturating_add(step);
            next_question.set((
                after(spent.get(), UNITS_BETWEEN_QUESTIONS),
                after(held.get(), BYTES_BETWEEN_QUESTIONS),
            ));
            stopped.set((self.0.may_go_on)(held.get()).err());
        }
        stopped.get().is_none()
    }

    /// The units spent so far.
    #[must_use]
    pub fn spent(&self) -> u64 {
        self.0.spent.get()
    }

    /// The bytes held.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.0.held.get()
    }

    /// The result of a computation, unless it was stopped.
    ///
    /// # Errors
    /// Why it was stopped; then the result is not whole.
    pub fn finish<T>(&self, result: T) -> Result<T, Stop> {
        self.0.stopped.get().map_or(Ok(result), Err)
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { units, spent, held, stopped, .. } = &*self.0;
        f.debug_struct("Budget")
            .field("units", units)
            .field("spent", spent)
            .field("held", held)
            .field("stopped", stopped)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_by_its_units_or_by_who_is_asked() {
        let budget = Budget::new(10, |_| Ok(()));
        assert!(budget.spend(4) && budget.spend(3));
        assert_eq!(budget.finish(()), Ok(()));
        assert!(!budget.spend(1), "each call costs a unit of its own");
        assert_eq!(budget.finish(()), Err(Stop::OutOfWork));

        let asked = Rc::new(Cell::new(0));
        let questions = Rc::clone(&asked);
        let budget = Budget::new(u64::MAX, move |_| {
            questions.set(questions.get() + 1);
            if questions.get() < 3 { Ok(()) } else { Err(Stop::Interrupted) }
        });
        let spent = (0..).take_while(|_| budget.spend(1 << 10)).count();
        assert_eq!((spent, asked.get()), (47, 3));
        assert!(!budget.spend(0));
        assert_eq!(budget.finish(()), Err(Stop::Interrupted));
    }

    #[test]
    fn a_budget_ends_where_its_memory_is_taken() {
        let budget = Budget::new(u64::MAX, |held| match held {
            0..=2_097_152 => Ok(()),
            _ => Err(Stop::OutOfMemory),
        });
        assert!(budget.hold(1 << 20) && budget.hold(1 << 20) && budget.spend(1));
        assert!(!budget.hold(1 << 20) && !budget.spend(1));
        assert_eq!((budget.held(), budget.finish(())), (3 << 20, Err(Stop::OutOfMemory)));
    }

    #[test]
    fn an_unlimited_budget_has_no_end() {
        let budget = Budget::unlimited();
        assert!((0..1000).all(|_| budget.spend(1 << 40)));
        assert_eq!(budget.finish(7), Ok(7));
    }
}
