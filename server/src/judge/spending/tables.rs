//! Reads and writes the tables `spending`, which has the total per day, and `spending_of_principals`.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension};

use super::payer::SpendingBudget;

/// Amounts to add, by day and principal. The default payer's name is empty.
pub(super) type Corrections = BTreeMap<(i64, String), i128>;

/// Returns a description of any damage to the tables, since a lost row would allow more spending.
pub(super) fn check(connection: &Connection, day: i64) -> rusqlite::Result<Option<String>> {
    for sql in
        ["PRAGMA integrity_check(spending)", "PRAGMA integrity_check(spending_of_principals)"]
    {
        let result: String = connection.query_row(sql, [], |row| row.get(0))?;
        if result != "ok" {
            return Ok(Some(result));
        }
    }
    spent_amount(connection, day, &SpendingBudget::All).map(|_| None)
}

/// Returns the stored amount. A negative amount means that the table is damaged, and is an error.
pub(super) fn spent_amount(
    connection: &Connection,
    day: i64,
    budget: &SpendingBudget,
) -> rusqlite::Result<i64> {
    const TOTAL: &str = "SELECT micros FROM spending WHERE day = ?1";
    const OWN: &str = "SELECT micros FROM spending_of_principals WHERE day = ?1 AND principal = ?2";
    let micros = match budget {
        SpendingBudget::All => connection.query_row(TOTAL, [day], |row| row.get(0)),
        SpendingBudget::Principal(name) => connection.query_row(OWN, (day, name), |row| row.get(0)),
    };
    let micros = micros.optional()?.unwrap_or(0);
    if micros < 0 {
        return Err(rusqlite::Error::IntegralValueOutOfRange(0, micros));
    }
    Ok(micros)
}

/// Adds a correction to the stored amount.
pub(super) fn add(
    connection: &Connection,
    day: i64,
    budget: &SpendingBudget,
    correction: i128,
) -> rusqlite::Result<()> {
    const TOTAL: &str = "INSERT INTO spending VALUES (?1, ?2)
        ON CONFLICT (day) DO UPDATE SET micros = excluded.micros";
    const OWN: &str = "INSERT INTO spending_of_principals VALUES (?1, ?2, ?3)
        ON CONFLICT (day, principal) DO UPDATE SET micros = excluded.micros";
    let micros = apply_correction(spent_amount(connection, day, budget)?, correction);
    let result = match budget {
        SpendingBudget::All => connection.execute(TOTAL, (day, micros)),
        SpendingBudget::Principal(name) => connection.execute(OWN, (day, name, micros)),
    };
    result.map(|_| ())
}

pub(super) fn apply_correction(micros: i64, correction: i128) -> i64 {
    let sum = i128::from(micros).saturating_add(correction).max(0);
    i64::try_from(sum).unwrap_or(i64::MAX)
}
