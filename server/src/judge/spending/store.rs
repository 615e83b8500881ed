//! This module says what keeps a daily budget, whatever engine it is. It keeps nothing.

use std::sync::Arc;

use uuid::Uuid;

use super::Refusal;

/// What a reservation is known by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::judge) struct Booking {
    /// The day that it counts for.
    pub(in crate::judge) day: i64,
    /// Its own, where reservations are kept one by one.
    pub(in crate::judge) id: Uuid,
}

impl Booking {
    /// One of a store that keeps the sum of a day.
    pub(super) fn of_day(day: i64) -> Self {
        Self { day, id: Uuid::nil() }
    }
}

/// What was spent and reserved on each day, in millionths of a dollar; days are counted since the epoch. Every method
/// may block on the disk or the network.
pub(in crate::judge) trait BudgetStore: Send + Sync {
    /// Reserves an amount. It is durable when this returns; reservations at the
    /// same time, by any server on the same store, never exceed the limit together.
    ///
    /// # Errors
    /// [`Refusal`] when the budget does not allow it, or that cannot be known.
    fn admit(&self, estimate: u64) -> Result<Booking, Refusal>;

    /// Puts another amount in the place of one that was reserved. Counts at once; durable shortly after.
    fn correct(self: Arc<Self>, booking: Booking, reserved: u64, actual: u64);

    /// What was spent and reserved today.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when that cannot be read.
    fn today(&self) -> Result<u64, Refusal>;
}
