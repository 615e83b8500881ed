//! This module keeps the daily budget for calls of chat models: money is reserved on disk before a call and settled
//! after it. Where that cannot be written, no call is allowed. It knows neither judges nor prices.

mod budget_ledger;
mod money;
mod store;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use gsar_core::time::Timestamp;
use metrics::counter;
use tokio::runtime::Handle;

use self::budget_ledger::BudgetLedger;
use self::money::Dollars;
pub(super) use self::store::{Booking, BudgetStore};
use super::clock::Clock;
pub use super::database::DatabaseError;
use super::postgres::SharedBudget;
use crate::storage::postgres::Database;
use crate::telemetry::metrics as names;

/// What may be spent on chat models each day, in millionths of a dollar; days begin at midnight UTC. Clones share it.
#[derive(Clone)]
pub struct Spending {
    store: Arc<dyn BudgetStore>,
}

impl Spending {
    /// Opens the ledger in the data directory. Without a limit every call is allowed and what was spent is written
    /// down where that is possible.
    ///
    /// # Errors
    /// [`DatabaseError`] when the ledger cannot be opened or are damaged.
    pub fn open(
        folder: &Path,
        daily_limit: Option<u64>,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let store = Arc::new(BudgetLedger::open(folder, daily_limit, clock)?);
        Ok(Self { store })
    }

    /// A budget that every server on a database shares.
    pub(crate) fn shared(
        database: Database,
        daily_limit: Option<u64>,
        clock: Clock,
        runtime: Handle,
    ) -> Self {
        Self { store: Arc::new(SharedBudget::new(database, daily_limit, clock, runtime)) }
    }

    /// Reserves `estimate` millionths of a dollar for a call on behalf of a judge; calls at the same time never get
    /// more than the limit together. It is on disk when this returns.
    ///
    /// # Errors
    /// [`Refusal`] when the budget does not allow it, or that cannot be known.
    pub async fn admit(&self, judge: &str, estimate: u64) -> Result<Reservation, Refusal> {
        let (store, judge) = (Arc::clone(&self.store), judge.to_owned());
        let admitting =
            tokio::task::spawn_blocking(move || Reservation::make(store, judge, estimate));
        let admitted = match admitting.await {
            Ok(admitted) => admitted,
            Err(stopped) => Err(Refusal::Unavailable { reason: stopped.to_string() }),
        };
        admitted.inspect_err(|_| counter!(names::BUDGET_REFUSED).increment(1))
    }

    /// What was spent and reserved today, in millionths of a dollar.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when the ledger cannot be read.
    pub async fn today(&self) -> Result<u64, Refusal> {
        let store = Arc::clone(&self.store);
        match tokio::task::spawn_blocking(move || store.today()).await {
            Ok(today) => today,
            Err(stopped) => Err(Refusal::Unavailable { reason: stopped.to_string() }),
        }
    }
}

/// Money set aside for one call. Dropped, it goes back: for a call that was never sent. It counts for the day on which
/// it was set aside, whenever it is settled.
#[must_use = "a dropped reservation gives the money back"]
pub struct Reservation {
    store: Arc<dyn BudgetStore>,
    judge: String,
    booking: Booking,
    reserved: Option<u64>,
}

impl Reservation {
    fn make(store: Arc<dyn BudgetStore>, judge: String, estimate: u64) -> Result<Self, Refusal> {
        let booking = store.admit(estimate)?;
        Ok(Self { store, judge, booking, reserved: Some(estimate) })
    }

    /// Puts what the call cost, in millionths of a dollar, in the place of the estimate, be it more or less. Counts
    /// at once and is on disk shortly after; until then the estimate is.
    pub fn settle(mut self, actual: u64) {
        counter!(names::JUDGE_COST, "judge" => self.judge.clone()).increment(actual);
        self.put_in_place(actual);
    }

    fn put_in_place(&mut self, actual: u64) {
        if let Some(reserved) = self.reserved.take() {
            Arc::clone(&self.store).correct(self.booking, reserved, actual);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.put_in_place(0);
    }
}

/// Why a call is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The budget of the day does not suffice.
    #[error(
        "the daily budget is {}, of which {} are spent or set aside, and this call may cost {}; raise the budget, or try \
         again after {}", Dollars(*limit), Dollars(*spent), Dollars(*estimate), money::written(*resets_at)
    )]
    Spent {
        /// What may be spent in a day, in millionths of a dollar.
        limit: u64,
        /// What was spent and reserved today, in millionths of a dollar.
        spent: u64,
        /// What was asked for, in millionths of a dollar.
        estimate: u64,
        /// When the next day begins.
        resets_at: Timestamp,
    },
    /// Whether the budget suffices cannot be known.
    #[error("no call is made while the budget cannot be written down: {reason}")]
    Unavailable {
        /// What happened, and the fix.
        reason: String,
    },
}
