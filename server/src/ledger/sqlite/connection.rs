//! Opens connections to the database.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::options::Durability;
use super::schema::SCHEMA;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::Fault;
use crate::storage::{SchemaError, open_sqlite};

/// The maximum time to wait for another program's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// The size of the write-ahead log at which it is checkpointed: 16 MiB in pages.
const CHECKPOINT_PAGES: i64 = 4_096;
/// The maximum size of the write-ahead log after a checkpoint, in bytes.
const WAL_BYTES: i64 = 16 << 20;

/// Opens the database for writing and creates the tables if it is empty.
pub(super) fn open_writer(file: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    let ledger_error = |error: rusqlite::Error| Fault::from_sqlite(&error, file).error;
    SCHEMA.check_file(file).map_err(|error| schema_error(error, file))?;
    let mut connection =
        open_sqlite(file, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT).map_err(ledger_error)?;
    SCHEMA.check(&connection).map_err(|error| schema_error(error, file))?;
    // Allows free pages to be released. Must be set before the first table is created.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(ledger_error)?;
    enable_wal(&connection, file)?;
    SCHEMA.create(&mut connection).map_err(ledger_error)?;
    configure_writer(&connection, durability).map_err(ledger_error)?;
    Ok(connection)
}

pub(super) fn schema_error(error: SchemaError, file: &Path) -> LedgerError {
    match error {
        SchemaError::Foreign => LedgerError::Foreign { file: file.to_owned() },
        SchemaError::Mismatch(mismatch) => {
            LedgerError::Schema { database: file.display().to_string(), mismatch }
        }
        SchemaError::Sqlite(error) => Fault::from_sqlite(&error, file).error,
    }
}

pub(super) fn open_reader(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open_sqlite(file, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY_TIMEOUT)?;
    connection.pragma_update(None, "cache_size", -1_024)?;
    Ok(connection)
}

/// Enables the write-ahead log, so that readers do not wait for the writer.
fn enable_wal(connection: &Connection, file: &Path) -> Result<(), LedgerError> {
    let mode: String = connection
        .query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))
        .map_err(|error| Fault::from_sqlite(&error, file).error)?;
    if mode == "wal" {
        return Ok(());
    }
    Err(LedgerError::Unavailable {
        reason: format!(
            "{} is on a file system without shared memory (the journal mode remains {mode})",
            file.display()
        ),
        fix: "put the data directory on a local file system".to_owned(),
    })
}

fn configure_writer(connection: &Connection, durability: Durability) -> rusqlite::Result<()> {
    let synchronous = match durability {
        Durability::Durable => "FULL",
        Durability::Relaxed => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -8_192)?;
    for (name, value) in
        [("wal_autocheckpoint", CHECKPOINT_PAGES), ("journal_size_limit", WAL_BYTES)]
    {
        connection.pragma_update_and_check(None, name, value, |_| Ok(()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma(connection: &Connection, name: &str) -> i64 {
        connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
    }

    #[test]
    fn durability_determines_the_synchronous_setting() {
        for (durability, synchronous) in [(Durability::Durable, 2), (Durability::Relaxed, 1)] {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("ledger.sqlite3");
            std::fs::write(&file, "").unwrap();
            let connection = open_writer(&file, durability).unwrap();
            assert_eq!(pragma(&connection, "synchronous"), synchronous);
            assert_eq!(pragma(&connection, "auto_vacuum"), 2);
            assert_eq!(pragma(&connection, "foreign_keys"), 1);
            assert_eq!(pragma(&connection, "wal_autocheckpoint"), CHECKPOINT_PAGES);
            assert_eq!(pragma(&connection, "journal_size_limit"), WAL_BYTES);
        }
    }

    #[test]
    fn a_reader_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ledger.sqlite3");
        std::fs::write(&file, "").unwrap();
        let _writer = open_writer(&file, Durability::Durable).unwrap();
        let reader = open_reader(&file).unwrap();
        reader.execute("DELETE FROM evaluations", []).unwrap_err();
    }
}
