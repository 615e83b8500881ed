//! Budget tests that every store must pass.

use std::time::Duration;

use gsar_core::time::Timestamp;

use super::{Payer, Refusal, Spending, SpendingBudget, SpentAmount};
use crate::data_owner::Owner;
use crate::judge::clock::testing::ManualClock;

pub(in crate::judge) const DAY: i64 = 24 * 3_600;

pub(in crate::judge) fn payer(name: &str, daily_budget: Option<u64>) -> Payer {
    Payer::new(Owner::new(name, false), daily_budget)
}

pub(in crate::judge) fn budget_of(name: &str) -> SpendingBudget {
    SpendingBudget::Principal(name.to_owned())
}

/// Returns the refusal that is expected on the second day.
pub(in crate::judge) fn exhausted(
    budget: SpendingBudget,
    limit: u64,
    spent: SpentAmount,
    estimate: u64,
) -> Refusal {
    let resets_at = Timestamp::from_micros(2 * DAY * 1_000_000);
    Refusal::Exhausted { budget, limit, spent, estimate, resets_at }
}

pub(in crate::judge) async fn refusal(
    spending: &Spending,
    payer: &Payer,
    estimate: u64,
) -> Refusal {
    spending.admit("m", payer, estimate).await.map(drop).unwrap_err()
}

pub(in crate::judge) async fn wait_until_spent(
    spending: &Spending,
    budget: SpendingBudget,
    expected: u64,
) {
    let wait = async { while spending.today(budget.clone()).await.unwrap() != expected {} };
    tokio::time::timeout(Duration::from_secs(60), wait).await.unwrap();
}

/// Checks that principals stay within their own budgets and the total budget, which must be 100. The clock
/// must show the second day.
pub(in crate::judge) async fn check_principals(spending: &Spending) {
    let (ada, ben) = (payer("ada", Some(60)), payer("ben", Some(60)));
    let own = |name, limit, spent, estimate| {
        exhausted(budget_of(name), limit, SpentAmount::Micros(spent), estimate)
    };
    let first = spending.admit("m", &ada, 50).await.unwrap();
    assert_eq!(refusal(spending, &ada, 11).await, own("ada", 60, 50, 11));
    let second = spending.admit("m", &ben, 50).await.unwrap();
    let total = exhausted(SpendingBudget::All, 100, SpentAmount::Undisclosed, 1);
    assert_eq!(refusal(spending, &ben, 1).await, total);
    // A refused amount is reserved in neither budget.
    for (budget, today) in
        [(budget_of("ada"), 50), (budget_of("ben"), 50), (SpendingBudget::All, 100)]
    {
        assert_eq!(spending.today(budget).await, Ok(today));
    }
    first.settle(20);
    drop(second);
    wait_until_spent(spending, SpendingBudget::All, 20).await;
    for (name, today) in [("ada", 20), ("ben", 0), ("eve", 0)] {
        assert_eq!(spending.today(budget_of(name)).await, Ok(today));
    }
    assert_eq!(refusal(spending, &payer("ben", Some(0)), 1).await, own("ben", 0, 0, 1));
    // Spending without a limit counts, and so does spending over the limit.
    spending.admit("m", &payer("ada", None), 30).await.unwrap().settle(30);
    wait_until_spent(spending, budget_of("ada"), 50).await;
    assert_eq!(refusal(spending, &ada, 11).await, own("ada", 60, 50, 11));
    spending.admit("m", &ada, 10).await.unwrap().settle(40);
    wait_until_spent(spending, budget_of("ada"), 90).await;
    assert_eq!(refusal(spending, &ada, 0).await, own("ada", 60, 90, 0));
}

/// Checks that a principal has a new budget each day, and that a settlement counts for the day of its
/// reservation. The total budget must be 100.
pub(in crate::judge) async fn check_days(spending: &Spending, clock: &ManualClock) {
    let ada = payer("ada", Some(100));
    clock.set(DAY - 1);
    let reservation = spending.admit("m", &ada, 100).await.unwrap();
    assert!(spending.admit("m", &ada, 1).await.is_err());
    clock.set(DAY);
    spending.admit("m", &ada, 100).await.unwrap().settle(70);
    wait_until_spent(spending, budget_of("ada"), 70).await;
    reservation.settle(90);
    for (seconds, today) in [(DAY - 1, 90), (DAY, 70)] {
        clock.set(seconds);
        wait_until_spent(spending, budget_of("ada"), today).await;
        wait_until_spent(spending, SpendingBudget::All, today).await;
    }
}
