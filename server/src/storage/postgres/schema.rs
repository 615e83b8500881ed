//! Creates and checks the schemas of PostgreSQL databases. If several servers start at once, one creates the
//! tables and the others wait.

use deadpool_postgres::Object;

use super::{Database, Failure};
use crate::storage::schema::{SchemaMismatch, VERSION};

/// The schema of one part of a database. The table `gsar_schemas` stores its version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PostgresSchema {
    pub(crate) part: &'static str,
    pub(crate) sql: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SchemaFailure {
    #[error("{0}")]
    Mismatch(#[from] SchemaMismatch),
    #[error("{0}")]
    Failed(#[from] Failure),
}

/// The advisory lock for creating tables, `gsar` in ASCII.
const LOCK: i64 = 0x6773_6172;
const VERSIONS: &str =
    "CREATE TABLE IF NOT EXISTS gsar_schemas (part text PRIMARY KEY, version bigint NOT NULL)";

impl PostgresSchema {
    /// Returns `true` if the tables exist, and `false` if they are missing but may be created.
    pub(crate) async fn check(
        self,
        database: &Database,
        may_create: bool,
    ) -> Result<bool, SchemaFailure> {
        let found = database
            .run(self, |client, schema, _| Box::pin(stored_version(client, schema.part)))
            .await?;
        match found? {
            Some(VERSION) => Ok(true),
            Some(found) => Err(SchemaMismatch::Unsupported { found }.into()),
            None if may_create => Ok(false),
            None => Err(SchemaMismatch::Missing.into()),
        }
    }

    /// Checks the schema. Creates missing tables if `may_create` is set.
    pub(crate) async fn create(
        self,
        database: &Database,
        may_create: bool,
    ) -> Result<(), SchemaFailure> {
        if !self.check(database, may_create).await? {
            database
                .run_long(self, |client, schema, _| Box::pin(schema.create_tables(client)))
                .await?;
            tracing::info!(part = self.part, "schema created");
        }
        Ok(())
    }

    async fn create_tables(self, client: &mut Object) -> Result<(), tokio_postgres::Error> {
        const NEW: &str =
            "INSERT INTO gsar_schemas (part, version) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        let transaction = client.transaction().await?;
        // Another server may hold the lock for a while.
        transaction
            .batch_execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
            .await?;
        transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
        transaction.batch_execute(VERSIONS).await?;
        if transaction.execute(NEW, &[&self.part, &VERSION]).await? > 0 {
            transaction.batch_execute(self.sql).await?;
        }
        transaction.commit().await
    }
}

/// Returns the schema version of a part, or `None` if it has no tables.
async fn stored_version(
    client: &mut Object,
    part: &str,
) -> Result<Result<Option<i64>, SchemaMismatch>, tokio_postgres::Error> {
    // Development versions used the table `gsar_schema`.
    const TABLES: &str =
        "SELECT to_regclass('gsar_schemas') IS NOT NULL, to_regclass('gsar_schema') IS NOT NULL";
    let tables = client.query_one(TABLES, &[]).await?;
    if tables.get(1) {
        const DEVELOPMENT: &str = "SELECT coalesce(max(version), 0) FROM gsar_schema";
        let found = client.query_one(DEVELOPMENT, &[]).await?.get(0);
        return Ok(Err(SchemaMismatch::Development { found }));
    }
    if !tables.get::<_, bool>(0) {
        return Ok(Ok(None));
    }
    let row =
        client.query_opt("SELECT version FROM gsar_schemas WHERE part = $1", &[&part]).await?;
    Ok(Ok(row.map(|row| row.get(0))))
}
