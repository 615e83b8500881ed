//! This module bounds computations: work is counted in units, and every few thousand units a callback decides whether to
//! continue. It reads no clock; the callback may.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::Cell;
use core::fmt;

/// How often the callback is called. A unit is about the work of reading one byte once.
const UNITS_BETWEEN_QUESTIONS: u64 = 16 << 10;

/// Why a computation ended before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The callback said so: the deadline passed, or the caller is gone.
    Interrupted,
    /// All units were spent.
    Exhausted,
}

/// A limit on the work of a computation. Loops over input [`spend`](Self::spend) what they read and stop when it returns
/// false; [`finish`](Self::finish) then discards the partial result. Clones share one budget.
#[derive(Clone)]
pub struct Budget(Rc<Inner>);

struct Inner {
    left: Cell<u64>,
    until_question: Cell<u64>,
    may_go_on: Box<dyn Fn() -> bool>,
    stopped: Cell<Option<Stop>>,
}

impl Budget {
    /// A budget of that many units, which ends earlier where `may_go_on` says so.
    #[must_use]
    pub fn new(units: u64, may_go_on: impl Fn() -> bool + 'static) -> Self {
        Self(Rc::new(Inner {
            left: Cell::new(units),
            until_question: Cell::new(UNITS_BETWEEN_QUESTIONS),
            may_go_on: Box::new(may_go_on),
            stopped: Cell::new(None),
        }))
    }

    /// A budget without an end.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(u64::MAX, || true)
    }

    /// Spends units, and says whether to go on. After a stop it always says no.
    pub fn spend(&self, units: usize) -> bool {
        if self.0.stopped.get().is_some() {
            return false;
        }
        let units = u64::try_from(units).unwrap_or(u64::MAX).saturating_add(1);
        match self.0.left.get().checked_sub(units) {
            Some(left) => self.0.left.set(left),
            None => self.0.stopped.set(Some(Stop::Exhausted)),
        }
        match self.0.until_question.get().checked_sub(units) {
            Some(left) => self.0.until_question.set(left),
            None => {
                self.0.until_question.set(UNITS_BETWEEN_QUESTIONS);
                if !(self.0.may_go_on)() {
                    self.0.stopped.set(Some(Stop::Interrupted));
                }
            }
        }
        self.0.stopped.get().is_none()
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
        let (left, stopped) = (self.0.left.get(), self.0.stopped.get());
        f.debug_struct("Budget").field("left", &left).field("stopped", &stopped).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_by_its_units_or_by_who_is_asked() {
        let budget = Budget::new(10, || true);
        assert!(budget.spend(4) && budget.spend(3));
        assert_eq!(budget.finish(()), Ok(()));
        assert!(!budget.spend(1), "each call costs a unit of its own");
        assert_eq!(budget.finish(()), Err(Stop::Exhausted));

        let asked = Rc::new(Cell::new(0));
        let questions = Rc::clone(&asked);
        let budget = Budget::new(u64::MAX, move || {
            questions.set(questions.get() + 1);
            questions.get() < 3
        });
        let spent = (0..).take_while(|_| budget.spend(1 << 10)).count();
        assert_eq!((spent, asked.get()), (47, 3));
        assert!(!budget.spend(0));
        assert_eq!(budget.finish(()), Err(Stop::Interrupted));
    }

    #[test]
    fn an_unlimited_budget_has_no_end() {
        let budget = Budget::unlimited();
        assert!((0..1000).all(|_| budget.spend(1 << 40)));
        assert_eq!(budget.finish(7), Ok(7));
    }
}
