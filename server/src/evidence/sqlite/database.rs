//! Opens a corpus's database, hardened against damaged files.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::evidence::error::StoreError;
use crate::storage::{Schema, SchemaError, create_file, open_sqlite};

/// The application id is `GSRC` in ASCII, `gsae` in development versions.
const SCHEMA: Schema = Schema {
    application_id: 0x4753_5243,
    development_id: 0x6773_6165,
    sql: include_str!("schema.sql"),
};
/// The maximum time to wait for a lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens a database for writing and creates it if it does not exist. `now` is in microseconds.
pub(super) fn open_writer(file: &Path, now: i64) -> Result<Connection, StoreError> {
    let store_error = |error: rusqlite::Error| StoreError::from_sqlite(&error, file);
    // SQLite would create a file that other users may read.
    create_file(file).map_err(|error| StoreError::from_io(&error, file))?;
    SCHEMA.check_file(file).map_err(|error| schema_error(error, file))?;
    let mut connection = open(file, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(store_error)?;
    SCHEMA.check(&connection).map_err(|error| schema_error(error, file))?;
    prepare(&mut connection, now).map_err(store_error)?;
    Ok(connection)
}

/// Flushes all commits to disk. Earlier commits were only written to the log, so that storing many small
/// items costs only one flush. A crash can lose only commits that were not acknowledged.
pub(super) fn make_durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let result = connection.execute("UPDATE corpus SET flushes = flushes + 1", []);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    result.map(|_| ())
}

pub(super) fn open_reader(file: &Path) -> Result<Connection, StoreError> {
    let store_error = |error: rusqlite::Error| StoreError::from_sqlite(&error, file);
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(store_error)?;
    SCHEMA.check(&connection).map_err(|error| schema_error(error, file))?;
    Ok(connection)
}

fn open(file: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = open_sqlite(file, access, BUSY_TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -8_192)?;
    Ok(connection)
}

fn schema_error(error: SchemaError, file: &Path) -> StoreError {
    match error {
        SchemaError::Foreign => StoreError::Damaged {
            place: file.display().to_string(),
            reason: "it is another program's database".to_owned(),
        },
        SchemaError::Mismatch(mismatch) => StoreError::Schema { file: file.to_owned(), mismatch },
        SchemaError::Sqlite(error) => StoreError::from_sqlite(&error, file),
    }
}

fn prepare(connection: &mut Connection, now: i64) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update_and_check(None, "journal_size_limit", 16 << 20, |_| Ok(()))?;
    SCHEMA.create(connection)?;
    connection.execute(
        "INSERT INTO corpus (created_at) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM corpus)",
        [now],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reopening_preserves_the_creation_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("corpus.sqlite3");
        drop(open_writer(&file, 7).unwrap());
        let reopened = open_writer(&file, 9).unwrap();
        let created_at: i64 =
            reopened.query_row("SELECT created_at FROM corpus", [], |row| row.get(0)).unwrap();
        assert_eq!(created_at, 7);
        open_reader(&file).unwrap().execute("DELETE FROM items", []).unwrap_err();
    }

    #[test]
    fn foreign_and_newer_databases_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let foreign = folder.path().join("other.sqlite3");
        Connection::open(&foreign)
            .unwrap()
            .execute_batch("CREATE TABLE songs (name TEXT)")
            .unwrap();
        assert!(matches!(open_writer(&foreign, 0), Err(StoreError::Damaged { .. })));
        let garbage = folder.path().join("garbage.sqlite3");
        std::fs::write(
            &garbage,
            "no database at all, but long enough to be taken for one".repeat(99),
        )
        .unwrap();
        assert!(matches!(open_writer(&garbage, 0), Err(StoreError::Damaged { .. })));
        assert!(matches!(open_reader(&garbage), Err(StoreError::Damaged { .. })));
        let newer = folder.path().join("newer.sqlite3");
        open_writer(&newer, 0).unwrap().pragma_update(None, "user_version", 99).unwrap();
        assert!(matches!(open_writer(&newer, 0), Err(StoreError::Schema { .. })));
    }
}
