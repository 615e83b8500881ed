//! The interface of a store of daily budgets.

use std::sync::Arc;

use uuid::Uuid;

use super::Refusal;
use super::payer::{Payer, SpendingBudget};

/// The identity of a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::judge) struct Booking {
    /// The day it counts for.
    pub(in crate::judge) day: i64,
    /// Its id, if the store records reservations individually.
    pub(in crate::judge) id: Uuid,
    /// The principal it is charged to.
    pub(in crate::judge) payer: Payer,
}

impl Booking {
    /// Creates a booking for a store that records only the sum of a day.
    pub(super) fn for_day(day: i64, payer: &Payer) -> Self {
        Self { day, id: Uuid::nil(), payer: payer.clone() }
    }
}

/// The amounts spent and reserved per day, in millionths of a dollar; days are counted since the epoch. Every method may
/// block on the disk or the network.
pub(in crate::judge) trait BudgetStore: Send + Sync {
    /// Reserves an amount from both the total budget and the payer's, or from neither. The reservation is durable when
    /// this returns. Concurrent reservations, by any server on the same store, never exceed a limit together.
    ///
    /// # Errors
    /// [`Refusal`] if a budget does not allow it, or cannot be read.
    fn admit(&self, payer: &Payer, estimate: u64) -> Result<Booking, Refusal>;

    /// Replaces the reserved amount by the actual one. Counts immediately; durable shortly after.
    fn correct(self: Arc<Self>, booking: &Booking, reserved: u64, actual: u64);

    /// Returns the amount of a budget spent and reserved today.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] if it cannot be read.
    fn today(&self, budget: &SpendingBudget) -> Result<u64, Refusal>;
}
