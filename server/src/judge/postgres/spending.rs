//! This module is the daily budget that all servers on a database share. One statement reserves; a reservation has an id,
//! so that what is written twice because an answer was lost counts once.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use tokio::runtime::Handle;
use tokio_postgres::Error;
use uuid::Uuid;

use crate::judge::clock::{Clock, day_of, end_of_day};
use crate::judge::spending::{Booking, BudgetStore, Refusal};
use crate::storage::postgres::{Database, Failure};

/// How often a settlement is tried again that the database did not take.
const AGAIN: Duration = Duration::from_secs(1);
/// How many times: for an hour. After that the estimate stays.
const TRIES: u32 = 3_600;

/// What was spent and set aside on each day by all servers.
pub(in crate::judge) struct SharedBudget {
    database: Database,
    daily_limit: Option<u64>,
    clock: Clock,
    runtime: Handle,
}

impl SharedBudget {
    /// A budget in a database whose schema is there.
    pub(in crate::judge) fn new(
        database: Database,
        daily_limit: Option<u64>,
        clock: Clock,
        runtime: Handle,
    ) -> Self {
        Self { database, daily_limit, clock, runtime }
    }

    fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Refusal> {
        let done = self.runtime.block_on(work);
        done.map_err(|failure| Refusal::Unavailable { reason: failure.to_string() })
    }
}

impl BudgetStore for SharedBudget {
    fn admit(&self, estimate: u64) -> Result<Booking, Refusal> {
        let booking = Booking { day: day_of((self.clock)()), id: Uuid::now_v7() };
        let limit = self.daily_limit.unwrap_or(u64::MAX);
        let (amount, most) = (bounded(estimate), bounded(limit));
        let reserving =
            self.database.run(move |client, _| Box::pin(reserve(client, booking, amount, most)));
        match self.wait_for(reserving) {
            Ok(true) => return Ok(booking),
            Ok(false) => {}
            Err(refusal) if self.daily_limit.is_none() => {
                tracing::warn!(%refusal, "what chat models cost is not written down");
                return Ok(booking);
            }
            Err(refusal) => return Err(refusal),
        }
        let resets_at = end_of_day(booking.day);
        Err(Refusal::Spent { limit, spent: self.today()?, estimate, resets_at })
    }

    fn correct(self: Arc<Self>, booking: Booking, _reserved: u64, actual: u64) {
        let actual = bounded(actual);
        self.runtime.clone().spawn(async move {
            for _ in 0..TRIES {
                let settling = self
                    .database
                    .run(move |client, _| Box::pin(settle(client, booking.id, actual)));
                match settling.await {
                    Ok(()) => return,
                    Err(failure) => {
                        tracing::warn!(%failure, "what a call cost is not written down yet");
                    }
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    fn today(&self) -> Result<u64, Refusal> {
        const TODAY: &str = "SELECT coalesce((SELECT micros FROM spending WHERE day = $1), 0)";
        let day = day_of((self.clock)());
        let asked = self.database.run(move |client, _| {
            Box::pin(async move {
                let statement = client.prepare_cached(TODAY).await?;
                Ok(client.query_one(&statement, &[&day]).await?.get::<_, i64>(0))
            })
        });
        self.wait_for(asked).map(i64::unsigned_abs)
    }
}

/// What a column holds.
fn bounded(micros: u64) -> i64 {
    i64::try_from(micros).unwrap_or(i64::MAX)
}

/// Whether the budget allows it; then it is set aside.
async fn reserve(
    client: &mut Object,
    booking: Booking,
    amount: i64,
    most: i64,
) -> Result<bool, Error> {
    // Compared by what is left, which cannot be more than a column holds.
    const RESERVE: &str = "WITH known AS (SELECT 1 FROM reservations WHERE id = $1), \
         day AS (INSERT INTO spending (day, micros) \
         SELECT $2::bigint, $3::bigint WHERE $3::bigint <= $4::bigint AND NOT EXISTS (SELECT 1 FROM known) \
         ON CONFLICT (day) DO UPDATE SET micros = spending.micros + $3 WHERE spending.micros <= $4::bigint - $3 \
         RETURNING day), \
         reservation AS (INSERT INTO reservations (id, day, micros) SELECT $1, day, $3 FROM day RETURNING id) \
         SELECT EXISTS (SELECT 1 FROM known) OR EXISTS (SELECT 1 FROM reservation)";
    let statement = client.prepare_cached(RESERVE).await?;
    let row = client.query_one(&statement, &[&booking.id, &booking.day, &amount, &most]).await?;
    Ok(row.get(0))
}

/// Puts what a call cost in the place of what was set aside for it; nothing where that was done before.
async fn settle(client: &mut Object, id: Uuid, actual: i64) -> Result<(), Error> {
    const SETTLE: &str = "WITH settled AS (DELETE FROM reservations WHERE id = $1 RETURNING day, micros) \
         UPDATE spending SET micros = least(spending.micros - settled.micros::numeric + $2::bigint, 9223372036854775807)::bigint \
         FROM settled WHERE spending.day = settled.day";
    let statement = client.prepare_cached(SETTLE).await?;
    client.execute(&statement, &[&id, &actual]).await.map(drop)
}
