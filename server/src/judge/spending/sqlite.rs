//! Daily budgets in SQLite. Settlements take effect immediately, and are written with the next reservation at
//! the latest.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::payer::{Payer, SpendingBudget};
use super::refusal::{Refusal, SpentAmount};
use super::reserve::{self, BudgetRequest, Shortfall};
use super::store::{Booking, BudgetStore};
use super::tables::{self, Corrections};
use crate::judge::clock::{Clock, day_of, end_of_day};
use crate::judge::database::{self, DatabaseError, Durability, FILE};

pub(super) struct BudgetLedger {
    daily_limit: Option<u64>,
    clock: Clock,
    file: PathBuf,
    connection: Mutex<Connection>,
    /// Lock order: `connection` before `corrections`.
    corrections: Mutex<Corrections>,
}

impl BudgetLedger {
    pub(super) fn open(
        folder: &Path,
        daily_limit: Option<u64>,
        clock: Clock,
    ) -> Result<Self, DatabaseError> {
        let ledger = Self {
            daily_limit,
            clock,
            file: folder.join(FILE),
            connection: Mutex::new(database::open(folder, Durability::Durable)?),
            corrections: Mutex::default(),
        };
        let result = tables::check(&ledger.connection(), ledger.day());
        let damage = result.map_err(|error| DatabaseError::from_sqlite(&error, &ledger.file))?;
        match damage {
            None => Ok(ledger),
            Some(reason) => Err(DatabaseError::Damaged { file: ledger.file.clone(), reason }),
        }
    }

    fn flush(&self) {
        let has_corrections = !self.corrections().is_empty();
        if !has_corrections {
            return;
        }
        if let Err(error) = self.write(None) {
            tracing::warn!(%error, "failed to record the cost of a call; retrying");
        }
    }

    /// Writes the corrections, and the reservation if the budgets allow it. Writes nothing if an operation
    /// fails.
    fn write(&self, request: Option<&BudgetRequest<'_>>) -> rusqlite::Result<Option<Shortfall>> {
        let mut connection = self.connection();
        let corrections = std::mem::take(&mut *self.corrections());
        let result = reserve::write(&mut connection, &corrections, request);
        if result.is_err() {
            for ((day, principal), correction) in corrections {
                self.add(day, &principal, correction);
            }
        }
        result
    }

    fn add(&self, day: i64, principal: &str, correction: i128) {
        let mut corrections = self.corrections();
        let sum = corrections.entry((day, principal.to_owned())).or_default();
        *sum = sum.saturating_add(correction);
    }

    fn day(&self) -> i64 {
        day_of((self.clock)())
    }

    fn unavailable_refusal(&self, error: &rusqlite::Error) -> Refusal {
        let reason = DatabaseError::from_sqlite(error, &self.file).to_string();
        Refusal::Unavailable { reason }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn corrections(&self) -> MutexGuard<'_, Corrections> {
        self.corrections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BudgetStore for BudgetLedger {
    fn admit(&self, payer: &Payer, estimate: u64) -> Result<Booking, Refusal> {
        let (day, daily_limit) = (self.day(), self.daily_limit);
        let has_limit = daily_limit.or(payer.daily_budget()).is_some();
        match self.write(Some(&BudgetRequest { day, payer, estimate, daily_limit })) {
            Ok(None) => Ok(Booking::for_day(day, payer)),
            Ok(Some(Shortfall { budget, limit, spent })) => {
                let (spent, resets_at) = (SpentAmount::Micros(spent), end_of_day(day));
                Err(Refusal::Exhausted { budget, limit, spent, estimate, resets_at })
            }
            Err(error) if !has_limit => {
                tracing::warn!(%error, "failed to record the cost of chat models");
                self.add(day, payer.name(), i128::from(estimate));
                Ok(Booking::for_day(day, payer))
            }
            Err(error) => Err(self.unavailable_refusal(&error)),
        }
    }

    fn correct(self: Arc<Self>, booking: &Booking, reserved: u64, actual: u64) {
        if reserved == actual {
            return;
        }
        let correction = i128::from(actual) - i128::from(reserved);
        self.add(booking.day, booking.payer.name(), correction);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn_blocking(move || self.flush());
            }
            Err(_) => self.flush(),
        }
    }

    fn today(&self, budget: &SpendingBudget) -> Result<u64, Refusal> {
        let today = self.day();
        let connection = self.connection();
        let stored = tables::spent_amount(&connection, today, budget);
        let stored = stored.map_err(|error| self.unavailable_refusal(&error))?;
        let is_relevant = |day: i64, principal: &str| match budget {
            SpendingBudget::All => day == today,
            SpendingBudget::Principal(name) => day == today && name == principal,
        };
        let corrections = self.corrections();
        let correction = corrections
            .iter()
            .filter(|((day, principal), _)| is_relevant(*day, principal))
            .fold(0_i128, |sum, (_, correction)| sum.saturating_add(*correction));
        Ok(tables::apply_correction(stored, correction).unsigned_abs())
    }
}

impl Drop for BudgetLedger {
    fn drop(&mut self) {
        self.flush();
    }
}
