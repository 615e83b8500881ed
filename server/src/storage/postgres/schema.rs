//! This module brings the schema of a PostgreSQL database from each version to the latest. Several servers may try at
//! once: one does it, the others wait.

use deadpool_postgres::Object;

use super::{Database, Failure};

/// What leads to the latest schema of one part of the database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostgresSchema {
    /// The part.
    pub(crate) part: &'static str,
    /// Each leads from the version of its position to the next. A released one is never changed; a new one is added
    /// behind it.
    pub(crate) migrations: &'static [&'static str],
}

/// Why a database is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SchemaFailure {
    /// A later version of the server wrote it.
    #[error(
        "has schema {found}, this server knows up to {supported}; run the server that wrote it, or a newer one"
    )]
    Newer {
        /// The version of its schema.
        found: i64,
        /// The latest version of the schema known here.
        supported: i64,
    },
    /// It is of an earlier version, and is not to be migrated.
    #[error("has schema {found}, this server needs {needed}; run gsar-server migrate")]
    Older {
        /// The version of its schema.
        found: i64,
        /// The version that is needed.
        needed: i64,
    },
    /// The database did not do it.
    #[error("{0}")]
    Failed(#[from] Failure),
}

/// Holds back everybody else who migrates: the letters `gsar`.
const LOCK: i64 = 0x6773_6172;
const VERSIONS: &str =
    "CREATE TABLE IF NOT EXISTS gsar_schema (part text PRIMARY KEY, version bigint NOT NULL)";

impl PostgresSchema {
    /// The version that is there, where it is the latest, or may be brought there.
    ///
    /// # Errors
    /// [`SchemaFailure`].
    pub(crate) async fn check(
        self,
        database: &Database,
        migrate: bool,
    ) -> Result<i64, SchemaFailure> {
        let found = database.run(move |client, _| Box::pin(version(client, self.part))).await?;
        match self.latest() {
            supported if found > supported => Err(SchemaFailure::Newer { found, supported }),
            needed if found < needed && !migrate => Err(SchemaFailure::Older { found, needed }),
            _ => Ok(found),
        }
    }

    /// Checks the version of the schema, and brings it to the latest where it may.
    ///
    /// # Errors
    /// [`SchemaFailure`]; a migration that fails leaves the version before it.
    pub(crate) async fn apply(
        self,
        database: &Database,
        migrate: bool,
    ) -> Result<(), SchemaFailure> {
        let found = self.check(database, migrate).await?;
        if found < self.latest() {
            database.run_long(move |client, _| Box::pin(self.migrate(client))).await?;
            tracing::info!(part = self.part, from = found, to = self.latest(), "schema migrated");
        }
        Ok(())
    }

    fn latest(self) -> i64 {
        i64::try_from(self.migrations.len()).unwrap_or(i64::MAX)
    }

    /// All in one transaction: PostgreSQL takes tables back as it takes rows back.
    async fn migrate(self, client: &mut Object) -> Result<(), tokio_postgres::Error> {
        let transaction = client.transaction().await?;
        // Building an index over what is there may take its time.
        transaction
            .batch_execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
            .await?;
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        transaction.batch_execute(VERSIONS).await?;
        let found = transaction
            .query_opt("SELECT version FROM gsar_schema WHERE part = $1", &[&self.part])
            .await?
            .map_or(0, |row| row.get::<_, i64>(0));
        let mut version = 0;
        for migration in self.migrations {
            version += 1;
            if found < version {
                transaction.batch_execute(migration).await?;
            }
        }
        transaction
            .execute(
                "INSERT INTO gsar_schema (part, version) VALUES ($1, $2) \
                 ON CONFLICT (part) DO UPDATE SET version = greatest(gsar_schema.version, excluded.version)",
                &[&self.part, &version],
            )
            .await?;
        transaction.commit().await
    }
}

/// The version of a part; 0 where there is nothing yet.
async fn version(client: &mut Object, part: &str) -> Result<i64, tokio_postgres::Error> {
    let exists: bool =
        client.query_one("SELECT to_regclass('gsar_schema') IS NOT NULL", &[]).await?.get(0);
    if !exists {
        return Ok(0);
    }
    let row = client.query_opt("SELECT version FROM gsar_schema WHERE part = $1", &[&part]).await?;
    Ok(row.map_or(0, |row| row.get(0)))
}
