//! This module is the budget ledger on disk: what was spent on each day. Settlements that are not written yet count
//! already and are written with the next reservation at the latest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::Refusal;
use super::store::{Booking, BudgetStore};
use crate::judge::clock::{Clock, day_of, end_of_day};
use crate::judge::database::{self, DatabaseError, Durability, FILE};

/// By day, what is to be added to what stands on disk.
type Corrections = BTreeMap<i64, i128>;

/// What was spent and set aside on each day.
pub(super) struct BudgetLedger {
    daily_limit: Option<u64>,
    clock: Clock,
    file: PathBuf,
    connection: Mutex<Connection>,
    /// Taken by itself, or while the connection is held; never the other way round.
    corrections: Mutex<Corrections>,
}

impl BudgetLedger {
    /// Opens the ledger in a folder; `daily_limit` is in millionths of a dollar, `None` for no limit.
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
        let checked = check(&ledger.connection(), ledger.day());
        let checked = checked.map_err(|error| DatabaseError::of_sqlite(&error, &ledger.file))?;
        match checked {
            None => Ok(ledger),
            Some(reason) => Err(DatabaseError::Damaged { file: ledger.file.clone(), reason }),
        }
    }

    fn flush(&self) {
        let is_written = self.corrections().is_empty();
        if is_written {
            return;
        }
        if let Err(error) = self.write(self.day(), 0, None) {
            tracing::warn!(%error, "what a call cost is not written down yet");
        }
    }

    /// Writes the corrections, and the estimate where the limit allows it; else tells what is spent. A failure
    /// changes nothing.
    fn write(&self, day: i64, estimate: u64, limit: Option<u64>) -> rusqlite::Result<Option<u64>> {
        let mut connection = self.connection();
        let corrections = std::mem::take(&mut *self.corrections());
        let written = write(&mut connection, &corrections, day, estimate, limit);
        if written.is_err() {
            for (day, correction) in corrections {
                self.add(day, correction);
            }
        }
        written
    }

    fn add(&self, day: i64, correction: i128) {
        let mut corrections = self.corrections();
        let sum = corrections.entry(day).or_default();
        *sum = sum.saturating_add(correction);
    }

    fn day(&self) -> i64 {
        day_of((self.clock)())
    }

    fn unavailable(&self, error: &rusqlite::Error) -> Refusal {
        let reason = DatabaseError::of_sqlite(error, &self.file).to_string();
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
    fn admit(&self, estimate: u64) -> Result<Booking, Refusal> {
        let day = self.day();
        let limit = self.daily_limit;
        let spent = match self.write(day, estimate, limit) {
            Ok(None) => return Ok(Booking::of_day(day)),
            Ok(Some(spent)) => spent,
            Err(error) if limit.is_none() => {
                tracing::warn!(%error, "what chat models cost is not written down");
                self.add(day, i128::from(estimate));
                return Ok(Booking::of_day(day));
            }
            Err(error) => return Err(self.unavailable(&error)),
        };
        let limit = limit.unwrap_or(u64::MAX);
        Err(Refusal::Spent { limit, spent, estimate, resets_at: end_of_day(day) })
    }

    fn correct(self: Arc<Self>, booking: Booking, reserved: u64, actual: u64) {
        if reserved == actual {
            return;
        }
        self.add(booking.day, i128::from(actual) - i128::from(reserved));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                runtime.spawn_blocking(move || self.flush());
            }
            Err(_) => self.flush(),
        }
    }

    fn today(&self) -> Result<u64, Refusal> {
        let day = self.day();
        let connection = self.connection();
        let on_disk = total(&connection, day).map_err(|error| self.unavailable(&error))?;
        let correction = self.corrections().get(&day).copied().unwrap_or_default();
        Ok(corrected(on_disk, correction).unsigned_abs())
    }
}

impl Drop for BudgetLedger {
    fn drop(&mut self) {
        self.flush();
    }
}

fn write(
    connection: &mut Connection,
    corrections: &Corrections,
    day: i64,
    estimate: u64,
    limit: Option<u64>,
) -> rusqlite::Result<Option<u64>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (&day, &correction) in corrections {
        let micros = corrected(total(&transaction, day)?, correction);
        put(&transaction, day, micros)?;
    }
    let spent = total(&transaction, day)?;
    let after = spent.unsigned_abs().saturating_add(estimate);
    let is_allowed = limit.is_none_or(|limit| after <= limit);
    if is_allowed {
        put(&transaction, day, corrected(spent, i128::from(estimate)))?;
    }
    transaction.commit()?;
    Ok((!is_allowed).then_some(spent.unsigned_abs()))
}

/// What is wrong with the table, where anything is: a row that is gone would be money nobody spent.
fn check(connection: &Connection, day: i64) -> rusqlite::Result<Option<String>> {
    let sql = "PRAGMA integrity_check(spending)";
    let said: String = connection.query_row(sql, [], |row| row.get(0))?;
    if said != "ok" {
        return Ok(Some(said));
    }
    total(connection, day).map(|_| None)
}

/// Never negative: the schema and [`corrected`] see to that, and a file that says otherwise is damaged.
fn total(connection: &Connection, day: i64) -> rusqlite::Result<i64> {
    let sql = "SELECT micros FROM spending WHERE day = ?1";
    let micros = connection.query_row(sql, [day], |row| row.get(0)).optional()?.unwrap_or(0);
    if micros < 0 {
        return Err(rusqlite::Error::IntegralValueOutOfRange(0, micros));
    }
    Ok(micros)
}

fn put(connection: &Connection, day: i64, micros: i64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO spending VALUES (?1, ?2)
               ON CONFLICT (day) DO UPDATE SET micros = excluded.micros";
    connection.execute(sql, (day, micros)).map(|_| ())
}

fn corrected(micros: i64, correction: i128) -> i64 {
    let sum = i128::from(micros).saturating_add(correction).max(0);
    i64::try_from(sum).unwrap_or(i64::MAX)
}
