//! Tests for principals' budgets against a PostgreSQL server.

use uuid::Uuid;

use super::super::spending::{ReservationRequest, reserve};
use super::*;
use crate::judge::spending::{Booking, testing};

#[tokio::test(flavor = "multi_thread")]
async fn principals_stay_within_their_own_and_the_total_budget() {
    let Some(postgres) = postgres() else { return };
    let spending = spending(&postgres.database(), Some(100)).await;
    testing::check_principals(&spending).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_share_a_principals_budget() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let servers = [spending(&url, Some(1_000)).await, spending(&url, Some(1_000)).await];
    let calls: Vec<_> = (0..90)
        .map(|number| {
            let spending = servers[number % 2].clone();
            let payer = match number % 3 {
                0 => payer("ada", Some(200)),
                1 => payer("ben", Some(800)),
                _ => Payer::default(),
            };
            tokio::spawn(async move { (number % 3, spending.admit("m", &payer, 30).await) })
        })
        .collect();
    let mut admitted = [const { Vec::new() }; 3];
    for call in calls {
        let (payer_index, result) = call.await.unwrap();
        match result {
            Ok(reservation) => admitted[payer_index].push(reservation),
            Err(Refusal::Exhausted { estimate: 30, .. }) => {}
            Err(refusal) => panic!("{refusal}"),
        }
    }
    let [ada, ben, default_payer] = admitted;
    assert!(ada.len() <= 6 && ben.len() <= 26, "{} {}", ada.len(), ben.len());
    assert_eq!(ada.len() + ben.len() + default_payer.len(), 33);
    let (ada_reserved, ben_count) = (30 * ada.len() as u64, ben.len() as u64);
    assert_eq!(servers[0].today(budget_of("ada")).await, Ok(ada_reserved));
    assert_eq!(servers[1].today(SpendingBudget::All).await, Ok(990));
    // Settlements and reservations lock the same rows concurrently.
    let tasks: Vec<_> = (0..40)
        .map(|number| {
            let spending = servers[number % 2].clone();
            let payer = payer(["ada", "ben"][number % 2], None);
            tokio::spawn(async move { drop(spending.admit("m", &payer, 0).await.unwrap()) })
        })
        .collect();
    drop((ada, default_payer));
    for reservation in ben {
        reservation.settle(7);
    }
    for task in tasks {
        task.await.unwrap();
    }
    wait_until_spent(&servers[0], SpendingBudget::All, 7 * ben_count).await;
    wait_until_spent(&servers[1], budget_of("ben"), 7 * ben_count).await;
    wait_until_spent(&servers[1], budget_of("ada"), 0).await;
    while postgres.query(&url, "SELECT count(*) FROM reservations") != "0" {}
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(postgres.query(&url, deadlocks), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_has_a_new_budget_each_day() {
    let Some(postgres) = postgres() else { return };
    let database = open(&postgres.database()).await;
    let clock = ManualClock::new(DAY);
    let spending = Spending::shared(database, Some(100), clock.clock(), Handle::current());
    testing::check_days(&spending, &clock).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retried_reservation_counts_only_once() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let database = open(&url).await;
    let reserve_in_attempt = async |request: &ReservationRequest, attempt: u32| {
        let arguments = (request.clone(), attempt);
        let reserving = database.run(arguments, |client, (request, attempt), _| {
            Box::pin(reserve(client, request, *attempt))
        });
        reserving.await.unwrap()
    };
    // The reservations exhaust the principal's budget, the total budget, no budget, and the total budget.
    for (name, own_limit, total_limit, total) in [
        ("ada", 30, 1_000, 30),
        ("ben", 1_000, 60, 60),
        ("eve", 1_000, 1_000, 90),
        ("", 0, 120, 120),
    ] {
        let booking = Booking { day: 1, id: Uuid::now_v7(), payer: payer(name, None) };
        let request = ReservationRequest { booking, amount: 30, total_limit, own_limit };
        for attempt in 1..=3 {
            assert_eq!(reserve_in_attempt(&request, attempt).await, None, "{name} {attempt}");
        }
        assert_eq!(postgres.query(&url, "SELECT micros FROM spending"), total.to_string());
    }
    let query = "SELECT string_agg(principal || micros, ' ' ORDER BY principal) FROM spending_of_principals";
    assert_eq!(postgres.query(&url, query), "ada30 ben30 eve30");
    // A reservation succeeds even if its first attempt failed.
    let booking = Booking { day: 2, id: Uuid::now_v7(), payer: payer("ada", None) };
    let request = ReservationRequest { booking, amount: 30, total_limit: 30, own_limit: 30 };
    assert_eq!(reserve_in_attempt(&request, 2).await, None);
    let booking = Booking { id: Uuid::now_v7(), ..request.booking.clone() };
    let other_request = ReservationRequest { booking, ..request };
    assert_eq!(reserve_in_attempt(&other_request, 2).await, Some(budget_of("ada")));
}
