//! This module keeps the daily budgets for calls of chat models, that of all callers and those of principals: money is
//! reserved on disk before a call and settled after it. Where that cannot be written, no call is allowed. It knows
//! neither judges nor prices.

mod budget_ledger;
mod money;
mod payer;
mod refusal;
mod store;
mod tables;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use metrics::counter;
use tokio::runtime::Handle;

use self::budget_ledger::BudgetLedger;
pub use self::payer::{Budget, Payer};
pub use self::refusal::{Refusal, Spent};
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

    /// Reserves `estimate` millionths of a dollar for a call of a judge on somebody's behalf, of the budget of all and
    /// of the payer's; calls at the same time never get more than a limit together. It is on disk when this returns.
    ///
    /// # Errors
    /// [`Refusal`] when one of the budgets does not allow it, or that cannot be known.
    pub async fn admit(
        &self,
        judge: &str,
        payer: &Payer,
        estimate: u64,
    ) -> Result<Reservation, Refusal> {
        let (store, judge, payer) = (Arc::clone(&self.store), judge.to_owned(), payer.clone());
        let admitting =
            tokio::task::spawn_blocking(move || Reservation::make(store, judge, &payer, estimate));
        let admitted = match admitting.await {
            Ok(admitted) => admitted,
            Err(stopped) => Err(Refusal::Unavailable { reason: stopped.to_string() }),
        };
        admitted.inspect_err(|_| counter!(names::BUDGET_REFUSED).increment(1))
    }

    /// What was spent and reserved today of a budget, in millionths of a dollar.
    ///
    /// # Errors
    /// [`Refusal::Unavailable`] when the ledger cannot be read.
    pub async fn today(&self, budget: Budget) -> Result<u64, Refusal> {
        let store = Arc::clone(&self.store);
        match tokio::task::spawn_blocking(move || store.today(&budget)).await {
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
    fn make(
        store: Arc<dyn BudgetStore>,
        judge: String,
        payer: &Payer,
        estimate: u64,
    ) -> Result<Self, Refusal> {
        let booking = store.admit(payer, estimate).map_err(|refusal| refusal.shown_to(payer))?;
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
            Arc::clone(&self.store).correct(&self.booking, reserved, actual);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.put_in_place(0);
    }
}
