//! Reserves an amount in both the total budget and the payer's budget.

use rusqlite::{Connection, TransactionBehavior};

use super::payer::{Payer, SpendingBudget};
use super::tables::{Corrections, add, spent_amount};

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

/// Writes the corrections, and the reservation if both budgets allow it. Otherwise, returns the budget that
/// is too small. Writes nothing if an operation fails.
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
