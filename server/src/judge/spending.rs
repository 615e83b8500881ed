//! Daily budgets for chat model calls, in total and per principal. Costs are reserved before a call and
//! settled afterwards. If the reservation cannot be stored, the call is refused.

mod money;
mod payer;
mod refusal;
mod reserve;
mod sqlite;
mod store;
mod tables;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use metrics::counter;
use tokio::runtime::Handle;

pub use self::payer::{Payer, SpendingBudget};
pub use self::refusal::{Refusal, SpentAmount};
use self::sqlite::BudgetLedger;
pub(super) use self::store::{Booking, BudgetStore};
use super::clock::Clock;
pub use super::database::DatabaseError;
use super::postgres::SharedBudget;
use crate::storage::postgres::Database;
use crate::telemetry::metrics as names;

/// The daily budgets for chat models. Days begin at midnight UTC. Clones share the budgets.
#[derive(Clone)]
pub struct Spending {
    store: Arc<dyn BudgetStore>,
}

impl Spending {
    /// Opens the budgets in the data directory. Without a limit, every call is allowed, even if its cost
    /// cannot be recorded.
    ///
    /// # Errors
    /// Returns [`DatabaseError`] if the file cannot be opened or is damaged.
    pub fn open(
        folder: &Path,
        daily_limit: Option<u64>,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let store = Arc::new(BudgetLedger::open(folder, daily_limit, clock)?);
        Ok(Self { store })
    }

    pub(crate) fn shared(
        database: Database,
        daily_limit: Option<u64>,
        clock: Clock,
        runtime: Handle,
    ) -> Self {
        Self { store: Arc::new(SharedBudget::new(database, daily_limit, clock, runtime)) }
    }

    /// Reserves `estimate` millionths of a dollar in both the total budget and the payer's budget. Concurrent
    /// reservations never exceed a limit. The reservation is durable when this returns.
    ///
    /// # Errors
    /// Returns [`Refusal`] if a budget is too small or unavailable.
    pub async fn admit(
        &self,
        judge: &str,
        payer: &Payer,
        estimate: u64,
    ) -> Result<Reservation, Refusal> {
        let (store, judge, payer) = (Arc::clone(&self.store), judge.to_owned(), payer.clone());
        let task = tokio::task::spawn_blocking(move || {
            Reservation::create(store, judge, &payer, estimate)
        });
        let result = match task.await {
            Ok(result) => result,
            Err(error) => Err(Refusal::Unavailable { reason: error.to_string() }),
        };
        result.inspect_err(|_| counter!(names::BUDGET_REFUSED).increment(1))
    }

    /// Returns the amount spent and reserved today, in millionths of a dollar.
    ///
    /// # Errors
    /// Returns [`Refusal::Unavailable`] if the budget cannot be read.
    pub async fn today(&self, budget: SpendingBudget) -> Result<u64, Refusal> {
        let store = Arc::clone(&self.store);
        match tokio::task::spawn_blocking(move || store.today(&budget)).await {
            Ok(today) => today,
            Err(error) => Err(Refusal::Unavailable { reason: error.to_string() }),
        }
    }
}

/// A reserved amount. Dropping it returns the amount to the budgets. The amount always counts towards the day
/// on which it was reserved.
#[must_use = "a dropped reservation returns the money"]
pub struct Reservation {
    store: Arc<dyn BudgetStore>,
    judge: String,
    booking: Booking,
    reserved: Option<u64>,
}

impl Reservation {
    fn create(
        store: Arc<dyn BudgetStore>,
        judge: String,
        payer: &Payer,
        estimate: u64,
    ) -> Result<Self, Refusal> {
        let booking =
            store.admit(payer, estimate).map_err(|refusal| refusal.redacted_for(payer))?;
        Ok(Self { store, judge, booking, reserved: Some(estimate) })
    }

    /// Replaces the estimate with the actual cost in millionths of a dollar. This takes effect immediately,
    /// and is durable shortly afterwards.
    pub fn settle(mut self, actual: u64) {
        counter!(names::JUDGE_COST, "judge" => self.judge.clone()).increment(actual);
        self.replace_estimate(actual);
    }

    fn replace_estimate(&mut self, actual: u64) {
        if let Some(reserved) = self.reserved.take() {
            Arc::clone(&self.store).correct(&self.booking, reserved, actual);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.replace_estimate(0);
    }
}
