//! The trait for stores of daily budgets.

use std::sync::Arc;

use uuid::Uuid;

use super::Refusal;
use super::payer::{Payer, SpendingBudget};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::judge) struct Booking {
    /// The day for which the reservation counts.
    pub(in crate::judge) day: i64,
    /// The ID, if the store records each reservation.
    pub(in crate::judge) id: Uuid,
    pub(in crate::judge) payer: Payer,
}

impl Booking {
    pub(super) fn for_day(day: i64, payer: &Payer) -> Self {
        Self { day, id: Uuid::nil(), payer: payer.clone() }
    }
}

/// A store of daily budgets. Amounts are in millionths of a dollar, and days are counted from the epoch. All
/// methods can block.
pub(in crate::judge) trait BudgetStore: Send + Sync {
    /// Reserves an amount in both the total budget and the payer's budget. Concurrent reservations, even by
    /// several servers, never exceed a limit. The reservation is durable when this returns.
    ///
    /// # Errors
    /// Returns [`Refusal`] if a budget is too small or unavailable.
    fn admit(&self, payer: &Payer, estimate: u64) -> Result<Booking, Refusal>;

    /// Replaces the reserved amount with the actual one. This takes effect immediately, and is durable
    /// shortly afterwards.
    fn correct(self: Arc<Self>, booking: &Booking, reserved: u64, actual: u64);

    /// Returns the amount of a budget that has been spent or reserved today.
    ///
    /// # Errors
    /// Returns [`Refusal::Unavailable`] if the budget cannot be read.
    fn today(&self, budget: &SpendingBudget) -> Result<u64, Refusal>;
}
