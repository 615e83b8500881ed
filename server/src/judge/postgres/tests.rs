//! Tests against a PostgreSQL server.

mod principals;

use std::time::Duration;

use gsar_core::time::Timestamp;
use tokio::runtime::Handle;

use super::{SCHEMA, SharedJudgements};
use crate::judge::cached::testing::{self, LIMITS, judgement, key};
use crate::judge::cached::{CacheLimits, JudgementStore as _};
use crate::judge::clock::testing::ManualClock;
use crate::judge::spending::testing::{DAY, budget_of, payer, refusal, wait_until_spent};
use crate::judge::spending::{Payer, Refusal, Spending, SpendingBudget, SpentAmount};
use crate::storage::postgres::Database;
use crate::storage::postgres::PostgresOptions;
use crate::storage::postgres::testing::{Kind, Postgres};

fn postgres() -> Option<Postgres> {
    Postgres::start(Kind::System).or_else(|| Postgres::start(Kind::Pgvector))
}

async fn open(url: &str) -> Database {
    let database = Database::new(&PostgresOptions::new(url.parse().unwrap())).unwrap();
    SCHEMA.create(&database, true).await.unwrap();
    database
}

async fn spending(url: &str, limit: Option<u64>) -> Spending {
    Spending::shared(open(url).await, limit, ManualClock::new(DAY + 1).clock(), Handle::current())
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
    let refusal = refusal(&servers[1], &Payer::default(), 701).await;
    assert!(
        matches!(refusal, Refusal::Exhausted { spent: SpentAmount::Micros(300), .. }),
        "{refusal}"
    );
    servers[0].admit("m", &Payer::default(), 700).await.unwrap().settle(5_000);
    wait_until_spent(&servers[1], SpendingBudget::All, 5_300).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn during_an_outage_calls_with_a_budget_are_refused_and_settlements_are_delayed() {
    let Some(postgres) = postgres() else { return };
    let url = postgres.database();
    let (limited, unlimited) = (spending(&url, Some(100)).await, spending(&url, None).await);
    let (default_payer, ada) = (Payer::default(), payer("ada", Some(100)));
    let reservation = limited.admit("m", &default_payer, 100).await.unwrap();
    let reservation_of_ada = unlimited.admit("m", &ada, 100).await.unwrap();
    postgres.kill();
    for refusal in [refusal(&limited, &default_payer, 1).await, refusal(&unlimited, &ada, 0).await]
    {
        assert!(matches!(refusal, Refusal::Unavailable { .. }), "{refusal}");
    }
    for payer in [&default_payer, &payer("ben", None)] {
        drop(unlimited.admit("m", payer, 1).await.unwrap());
    }
    reservation.settle(10);
    reservation_of_ada.settle(20);
    postgres.start_and_wait();
    wait_until_spent(&unlimited, budget_of("ada"), 20).await;
    wait_until_spent(&limited, SpendingBudget::All, 30).await;
    // An amount that exceeds the column is refused.
    refusal(&unlimited, &default_payer, u64::MAX).await;
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
    let text = testing::serialized(&judgement());
    first.put(key(1), text.clone(), now);
    first.flush().await;
    let stored = second.find(key(1), now_plus(3_000)).await.unwrap();
    assert_eq!((stored.made_at, stored.size), (now, text.len()));
    assert_eq!(stored.judgement.explanation, judgement().explanation);
    assert!(second.find(key(2), now).await.is_none());
    assert!(second.find(key(1), now_plus(3_600)).await.is_none(), "the judgement is too old");
    postgres.query(&url, "UPDATE judgements SET judgement = 'no judgement'");
    assert!(second.find(key(1), now).await.is_none());

    // Old judgements are removed after the first write, and after every 32 further writes.
    let small_limits = CacheLimits { disk_bytes: 10 * text.len() as u64, ..limits };
    let small_cache = SharedJudgements::new(open(&url).await, small_limits);
    for number in 0..33 {
        small_cache.put(key(100 + number), text.clone(), now_plus(number.into()));
        small_cache.flush().await;
    }
    assert_eq!(postgres.query(&url, "SELECT count(*) FROM judgements"), "10");
    assert!(
        small_cache.find(key(132), now_plus(40)).await.is_some(),
        "the latest judgement is kept"
    );
    postgres.query(&url, "DROP TABLE judgements");
    assert!(small_cache.find(key(132), now_plus(40)).await.is_none());
}
