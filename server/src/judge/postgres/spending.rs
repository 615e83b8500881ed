//! Daily budgets in PostgreSQL, which several servers share. Each reservation has an ID, so that it counts
//! only once even if it is retried.
//!
//! Transactions lock the row of the principal before the row of the day. This order prevents deadlocks. It
//! also keeps the row of the day, which every call needs, locked only briefly.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{GenericClient, Object};
use tokio::runtime::Handle;
use tokio_postgres::Error;
use uuid::Uuid;

use crate::judge::clock::{Clock, day_of, end_of_day};
use crate::judge::spending::{Booking, BudgetStore, Payer, Refusal, SpendingBudget, SpentAmount};
use crate::storage::postgres::{Database, Failure, query};

const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum number of attempts to settle a call, which take about one hour in total. After that, the
/// estimate counts as the cost.
const MAX_ATTEMPTS: u32 = 3_600;

pub(in crate::judge) struct SharedBudget {
    database: Database,
    daily_limit: Option<u64>,
    clock: Clock,
    runtime: Handle,
}

impl SharedBudget {
    pub(in crate::judge) fn new(
        database: Database,
        daily_limit: Option<u64>,
        clock: Clock,
        runtime: Handle,
    ) -> Self {
        Self { database, daily_limit, clock, runtime }
    }

    fn block_on<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Refusal> {
        let result = self.runtime.block_on(work);
        result.map_err(|failure| Refusal::Unavailable { reason: failure.to_string() })
    }

    fn spent_amount(&self, day: i64, budget: &SpendingBudget) -> Result<u64, Refusal> {
        const SELECT_TOTAL: &str = "SELECT micros FROM spending WHERE day = $1";
        const SELECT_OWN: &str =
            "SELECT micros FROM spending_of_principals WHERE day = $1 AND principal = $2";
        let lookup = self.database.run((day, budget.clone()), |client, (day, budget), _| {
            Box::pin(async move {
                let row = match budget {
                    SpendingBudget::All => query::optional(client, SELECT_TOTAL, &[day]).await?,
                    SpendingBudget::Principal(name) => {
                        query::optional(client, SELECT_OWN, &[day, name]).await?
                    }
                };
                Ok(row.map_or(0, |row| row.get::<_, i64>(0)))
            })
        });
        self.block_on(lookup).map(i64::unsigned_abs)
    }
}

impl BudgetStore for SharedBudget {
    fn admit(&self, payer: &Payer, estimate: u64) -> Result<Booking, Refusal> {
        let day = day_of((self.clock)());
        let booking = Booking { day, id: crate::wall_clock::new_id(), payer: payer.clone() };
        let request = ReservationRequest {
            booking: booking.clone(),
            amount: to_column(estimate),
            total_limit: to_column(self.daily_limit.unwrap_or(u64::MAX)),
            own_limit: to_column(payer.daily_budget().unwrap_or(u64::MAX)),
        };
        let reservation = self
            .database
            .run(request, |client, request, attempt| Box::pin(reserve(client, request, attempt)));
        let has_limit = self.daily_limit.or(payer.daily_budget()).is_some();
        let exceeded_budget = match self.block_on(reservation) {
            Ok(None) => return Ok(booking),
            Ok(Some(exceeded_budget)) => exceeded_budget,
            Err(refusal) if !has_limit => {
                tracing::warn!(%refusal, "failed to record the cost of chat models");
                return Ok(booking);
            }
            Err(refusal) => return Err(refusal),
        };
        let limit = match &exceeded_budget {
            SpendingBudget::All => self.daily_limit,
            SpendingBudget::Principal(_) => payer.daily_budget(),
        };
        Err(Refusal::Exhausted {
            limit: limit.unwrap_or(u64::MAX),
            spent: SpentAmount::Micros(self.spent_amount(day, &exceeded_budget)?),
            budget: exceeded_budget,
            estimate,
            resets_at: end_of_day(day),
        })
    }

