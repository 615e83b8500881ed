//! Tests with a PostgreSQL server.

mod principals;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use gsar_core::time::Timestamp;
use tokio::runtime::Handle;

use super::{SCHEMA, SharedJudgements};
use crate::judge::cached::testing::{self, LIMITS, judgement, key};
use crate::judge::cached::{CacheLimits, JudgementStore as _};
use crate::judge::clock::Clock;
use crate::judge::spending::{Payer, Refusal, Spending, SpendingBudget, SpentAmount};
use crate::storage::postgres::Database;
use crate::storage::postgres::PostgresOptions;
use crate::storage::postgres::testing::{Kind, Postgres};

const DAY: i64 = 24 * 3_600;

fn postgres() -> Option<Postgres> {
    Postgres::start(Kind::System).or_else(|| Postgres::start(Kind::Pgvector))
}

async fn open(url: &str) -> Database {
    let database = Database::new(&PostgresOptions::new(url.parse().unwrap())).unwrap();
    SCHEMA.create(&database, true).await.unwrap();
    database
}

fn clock_at(seconds: i64) -> (Arc<AtomicI64>, Clock) {
    let seconds = Arc::new(AtomicI64::new(seconds));
    let shared_seconds = Arc::clone(&seconds);
    (
        shared_seconds,
        Arc::new(move || Timestamp::from_micros(seconds.load(Ordering::SeqCst) * 1_000_000)),
    )
}

async fn spending(url: &str, limit: Option<u64>) -> Spending {
    Spending::shared(open(url).await, limit, clock_at(DAY + 1).1, Handle::current())
}

async fn wait_until_spent(spending: &Spending, budget: SpendingBudget, expected: u64) {
    while spending.today(budget.clone()).await.unwrap() != expected {}
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_share_the_budget() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let servers = [spending(&url, Some(1_000)).await, spending(&url, Some(1_000)).await];
    let calls: Vec<_> = (0..60)
        .map(|number| {
            let spending = servers[number % 2].clone();
            tokio::spawn(async move { spending.admit("m", &Payer::default(), 30).await })
        })
        .collect();
    let mut admitted = Vec::new();
    for call in calls {
        match call.await.unwrap() {
            Ok(reservation) => admitted.push(reservation),
            Err(Refusal::Exhausted {
                limit: 1_000,
                spent: SpentAmount::Micros(980..=1_000),
                estimate: 30,
                ..
            }) => {}
            Err(refusal) => panic!("{refusal}"),
        }
    }
    assert_eq!(admitted.len(), 33);
    assert_eq!(servers[0].today(SpendingBudget::All).await, Ok(990));
    let reservations_to_drop = admitted.split_off(3);
    for reservation in admitted {
        reservation.settle(100);
    }
    drop(reservations_to_drop);
    wait_until_spent(&servers[1], SpendingBudget::All, 300).await;
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM reservations"), "0");
    let refusal = servers[1].admit("m", &Payer::default(), 701).await.map(drop).unwrap_err();
    assert!(
        matches!(refusal, Refusal::Exhausted { spent: SpentAmount::Micros(300), .. }),
        "{refusal}"
    );
    servers[0].admit("m", &Payer::default(), 700).await.unwrap().settle(5_000);
    wait_until_spent(&servers[1], SpendingBudget::All, 5_300).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_counts_for_the_day_of_its_reservation() {
    let Some(postgres) = postgres() else { return };
    let database = open(&postgres.database()).await;
    let (seconds, clock) = clock_at(DAY - 1);
    let spending = Spending::shared(database, Some(100), clock, Handle::current());
    let reservation = spending.admit("m", &Payer::default(), 100).await.unwrap();
    seconds.store(DAY, Ordering::SeqCst);
    spending.admit("m", &Payer::default(), 100).await.unwrap().settle(60);
    wait_until_spent(&spending, SpendingBudget::All, 60).await;
    reservation.settle(1);
    seconds.store(DAY - 1, Ordering::SeqCst);
    wait_until_spent(&spending, SpendingBudget::All, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_refuses_calls_and_delays_settlements() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let (limited, unlimited) = (spending(&url, Some(100)).await, spending(&url, None).await);
    let reservation = limited.admit("m", &Payer::default(), 100).await.unwrap();
    postgres.kill();
    let refusal = limited.admit("m", &Payer::default(), 1).await.map(drop).unwrap_err();
    assert!(matches!(refusal, Refusal::Unavailable { .. }), "{refusal}");
    drop(unlimited.admit("m", &Payer::default(), 1).await.unwrap());
    reservation.settle(10);
    postgres.start_and_wait();
    wait_until_spent(&limited, SpendingBudget::All, 10).await;
    // An amount that exceeds the column is refused.
    unlimited.admit("m", &Payer::default(), u64::MAX).await.map(drop).unwrap_err();
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_share_cached_judgements() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let now = Timestamp::from_micros(DAY * 1_000_000);
    let now_plus = |seconds: i64| Timestamp::from_micros(now.as_micros() + seconds * 1_000_000);
    let limits = CacheLimits { store_timeout: Duration::from_secs(10), ..LIMITS };
    let first = SharedJudgements::new(open(&url).await, limits);
    let second = SharedJudgements::new(open(&url).await, limits);
    let text = testing::text(&judgement());
    first.put(key(1), text.clone(), now);
    first.flush().await;
    let stored = second.find(key(1), now_plus(3_000)).await.unwrap();
    assert_eq!((stored.made_at, stored.size), (now, text.len()));
    assert_eq!(stored.judgement.explanation, judgement().explanation);
    assert!(second.find(key(2), now).await.is_none());
    assert!(second.find(key(1), now_plus(3_600)).await.is_none(), "it is too old");
    postgres.query(&url, "UPDATE judgements SET judgement = 'no judgement'");
    assert!(second.find(key(1), now).await.is_none());

    // Old judgements are removed after the first write and every 32nd.
    let small_limits = CacheLimits { disk_bytes: 10 * text.len() as u64, ..limits };
    let small_cache = SharedJudgements::new(open(&url).await, small_limits);
    for number in 0..33 {
        small_cache.put(key(100 + number), text.clone(), now_plus(number.into()));
        small_cache.flush().await;
    }
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM judgements"), "10");
    assert!(small_cache.find(key(132), now_plus(40)).await.is_some(), "the latest stays");
    postgres.query(&url, "DROP TABLE judgements");
    assert!(small_cache.find(key(132), now_plus(40)).await.is_none());
}
