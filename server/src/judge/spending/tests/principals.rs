//! Tests for the principals' budgets.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::super::testing::{self, budget_of, payer};
use super::*;
use crate::data_owner::Owner;

fn today_for(spending: &Spending, name: &str) -> u64 {
    spending.store.today(&budget_of(name)).unwrap()
}

fn own_budget_refusal(name: &str, limit: u64, spent: u64, estimate: u64) -> Refusal {
    exhausted(budget_of(name), limit, SpentAmount::Micros(spent), estimate)
}

#[tokio::test]
async fn principals_stay_within_their_own_and_the_total_budget() {
    let folder = tempfile::tempdir().unwrap();
    testing::check_principals(&open(folder.path(), Some(100))).await;
}

#[test]
fn a_budget_of_zero_allows_no_spending() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), None);
    let ada = payer("ada", Some(0));
    assert_eq!(unwrap_refusal(reserve_for(&spending, &ada, 1)), own_budget_refusal("ada", 0, 0, 1));
    reserve_for(&spending, &ada, 0).unwrap().settle(0);
    assert_eq!(
        payer("", Some(0)).daily_budget(),
        None,
        "the default payer has no budget of its own"
    );
}

#[test]
fn spending_before_a_budget_was_set_counts() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), None);
    reserve_for(&spending, &payer("ada", None), 70).unwrap().settle(70);
    reserve(&spending, 5).unwrap().settle(5);
    assert_eq!(
        unwrap_refusal(reserve_for(&spending, &payer("ada", Some(80)), 11)),
        own_budget_refusal("ada", 80, 70, 11)
    );
    reserve_for(&spending, &payer("ada", Some(90)), 11).unwrap().settle(10);
    std::mem::forget(reserve_for(&spending, &payer("ada", None), 3).unwrap());
    drop(spending);
    let spending = open(folder.path(), None);
    assert_eq!((today_for(&spending, "ada"), today(&spending)), (83, 88));
}

#[tokio::test]
async fn a_principal_has_a_new_budget_each_day() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(DAY);
    let spending = Spending::open(folder.path(), Some(100), clock.clock()).unwrap();
    testing::check_days(&spending, &clock).await;
}

#[test]
fn principals_with_a_budget_are_refused_during_an_outage() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), None);
    let (ada, ben) = (payer("ada", Some(100)), payer("ben", None));
    let reservation = reserve_for(&spending, &ada, 50).unwrap();
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection.execute_batch("ALTER TABLE spending_of_principals RENAME TO away").unwrap();
    let refusal = unwrap_refusal(reserve_for(&spending, &ada, 1));
    assert!(matches!(refusal, Refusal::Unavailable { .. }), "{refusal}");
    reserve_for(&spending, &ben, 9).unwrap().settle(7);
    reservation.settle(20);
    connection.execute_batch("ALTER TABLE away RENAME TO spending_of_principals").unwrap();
    assert_eq!((today_for(&spending, "ada"), today_for(&spending, "ben")), (20, 7));
    assert_eq!(today(&spending), 27);
    reserve_for(&spending, &ada, 80).unwrap().settle(80);
    let sql = "SELECT sum(micros), (SELECT micros FROM spending) FROM spending_of_principals";
    let stored: (i64, i64) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(stored, (107, 107));
}

#[test]
fn rejects_negative_spending_of_a_principal() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), None));
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    let sql = "PRAGMA ignore_check_constraints = 1; INSERT INTO spending_of_principals VALUES (1, 'ada', -1)";
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let clock = ManualClock::new(DAY).clock();
    let Err(error) = Spending::open(folder.path(), None, clock) else { panic!("opened") };
    assert!(matches!(error, DatabaseError::Damaged { .. }), "{error}");
}

