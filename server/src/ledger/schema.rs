//! The schema of the ledger: its versions, and the way from each to the latest.
//!
//! A migration that was released is never changed; a new one is added behind it.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::{Fault, LedgerError};

/// Each migration leads from the version of its position to the next.
const MIGRATIONS: [&str; 2] = [
    include_str!("migrations/0001_evaluations.sql"),
    include_str!("migrations/0002_lists_and_retention.sql"),
];

/// What SQLite calls the application: the letters `gsar`.
const APPLICATION_ID: i64 = 0x6773_6172;

/// Refuses a database that is not a ledger, or a ledger from the future, and changes nothing.
///
/// # Errors
/// [`LedgerError::Foreign`], [`LedgerError::NewerSchema`] or [`LedgerError::Corrupt`].
pub(super) fn check(connection: &Connection, file: &Path) -> Result<(), LedgerError> {
    let ask = |sql| {
        connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map_err(|error| Fault::from_sqlite(&error, file).error)
    };
    let application = ask("PRAGMA application_id")?;
    let version = ask("PRAGMA user_version")?;
    let tables = ask("SELECT count(*) FROM sqlite_schema")?;
    let is_empty = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION_ID && !is_empty {
        return Err(LedgerError::Foreign { file: file.to_owned() });
    }
    let supported = latest();
    if version > supported {
        return Err(LedgerError::NewerSchema { file: file.to_owned(), found: version, supported });
    }
    Ok(())
}

/// Prepares an empty database: its mark, and free pages that can be handed back.
pub(super) fn mark(connection: &Connection) -> rusqlite::Result<()> {
    if connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0))?
        == APPLICATION_ID
    {
        return Ok(());
    }
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)
}

/// Brings the schema to the latest version, each migration in a transaction of its own.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let mut version = 0;
    for migration in MIGRATIONS {
        version += 1;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found < version {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", version)?;
            tracing::info!(version, "ledger schema migrated");
        }
        transaction.commit()?;
    }
    Ok(())
}

fn latest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let mut names = connection.prepare("SELECT name FROM sqlite_schema ORDER BY name").unwrap();
        names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut connection = Connection::open_in_memory().unwrap();
        mark(&connection).unwrap();
        migrate(&mut connection).unwrap();
        let first = tables(&connection);
        migrate(&mut connection).unwrap();
        assert_eq!(tables(&connection), first);
        assert!(first.iter().any(|name| name == "probes"));
        check(&connection, Path::new("x")).unwrap();
    }

    #[test]
    fn a_migration_that_fails_leaves_the_version_before_it() {
        let mut connection = Connection::open_in_memory().unwrap();
        mark(&connection).unwrap();
        connection.execute_batch("CREATE TABLE probes (other TEXT)").unwrap();
        migrate(&mut connection).unwrap_err();
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
        assert_eq!(version, 1);
        assert!(!tables(&connection).iter().any(|name| name == "evaluations_by_tier"));
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let connection = Connection::open_in_memory().unwrap();
        check(&connection, Path::new("x")).unwrap();
        connection.execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
        assert_eq!(
            check(&connection, Path::new("x")),
            Err(LedgerError::Foreign { file: "x".into() })
        );
    }

    #[test]
    fn a_later_schema_is_refused() {
        let mut connection = Connection::open_in_memory().unwrap();
        mark(&connection).unwrap();
        migrate(&mut connection).unwrap();
        connection.pragma_update(None, "user_version", latest() + 1).unwrap();
        assert_eq!(
            check(&connection, Path::new("x")),
            Err(LedgerError::NewerSchema { file: "x".into(), found: 3, supported: 2 })
        );
    }
}