    fn correct(self: Arc<Self>, booking: &Booking, _reserved: u64, actual: u64) {
        let (id, actual) = (booking.id, to_column(actual));
        self.runtime.clone().spawn(async move {
            for _ in 0..MAX_ATTEMPTS {
                let settlement = self.database.run((id, actual), |client, (id, actual), _| {
                    Box::pin(settle(client, *id, *actual))
                });
                match settlement.await {
                    Ok(()) => return,
                    Err(failure) => {
                        tracing::warn!(%failure, "failed to record the cost of a call; retrying");
                    }
                }
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        });
    }

    fn today(&self, budget: &SpendingBudget) -> Result<u64, Refusal> {
        self.spent_amount(day_of((self.clock)()), budget)
    }
}

/// A reservation, with the limit of each budget in millionths of a dollar.
#[derive(Clone)]
pub(super) struct ReservationRequest {
    pub(super) booking: Booking,
    pub(super) amount: i64,
    pub(super) total_limit: i64,
    pub(super) own_limit: i64,
}

fn to_column(micros: u64) -> i64 {
    i64::try_from(micros).unwrap_or(i64::MAX)
}

/// Reserves the amount, or returns the budget that is too small.
pub(super) async fn reserve(
    client: &mut Object,
    request: &ReservationRequest,
    attempt: u32,
) -> Result<Option<SpendingBudget>, Error> {
    let Some(own_budget) = request.booking.payer.budget() else {
        return Ok((!reserve_total(&*client, request).await?).then_some(SpendingBudget::All));
    };
    let transaction = client.transaction().await?;
    let is_allowed = reserve_own(&transaction, request).await?;
    // The previous attempt has ended, since it locked the principal's row. Its effect is therefore visible.
    let exceeded_budget = if attempt > 1 && is_reserved(&transaction, request.booking.id).await? {
        None
    } else if !is_allowed {
        Some(own_budget)
    } else if !reserve_total(&transaction, request).await? {
        Some(SpendingBudget::All)
    } else {
        return transaction.commit().await.map(|()| None);
    };
    transaction.rollback().await.map(|()| exceeded_budget)
}

/// Reserves the amount in the payer's budget. Returns `false` if the budget is too small.
async fn reserve_own(
    client: &impl GenericClient,
    request: &ReservationRequest,
) -> Result<bool, Error> {
    // Compares with the remaining budget, since the sum could overflow.
    const RESERVE: &str = "INSERT INTO spending_of_principals AS own (day, principal, micros) \
         SELECT $1::bigint, $2::text, $3::bigint WHERE $3::bigint <= $4::bigint \
         ON CONFLICT (day, principal) DO UPDATE SET micros = own.micros + $3 WHERE own.micros <= $4::bigint - $3";
    let ReservationRequest { booking: Booking { day, payer, .. }, amount, own_limit, .. } = request;
    let row_count =
        query::execute(client, RESERVE, &[day, &payer.name(), amount, own_limit]).await?;
    Ok(row_count > 0)
}

/// Reserves the amount in the total budget. Returns `false` if the budget is too small.
async fn reserve_total(
    client: &impl GenericClient,
    request: &ReservationRequest,
) -> Result<bool, Error> {
    const RESERVE: &str = "WITH known AS (SELECT 1 FROM reservations WHERE id = $1), \
         day AS (INSERT INTO spending (day, micros) \
         SELECT $2::bigint, $3::bigint WHERE $3::bigint <= $4::bigint AND NOT EXISTS (SELECT 1 FROM known) \
         ON CONFLICT (day) DO UPDATE SET micros = spending.micros + $3 WHERE spending.micros <= $4::bigint - $3 \
         RETURNING day), \
         reservation AS (INSERT INTO reservations (id, day, micros, principal) SELECT $1, day, $3, $5::text FROM day RETURNING id) \
         SELECT EXISTS (SELECT 1 FROM known) OR EXISTS (SELECT 1 FROM reservation)";
    let ReservationRequest { booking: Booking { day, id, payer }, amount, total_limit, .. } =
        request;
    let row = query::one(client, RESERVE, &[id, day, amount, total_limit, &payer.name()]).await?;
    Ok(row.get(0))
}

async fn is_reserved(client: &impl GenericClient, id: Uuid) -> Result<bool, Error> {
    const EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM reservations WHERE id = $1)";
    Ok(query::one(client, EXISTS, &[&id]).await?.get(0))
}

/// Replaces the reserved amount with the actual cost. Has no effect if the reservation is already settled.
async fn settle(client: &mut Object, id: Uuid, actual: i64) -> Result<(), Error> {
    // Counting the rows in `own` forces the principal's update before the day's.
    const SETTLE: &str = "WITH settled AS (DELETE FROM reservations WHERE id = $1 RETURNING day, principal, micros), \
         own AS (UPDATE spending_of_principals AS spent \
         SET micros = least(spent.micros - settled.micros::numeric + $2::bigint, 9223372036854775807)::bigint \
         FROM settled WHERE spent.day = settled.day AND spent.principal = settled.principal RETURNING 1), \
         own_first AS (SELECT count(*) AS written FROM own) \
         UPDATE spending SET micros = least(spending.micros - settled.micros::numeric + $2::bigint, 9223372036854775807)::bigint \
         FROM settled, own_first WHERE spending.day = settled.day AND own_first.written >= 0";
    query::execute(&*client, SETTLE, &[&id, &actual]).await.map(drop)
}
