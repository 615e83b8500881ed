//! Creates monthly partitions of evaluations in advance and drops old ones. Evaluations from other months are
//! stored in the default partition.

use deadpool_postgres::Object;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::storage::postgres::{Database, Failure};
use crate::wall_clock;

/// The number of future months with partitions.
const AHEAD: i64 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Month(Date);

impl Month {
    fn containing(timestamp: Timestamp) -> Self {
        Self(timestamp.to_zoned(TimeZone::UTC).date().first_of_month())
    }

    fn from_partition(name: &str) -> Option<Self> {
        let digits = name.strip_prefix("evaluations_")?;
        let (year, month) = (digits.get(..4)?.parse().ok()?, digits.get(4..)?.parse().ok()?);
        Date::new(year, month, 1).ok().map(Self)
    }

    fn plus_months(self, months: i64) -> Option<Self> {
        self.0.checked_add(months.months()).ok().map(Self)
    }

    fn partition_name(self) -> String {
        format!("evaluations_{:04}{:02}", self.0.year(), self.0.month())
    }

    /// Returns the start of the month, in microseconds since 1970-01-01T00:00:00Z.
    fn begin(self) -> Option<i64> {
        self.0.to_zoned(TimeZone::UTC).ok().map(|begin| begin.timestamp().as_microsecond())
    }

    fn end(self) -> Option<i64> {
        self.plus_months(1)?.begin()
    }
}

/// Creates the missing partitions for this month and the next months.
pub(super) async fn create(database: &Database) -> Result<(), Failure> {
    let current_month = Month::containing(wall_clock::now());
    for month in (0..=AHEAD).filter_map(|months| current_month.plus_months(months)) {
        database.run(month, |client, month, _| Box::pin(create_partition(client, *month))).await?;
    }
    Ok(())
}

async fn create_partition(client: &mut Object, month: Month) -> Result<(), Error> {
    let name = month.partition_name();
    let exists: bool =
        client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&name]).await?.get(0);
    let (Some(begin), Some(end), false) = (month.begin(), month.end(), exists) else {
        return Ok(());
    };
    let transaction = client.transaction().await?;
    transaction.batch_execute("SET LOCAL lock_timeout = '1s'").await?;
    let sql = format!(
        "CREATE TABLE IF NOT EXISTS {name} PARTITION OF evaluations FOR VALUES FROM ({begin}) TO ({end})"
    );
    match transaction.batch_execute(&sql).await {
        Ok(()) => transaction.commit().await,
        Err(error) if is_tolerable(&error) => {
            tracing::debug!(partition = name, %error, "the default partition is used");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Returns `true` if another server created the partition, it can be created later, or the default partition
/// already has rows from its month.
fn is_tolerable(error: &Error) -> bool {
    error.code().is_some_and(|code| {
        [
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::CHECK_VIOLATION,
            SqlState::DUPLICATE_TABLE,
            SqlState::UNIQUE_VIOLATION,
        ]
        .contains(code)
    })
}

/// Drops partitions that end before `oldest_kept`. Returns the number of deleted evaluations.
pub(super) async fn drop_old(client: &mut Object, oldest_kept: i64) -> Result<u64, Error> {
    const PARTITIONS: &str = "SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid \
         WHERE inhparent = 'evaluations'::regclass";
    let names = client.query(PARTITIONS, &[]).await?;
    let mut dropped = 0;
    for name in names.iter().map(|row| row.get::<_, String>(0)) {
        let Some(month) = Month::from_partition(&name) else { continue };
        if let (Some(begin), Some(end)) = (month.begin(), month.end())
            && end <= oldest_kept
        {
            dropped += drop_partition(client, &name, begin, end).await?;
        }
    }
    Ok(dropped)
}

/// Drops the partition last, because dropping it blocks all other transactions.
async fn drop_partition(
    client: &mut Object,
    name: &str,
    begin: i64,
    end: i64,
) -> Result<u64, Error> {
    const IDS: &str =
        "DELETE FROM evaluation_ids WHERE evaluated_at_micros >= $1 AND evaluated_at_micros < $2";
    let transaction = client.transaction().await?;
    transaction
        .batch_execute("SET LOCAL lock_timeout = '1s'; SET LOCAL statement_timeout = 0")
        .await?;
    let deleted = transaction.execute(IDS, &[&begin, &end]).await?;
    transaction.batch_execute(&format!("DROP TABLE {name}")).await?;
    transaction.commit().await?;
    Ok(deleted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_no_gaps() {
        let mut month = Month::containing("2026-11-24T05:00:00Z".parse().unwrap());
        assert_eq!(month.partition_name(), "evaluations_202611");
        for _ in 0..30 {
            let next = month.plus_months(1).unwrap();
            assert_eq!(month.end(), next.begin());
            assert_eq!(Month::from_partition(&month.partition_name()), Some(month));
            month = next;
        }
        for name in ["evaluations_default", "evaluations_2026", "policies"] {
            assert_eq!(Month::from_partition(name), None, "{name}");
        }
    }
}
