//! Reads and writes the tables `spending`, with the total per day, and `spending_of_principals`.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::payer::{Payer, SpendingBudget};

/// Amounts to add, by day and principal. The default payer's name is empty.
pub(super) type Corrections = BTreeMap<(i64, String), i128>;

pub(super) struct BudgetRequest<'w> {
    pub(super) day: i64,
    pub(super) payer: &'w Payer,
    pub(super) estimate: u64,
    pub(super) daily_limit: Option<u64>,
}

pub(super) struct Shortfall {
    pub(super) budget: SpendingBudget,
    pub(super) limit: u64,
    pub(super) spent: u64,
}

/// Writes the corrections, and the reservation if both budgets allow it. Otherwise returns the budget that
/// is too small. Writes nothing on failure.
pub(super) fn write(
    connection: &mut Connection,
    corrections: &Corrections,
    request: Option<&BudgetRequest<'_>>,
) -> rusqlite::Result<Option<Shortfall>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for ((day, principal), correction) in corrections {
        let own_budget =
            (!principal.is_empty()).then(|| SpendingBudget::Principal(principal.clone()));
        for budget in own_budget.iter().chain([&SpendingBudget::All]) {
            add(&transaction, *day, budget, *correction)?;
        }
    }
    let shortfall = request.map(|request| reserve(&transaction, request)).transpose()?.flatten();
    transaction.commit()?;
    Ok(shortfall)
}

fn reserve(
    connection: &Connection,
    request: &BudgetRequest<'_>,
) -> rusqlite::Result<Option<Shortfall>> {
    let &BudgetRequest { day, payer, estimate, daily_limit } = request;
    let own_budget = payer.budget().map(|budget| (budget, payer.daily_budget()));
    let budgets: Vec<_> =
        own_budget.into_iter().chain([(SpendingBudget::All, daily_limit)]).collect();
    for (budget, limit) in &budgets {
        let Some(limit) = *limit else { continue };
        let spent = spent_amount(connection, day, budget)?.unsigned_abs();
        if spent.saturating_add(estimate) > limit {
            return Ok(Some(Shortfall { budget: budget.clone(), limit, spent }));
        }
    }
    for (budget, _) in &budgets {
        add(connection, day, budget, i128::from(estimate))?;
    }
    Ok(None)
}

/// Describes any damage to the tables, since a lost row would allow more spending.
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

/// Returns the stored amount. A negative one means damage.
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

fn add(
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