#[test]
fn a_refusal_hides_the_spending_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(1_500_000));
    reserve_for(&spending, &payer("ben", None), 1_234_567).unwrap().settle(1_234_567);
    let refusal_for =
        |payer: &Payer| unwrap_refusal(reserve_for(&spending, payer, 300_000)).to_string();
    let refusal = refusal_for(&payer("ada", None));
    assert_eq!(
        refusal,
        "the daily budget of all callers is $1.50, of which too little is left, and this call may cost up to $0.30; raise \
         judges.daily_budget, or try again after 1970-01-03T00:00:00Z"
    );
    let amount = "$1.234567 is spent or reserved";
    for payer in [Payer::default(), Payer::new(Owner::new("auditor", true), None)] {
        assert!(refusal_for(&payer).contains(amount), "{}", refusal_for(&payer));
    }
    assert_eq!(
        refusal_for(&payer("ben", Some(1_300_000))),
        "the daily budget of ben is $1.30, of which $1.234567 is spent or reserved, and this call may cost up to $0.30; \
         raise daily_budget of the principal in security.principals, or try again after 1970-01-03T00:00:00Z"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_calls_stay_within_both_budgets() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    let calls = (0..90).map(|number| {
        let spending = spending.clone();
        let payer = match number % 3 {
            0 => payer("ada", Some(30)),
            1 => payer("ben", None),
            _ => Payer::default(),
        };
        tokio::spawn(async move { spending.admit("m", &payer, 9).await })
    });
    let calls = futures_util::future::join_all(calls).await;
    let admitted: Vec<_> = calls.into_iter().filter_map(|call| call.unwrap().ok()).collect();
    assert_eq!(admitted.len(), 11);
    assert_eq!(spending.today(SpendingBudget::All).await, Ok(99));
    assert!(spending.today(budget_of("ada")).await.unwrap() <= 27);
    drop(admitted);
    for budget in [SpendingBudget::All, budget_of("ada"), budget_of("ben")] {
        assert_eq!(spending.today(budget).await, Ok(0));
    }
}

/// A call's estimate, and its cost in percent of the estimate. `None` drops the reservation.
type Call = (u64, Option<u64>);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn concurrent_calls_by_principals_never_exceed_a_limit(
        limit in prop::option::of(0_u64..300),
        budgets in prop::collection::vec(prop::option::of(0_u64..150), 3),
        calls in prop::collection::vec(
            prop::collection::vec((0_u64..100, prop::option::of(0_u64..=100)), 1..6), 4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let spending = open(folder.path(), limit);
        // The first payer has two callers, and the last payer is the default payer.
        let names = ["ada", "ben", ""];
        let payers: Vec<Payer> =
            names.iter().zip(&budgets).map(|(name, budget)| payer(name, *budget)).collect();
        let costs = [const { AtomicU64::new(0) }; 3];
        let start = Barrier::new(calls.len());
        let spend = |payer_index: usize, calls: &[Call]| {
            let payer = &payers[payer_index];
            start.wait();
            for &(estimate, share) in calls {
                let Ok(reservation) = reserve_for(&spending, payer, estimate) else { continue };
                assert!(limit.is_none_or(|limit| today(&spending) <= limit));
                let budget = payer.daily_budget();
                assert!(budget.is_none_or(|budget| today_for(&spending, payer.name()) <= budget));
                if let Some(share) = share {
                    let actual = estimate * share / 100;
                    costs[payer_index].fetch_add(actual, Ordering::SeqCst);
                    reservation.settle(actual);
                }
            }
        };
        std::thread::scope(|scope| {
            for (caller, calls) in calls.iter().enumerate() {
                let spend = &spend;
                scope.spawn(move || spend(caller % 3, calls));
            }
        });
        let [ada, ben, default_payer] = costs.map(AtomicU64::into_inner);
        let total = ada + ben + default_payer;
        prop_assert_eq!(today(&spending), total);
        prop_assert!(limit.is_none_or(|limit| total <= limit));
        drop(spending);
        let spending = open(folder.path(), limit);
        prop_assert_eq!(today_for(&spending, "ada"), ada);
        prop_assert_eq!(today_for(&spending, "ben"), ben);
        prop_assert_eq!(today(&spending), total);
    }
}
