//! This module says what keeps a daily budget, whatever engine it is. It keeps nothing.

use std::sync::Arc;

use super::Refusal;

/// What was spent and reserved on each day, in millionths of a dollar; days are counted since the epoch. Every method
/// may block on the disk or the network.
pub(super) trait BudgetStore: Send + Sync {
    /// Reserves an amount and returns the day that it counts for. It is durable when this returns; reservations at the
    /// same time, by any server on the same store, never exceed the limit together.
    ///
    /// # Errors
    /// [`Refusal`] when the budget does not allow it, or that cannot be known.
    fn admit(&self, estimate: u64) -> Result<i64, Refusal>;

    /// Puts another amount in the place of one that was reserved. Counts at once; durable shortly after.
    fn correct(self: Arc<Self>, day: i64, reserved: u64, actual: u64);

    /// What was spent and reserved today.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when that cannot be read.
    fn today(&self) -> Result<u64, Refusal>;
}
