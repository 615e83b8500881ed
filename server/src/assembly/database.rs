//! Opens the PostgreSQL database that several servers share, and checks its schema.

use crate::evidence::postgres::SCHEMA as EVIDENCE;
use crate::evidence::postgres::prepare_vectors;
use crate::judge::postgres::SCHEMA as JUDGES;
use crate::ledger::PostgresOptions;
use crate::ledger::postgres::SCHEMA as LEDGER;
use crate::storage::postgres::{Database, PostgresSchema, SchemaFailure};

const PARTS: [PostgresSchema; 3] = [LEDGER, JUDGES, EVIDENCE];

/// Connects, and creates missing tables if `migrate` is set.
///
/// # Errors
/// A message if the database cannot be used.
pub(super) async fn open(options: &PostgresOptions) -> Result<Database, String> {
    let database = connect(options)?;
    for part in PARTS {
        let result = part.create(&database, options.migrate).await;
        result.map_err(|failure| describe(&database, &failure))?;
    }
    let result = prepare_vectors(&database, options.migrate).await;
    result.map_err(|failure| describe(&database, &failure))?;
    Ok(database)
}

/// Connects and checks the schema.
///
/// # Errors
/// A message if the database cannot be used.
pub(super) async fn check(options: &PostgresOptions) -> Result<(), String> {
    let database = connect(options)?;
    for part in PARTS {
        let result = part.check(&database, options.migrate).await;
        result.map_err(|failure| describe(&database, &failure))?;
    }
    Ok(())
}

fn connect(options: &PostgresOptions) -> Result<Database, String> {
    Database::new(options).map_err(|reason| format!("storage: {reason}"))
}

fn describe(database: &Database, failure: &SchemaFailure) -> String {
    format!("storage.url: {} {failure}", database.display_url())
}
