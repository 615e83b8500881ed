//! Creates and checks the schemas of SQLite databases.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

/// The supported schema version of every database.
pub(super) const VERSION: i64 = 1;

/// The schema of a SQLite database. `user_version` stores its version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schema {
    /// The application id in SQLite's header, four ASCII letters.
    pub(crate) application_id: i64,
    /// The application id that development versions used. The schema versions of development databases
    /// overlap with later versions.
    pub(crate) development_id: i64,
    pub(crate) sql: &'static str,
}

/// The error for a database with an unsupported schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaMismatch {
    /// Another version of the server created it.
    #[error(
        "has schema {found}, but this server supports only schema {VERSION}; run the server that wrote it"
    )]
    Unsupported {
        /// The schema version in the database.
        found: i64,
    },
    /// A development version created it.
    #[error(
        "has schema {found} of a development version; start with an empty data directory or database \
         (to keep the records, export them first with the server that wrote them: gsar ledger export)"
    )]
    Development {
        /// The schema version in the database.
        found: i64,
    },
    /// It has no tables, and this server must not create them.
    #[error("has no tables yet; run gsar-server migrate")]
    Missing,
}

#[derive(Debug, PartialEq)]
pub(crate) enum SchemaError {
    /// Another program created the database.
    Foreign,
    Mismatch(SchemaMismatch),
    Sqlite(rusqlite::Error),
}

impl Schema {
    /// Like [`check`](Self::check), but checks a file before it is opened for writing. Closing a writable
    /// connection to a rejected file would checkpoint its log. Ignores errors from SQLite, which the
    /// writable connection reports.
    pub(crate) fn check_file(&self, file: &Path) -> Result<(), SchemaError> {
        match open_unchanged(file).map(|connection| self.check(&connection)) {
            Ok(Err(mismatch @ (SchemaError::Foreign | SchemaError::Mismatch(_)))) => Err(mismatch),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Returns an error unless the database is empty or has this schema. Writes nothing.
    pub(crate) fn check(&self, connection: &Connection) -> Result<(), SchemaError> {
        let query = |sql| {
            let value = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
            value.map_err(SchemaError::Sqlite)
        };
        let application_id = query("PRAGMA application_id")?;
        let found = query("PRAGMA user_version")?;
        if application_id == self.development_id {
            return Err(SchemaError::Mismatch(SchemaMismatch::Development { found }));
        }
        if application_id == self.application_id {
            return match found {
                VERSION => Ok(()),
                _ => Err(SchemaError::Mismatch(SchemaMismatch::Unsupported { found })),
            };
        }
        match (application_id, found, query("SELECT count(*) FROM sqlite_schema")?) {
            (0, 0, 0) => Ok(()),
            _ => Err(SchemaError::Foreign),
        }
    }

    /// Creates the tables in one transaction if the database is empty.
    pub(crate) fn create(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if found == 0 {
            transaction.execute_batch(self.sql)?;
            transaction.pragma_update(None, "application_id", self.application_id)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()
    }
}

/// Opens a database for reading without creating a log or shared memory next to it.
fn open_unchanged(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    if Path::new(&log).exists() {
        return Connection::open_with_flags(file, flags);
    }
    let path = file.canonicalize().map_err(|_| rusqlite::Error::InvalidPath(file.to_owned()))?;
    let path = path.to_string_lossy();
    let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let uri = format!("file:{path}?immutable=1");
    Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: Schema =
        Schema { application_id: 7, development_id: 6, sql: "CREATE TABLE songs (name TEXT)" };

    fn new_database() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        SCHEMA.create(&mut connection).unwrap();
        connection
    }

    #[test]
    fn creating_twice_changes_nothing() {
        let mut connection = new_database();
        SCHEMA.create(&mut connection).unwrap();
        SCHEMA.check(&connection).unwrap();
        connection.execute("INSERT INTO songs VALUES ('a')", []).unwrap();
    }

    #[test]
    fn a_failed_creation_leaves_the_database_unmarked() {
        let mut connection = Connection::open_in_memory().unwrap();
        let invalid_schema = Schema { sql: "CREATE TABLE songs (name TEXT); CREATE", ..SCHEMA };
        invalid_schema.create(&mut connection).unwrap_err();
        SCHEMA.check(&connection).unwrap();
        SCHEMA.create(&mut connection).unwrap();
    }

    #[test]
    fn rejects_another_programs_database() {
        let connection = Connection::open_in_memory().unwrap();
        SCHEMA.check(&connection).unwrap();
        connection.execute_batch("CREATE TABLE other (name TEXT)").unwrap();
        assert_eq!(SCHEMA.check(&connection), Err(SchemaError::Foreign));
        let other_schema = Schema { application_id: 8, ..SCHEMA };
        assert_eq!(other_schema.check(&new_database()), Err(SchemaError::Foreign));
    }

    #[test]
    fn rejecting_a_file_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let created = folder.path().join("created 100%?#.sqlite3");
        let mut writer = Connection::open(&created).unwrap();
        writer.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        SCHEMA.create(&mut writer).unwrap();
        let crashed = folder.path().join("crashed.sqlite3");
        let log = folder.path().join("crashed.sqlite3-wal");
        std::fs::copy(&created, &crashed).unwrap();
        std::fs::copy(folder.path().join("created 100%?#.sqlite3-wal"), &log).unwrap();
        drop(writer);
        let other_schema = Schema { application_id: 8, ..SCHEMA };
        let before = [&crashed, &log].map(|file| std::fs::read(file).unwrap());
        assert_eq!(other_schema.check_file(&crashed), Err(SchemaError::Foreign));
        assert_eq!([&crashed, &log].map(|file| std::fs::read(file).unwrap()), before);
        SCHEMA.check_file(&crashed).unwrap();

        let count_files = || std::fs::read_dir(folder.path()).unwrap().count();
        let count = count_files();
        assert_eq!(other_schema.check_file(&created), Err(SchemaError::Foreign));
        SCHEMA.check_file(&created).unwrap();
        assert_eq!(count_files(), count);
    }

    #[test]
    fn rejects_another_schema() {
        let connection = new_database();
        for found in [0, 2] {
            connection.pragma_update(None, "user_version", found).unwrap();
            let mismatch = SchemaError::Mismatch(SchemaMismatch::Unsupported { found });
            assert_eq!(SCHEMA.check(&connection), Err(mismatch));
        }
    }

    #[test]
    fn rejects_a_development_schema() {
        let connection = new_database();
        connection.pragma_update(None, "application_id", SCHEMA.development_id).unwrap();
        for found in [1, 8] {
            connection.pragma_update(None, "user_version", found).unwrap();
            let mismatch = SchemaError::Mismatch(SchemaMismatch::Development { found });
            assert_eq!(SCHEMA.check(&connection), Err(mismatch));
        }
    }
}
