//! Tests for the daily budgets.

mod principals;

use metrics_exporter_prometheus::PrometheusBuilder;
use rusqlite::Connection;

use super::testing::{DAY, exhausted};
use super::*;
use crate::judge::clock::testing::ManualClock;
use crate::judge::database::FILE;

fn open(folder: &Path, limit: Option<u64>) -> Spending {
    Spending::open(folder, limit, ManualClock::new(DAY + 1).clock()).unwrap()
}

fn reserve(spending: &Spending, estimate: u64) -> Result<Reservation, Refusal> {
    reserve_for(spending, &Payer::default(), estimate)
}

fn reserve_for(spending: &Spending, payer: &Payer, estimate: u64) -> Result<Reservation, Refusal> {
    Reservation::create(Arc::clone(&spending.store), "m".to_owned(), payer, estimate)
}

fn today(spending: &Spending) -> u64 {
    spending.store.today(&SpendingBudget::All).unwrap()
}

fn unwrap_refusal(result: Result<Reservation, Refusal>) -> Refusal {
    result.map(|_| ()).unwrap_err()
}

fn total_budget_refusal(limit: u64, spent: u64, estimate: u64) -> Refusal {
    exhausted(SpendingBudget::All, limit, SpentAmount::Micros(spent), estimate)
}

#[test]
fn a_reservation_counts_until_it_is_settled_or_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    let first = reserve(&spending, 60).unwrap();
    assert_eq!(unwrap_refusal(reserve(&spending, 41)), total_budget_refusal(100, 60, 41));
    let second = reserve(&spending, 40).unwrap();
    assert_eq!(unwrap_refusal(reserve(&spending, 1)), total_budget_refusal(100, 100, 1));
    first.settle(10);
    assert_eq!(today(&spending), 50);
    drop(second);
    assert_eq!(today(&spending), 10);
    reserve(&spending, 90).unwrap().settle(90);
    assert_eq!(unwrap_refusal(reserve(&spending, 1)), total_budget_refusal(100, 100, 1));
    reserve(&spending, 0).unwrap().settle(0);
}

#[test]
fn a_call_that_cost_more_than_estimated_counts_in_full() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    reserve(&spending, 1).unwrap().settle(250);
    assert_eq!(unwrap_refusal(reserve(&spending, 0)), total_budget_refusal(100, 250, 0));
}

#[test]
fn spending_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    reserve(&spending, 50).unwrap().settle(20);
    std::mem::forget(reserve(&spending, 30).unwrap());
    drop(spending);
    assert_eq!(today(&open(folder.path(), Some(100))), 50);
    assert_eq!(
        unwrap_refusal(reserve(&open(folder.path(), Some(60)), 11)),
        total_budget_refusal(60, 50, 11)
    );
}

#[test]
fn days_begin_at_midnight_utc() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(DAY - 1);
    let spending = Spending::open(folder.path(), Some(100), clock.clock()).unwrap();
    let reservation = reserve(&spending, 100).unwrap();
    assert!(reserve(&spending, 1).is_err());
    clock.set(DAY);
    reserve(&spending, 100).unwrap().settle(70);
    reservation.settle(90);
    assert_eq!(today(&spending), 70);
    clock.set(DAY - 1);
    assert_eq!(today(&spending), 90, "a clock set back finds the previous day unchanged");
    clock.set(-1);
    reserve(&spending, 100).unwrap().settle(100);
    assert!(reserve(&spending, 1).is_err());
}

#[test]
fn without_a_limit_every_call_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), None);
    reserve(&spending, u64::MAX / 4).unwrap().settle(7);
    Connection::open(folder.path().join(FILE)).unwrap().execute("DROP TABLE spending", []).unwrap();
    reserve(&spending, 5).unwrap().settle(6);
    drop(spending);
}

#[test]
fn the_largest_amounts_are_counted_without_overflow() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    assert_eq!(
        unwrap_refusal(reserve(&spending, u64::MAX)),
        total_budget_refusal(100, 0, u64::MAX)
    );
    reserve(&spending, 1).unwrap().settle(u64::MAX);
    assert!(reserve(&spending, 0).is_err());
    let clock = ManualClock::new(i64::MAX / 1_000_000).clock();
    drop(spending);
    let spending = Spending::open(folder.path(), Some(0), clock).unwrap();
    assert!(matches!(unwrap_refusal(reserve(&spending, 1)), Refusal::Exhausted { .. }));
}

#[test]
fn refuses_calls_while_the_ledger_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let spending = open(folder.path(), Some(100));
    let reservation = reserve(&spending, 50).unwrap();
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection.execute_batch("ALTER TABLE spending RENAME TO away").unwrap();
    let refusal = unwrap_refusal(reserve(&spending, 1));
    assert!(matches!(refusal, Refusal::Unavailable { .. }), "{refusal}");
    assert!(refusal.to_string().contains(FILE), "{refusal}");
    assert!(spending.store.today(&SpendingBudget::All).is_err());
    reservation.settle(20);
    connection.execute_batch("ALTER TABLE away RENAME TO spending").unwrap();
    assert_eq!(today(&spending), 20, "a correction that could not be written is kept");
    reserve(&spending, 80).unwrap().settle(80);
    let stored: i64 =
        connection.query_row("SELECT micros FROM spending", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 100);
}

#[test]
fn rejects_negative_spending() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), Some(100)));
    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection
        .execute_batch("PRAGMA ignore_check_constraints = 1; INSERT INTO spending VALUES (1, -1)")
        .unwrap();
    drop(connection);
    let clock = ManualClock::new(DAY).clock();
    let Err(error) = Spending::open(folder.path(), Some(100), clock) else { panic!("opened") };
    assert!(matches!(error, DatabaseError::Damaged { .. }), "{error}");
}

#[test]
fn truncating_the_file_does_not_return_money() {
    let folder = tempfile::tempdir().unwrap();
    reserve(&open(folder.path(), Some(100)), 70).unwrap().settle(70);
    let file = std::fs::read(folder.path().join(FILE)).unwrap();
    // SQLite treats a file of one byte as new.
    for length in (2..file.len()).step_by(509) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), &file[..length]).unwrap();
        match Spending::open(folder.path(), Some(100), ManualClock::new(DAY + 1).clock()) {
            Ok(spending) => assert_eq!(today(&spending), 70, "truncated to {length} bytes"),
            Err(error) => assert!(error.to_string().contains(FILE), "{error}"),
        }
    }
}

#[test]
fn a_refusal_names_the_fix() {
    let refusal = total_budget_refusal(1_500_000, 1_490_000, 30_500);
    assert_eq!(
        refusal.to_string(),
        "the daily budget of all callers is $1.50, of which $1.49 is spent or reserved, and this call may cost up \
         to $0.030500; raise judges.daily_budget, or try again after 1970-01-03T00:00:00Z"
    );
}

#[test]
fn cost_and_refusals_are_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        runtime.block_on(async {
            let spending = open(folder.path(), Some(100));
            spending.admit("m", &Payer::default(), 60).await.unwrap().settle(42);
            drop(spending.admit("m", &Payer::default(), 58).await.unwrap());
            assert!(spending.admit("m", &Payer::default(), 59).await.is_err());
            assert_eq!(spending.today(SpendingBudget::All).await, Ok(42));
        });
    });
    let text = handle.render();
    assert!(text.contains(r#"gsar_judge_cost_micros_total{judge="m"} 42"#), "{text}");
    assert!(text.contains("gsar_judge_budget_refused_total 1"), "{text}");
}
