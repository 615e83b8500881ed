//! Reads and writes the tables of the budget ledger: `spending` with the total per day, and `spending_of_principals`
//! with the share of each principal.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::payer::{Budget, Payer};

/// Amounts to add to the stored ones, by day and principal; the name of the default payer is empty.
pub(super) type Corrections = BTreeMap<(i64, String), i128>;

/// An amount to reserve, and its limits.
pub(super) struct Wanted<'w> {
    pub(super) day: i64,
    pub(super) payer: &'w Payer,
    pub(super) estimate: u64,
    /// The limit of the total budget; `None` for no limit.
    pub(super) daily_limit: Option<u64>,
}

/// A budget that is too small for a reservation.
pub(super) struct Short {
    pub(super) budget: Budget,
    pub(super) limit: u64,
    pub(super) spent: u64,
}

/// Writes the corrections, and the reservation if both budgets allow it; otherwise returns the budget that does not.
/// A failure changes nothing.
pub(super) fn write(
    connection: &mut Connection,
    corrections: &Corrections,
    wanted: Option<&Wanted<'_>>,
) -> rusqlite::Result<Option<Short>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for ((day, principal), correction) in corrections {
        let own = (!principal.is_empty()).then(|| Budget::Principal(principal.clone()));
        for budget in own.iter().chain([&Budget::All]) {
            add(&transaction, *day, budget, *correction)?;
        }
    }
    let short = wanted.map(|wanted| set_aside(&transaction, wanted)).transpose()?.flatten();
    transaction.commit()?;
    Ok(short)
}

fn set_aside(connection: &Connection, wanted: &Wanted<'_>) -> rusqlite::Result<Option<Short>> {
    let &Wanted { day, payer, estimate, daily_limit } = wanted;
    let own = payer.budget().map(|own| (own, payer.daily_budget()));
    let budgets: Vec<_> = own.into_iter().chain([(Budget::All, daily_limit)]).collect();
    for (budget, limit) in &budgets {
        let Some(limit) = *limit else { continue };
        let spent = spent(connection, day, budget)?.unsigned_abs();
        if spent.saturating_add(estimate) > limit {
            return Ok(Some(Short { budget: budget.clone(), limit, spent }));
        }
    }
    for (budget, _) in &budgets {
        add(connection, day, budget, i128::from(estimate))?;
    }
    Ok(None)
}

/// Returns the damage of the tables, if any: a lost row would allow more spending.
pub(super) fn check(connection: &Connection, day: i64) -> rusqlite::Result<Option<String>> {
    for sql in
        ["PRAGMA integrity_check(spending)", "PRAGMA integrity_check(spending_of_principals)"]
    {
        let said: String = connection.query_row(sql, [], |row| row.get(0))?;
        if said != "ok" {
            return Ok(Some(said));
        }
    }
    spent(connection, day, &Budget::All).map(|_| None)
}

/// Returns the stored amount. Never negative: the schema and [`corrected`] ensure that, so a negative one is damage.
pub(super) fn spent(connection: &Connection, day: i64, budget: &Budget) -> rusqlite::Result<i64> {
    const OF_ALL: &str = "SELECT micros FROM spending WHERE day = ?1";
    const OF_ONE: &str =
        "SELECT micros FROM spending_of_principals WHERE day = ?1 AND principal = ?2";
    let micros = match budget {
        Budget::All => connection.query_row(OF_ALL, [day], |row| row.get(0)),
        Budget::Principal(name) => connection.query_row(OF_ONE, (day, name), |row| row.get(0)),
    };
    let micros = micros.optional()?.unwrap_or(0);
    if micros < 0 {
        return Err(rusqlite::Error::IntegralValueOutOfRange(0, micros));
    }
    Ok(micros)
}

fn add(
    connection: &Connection,
    day: i64,
    budget: &Budget,
    correction: i128,
) -> rusqlite::Result<()> {
    const OF_ALL: &str = "INSERT INTO spending VALUES (?1, ?2)
        ON CONFLICT (day) DO UPDATE SET micros = excluded.micros";
    const OF_ONE: &str = "INSERT INTO spending_of_principals VALUES (?1, ?2, ?3)
        ON CONFLICT (day, principal) DO UPDATE SET micros = excluded.micros";
    let micros = corrected(spent(connection, day, budget)?, correction);
    let written = match budget {
        Budget::All => connection.execute(OF_ALL, (day, micros)),
        Budget::Principal(name) => connection.execute(OF_ONE, (day, name, micros)),
    };
    written.map(|_| ())
}

pub(super) fn corrected(micros: i64, correction: i128) -> i64 {
    let sum = i128::from(micros).saturating_add(correction).max(0);
    i64::try_from(sum).unwrap_or(i64::MAX)
}
