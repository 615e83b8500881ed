//! This module says what keeps a daily budget, whatever engine it is. It keeps nothing.

use std::sync::Arc;

use uuid::Uuid;

use super::Refusal;
use super::payer::{Budget, Payer};

/// What a reservation is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::judge) struct Booking {
    /// The day that it counts for.
    pub(in crate::judge) day: i64,
    /// Its own, where reservations are kept one by one.
    pub(in crate::judge) id: Uuid,
    /// On whose behalf it is.
    pub(in crate::judge) payer: Payer,
}

impl Booking {
    /// One of a store that keeps the sum of a day.
    pub(super) fn of_day(day: i64, payer: &Payer) -> Self {
        Self { day, id: Uuid::nil(), payer: payer.clone() }
    }
}

/// What was spent and reserved on each day, in millionths of a dollar; days are counted since the epoch. Every method
/// may block on the disk or the network.
pub(in crate::judge) trait BudgetStore: Send + Sync {
    /// Reserves an amount, of the budget of all and of the payer's, or of neither. It is durable when this returns;
    /// reservations at the same time, by any server on the same store, never exceed a limit together.
    ///
    /// # Errors
    /// [`Refusal`] when one of the budgets does not allow it, or that cannot be known.
    fn admit(&self, payer: &Payer, estimate: u64) -> Result<Booking, Refusal>;

    /// Puts another amount in the place of one that was reserved. Counts at once; durable shortly after.
    fn correct(self: Arc<Self>, booking: &Booking, reserved: u64, actual: u64);

    /// What was spent and reserved today of a budget.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when that cannot be read.
    fn today(&self, budget: &Budget) -> Result<u64, Refusal>;
}
