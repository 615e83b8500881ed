//! Opens the database of cached judgements and spending. Only the user that runs the server can read the
//! file. A foreign or damaged file is never modified.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::storage::{
    DatabaseFile, Schema, SchemaError, SchemaMismatch, create_file, create_folder, open_sqlite,
};

/// The application ID is `GSRJ` in ASCII, and `gsaj` in development versions.
const SCHEMA: Schema = Schema {
    application_id: 0x4753_524a,
    development_id: 0x6773_616a,
    sql: include_str!("schema.sql"),
};
pub(super) const FILE: &str = "judgements.sqlite3";
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_WAL_BYTES: i64 = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// A commit is on disk by the time the call returns.
    Durable,
    /// A commit can be lost if the machine crashes, but is never partially lost.
    Lossy,
}

/// An error from opening the database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// The file belongs to another program.
    #[error("{} is the database of another program; move it away or choose another data_dir", file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// The file's schema is not supported.
    #[error("{} {mismatch}", file.display())]
    Schema {
        /// The file.
        file: PathBuf,
        /// The difference.
        mismatch: SchemaMismatch,
    },
    /// The file is not a database, or is damaged.
    #[error(
        "{} is damaged ({reason}); stop the server and move the file away: cached judgements are lost, and \
         today's spending restarts at zero", file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// SQLite's error.
        reason: String,
    },
    /// The operating system refused access.
    #[error("{}: {reason}; free some space or grant the server write access, then try again", file.display())]
    Unavailable {
        /// The file.
        file: PathBuf,
        /// The system's error.
        reason: String,
    },
}

impl DatabaseError {
    pub(super) fn from_sqlite(error: &rusqlite::Error, file: &Path) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let (file, reason) = (file.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            // An error without a code means an invalid value in a column.
            Some(DatabaseCorrupt | NotADatabase) | None => Self::Damaged { file, reason },
            Some(_) => Self::Unavailable { file, reason },
        }
    }
}

pub(crate) fn database_file() -> DatabaseFile {
    DatabaseFile { path: FILE.into(), after_copy: "" }
}

pub(super) fn open(folder: &Path, durability: Durability) -> Result<Connection, DatabaseError> {
    let file = folder.join(FILE);
    let result = create_folder(folder).and_then(|()| create_file(&file));
    result.map_err(|error| DatabaseError::Unavailable {
        file: file.clone(),
        reason: error.to_string(),
    })?;
    let to_database_error = |error: rusqlite::Error| DatabaseError::from_sqlite(&error, &file);
    SCHEMA.check_file(&file).map_err(|error| schema_error(error, &file))?;
    let mut connection = open_sqlite(&file, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT)
        .map_err(to_database_error)?;
    connection.pragma_update(None, "cache_size", -2_048).map_err(to_database_error)?;
    SCHEMA.check(&connection).map_err(|error| schema_error(error, &file))?;
    prepare(&mut connection, durability).map_err(to_database_error)?;
    Ok(connection)
}

fn schema_error(error: SchemaError, file: &Path) -> DatabaseError {
    let file = file.to_owned();
    match error {
        SchemaError::Foreign => DatabaseError::Foreign { file },
        SchemaError::Mismatch(mismatch) => DatabaseError::Schema { file, mismatch },
        SchemaError::Sqlite(error) => DatabaseError::from_sqlite(&error, &file),
    }
}

fn prepare(connection: &mut Connection, durability: Durability) -> rusqlite::Result<()> {
    // This has an effect only before the first table is created.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    let synchronous = match durability {
        Durability::Durable => "FULL",
        Durability::Lossy => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update_and_check(None, "journal_size_limit", MAX_WAL_BYTES, |_| Ok(()))?;
    SCHEMA.create(connection)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn pragma(connection: &Connection, name: &str) -> i64 {
        connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
    }

    #[test]
    fn sets_durability_and_file_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("data");
        let durable = open(&folder, Durability::Durable).unwrap();
        let lossy = open(&folder, Durability::Lossy).unwrap();
        assert_eq!(pragma(&durable, "synchronous"), 2);
        assert_eq!(pragma(&lossy, "synchronous"), 1);
        assert_eq!(pragma(&lossy, "auto_vacuum"), 2);
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", entry.path().display());
        }
    }

    #[test]
    fn rejects_foreign_and_damaged_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let foreign_database = Connection::open(&file).unwrap();
        foreign_database.execute_batch("CREATE TABLE songs (name TEXT)").unwrap();
        drop(foreign_database);
        let content = std::fs::read(&file).unwrap();
        let error = open(folder.path(), Durability::Lossy).unwrap_err();
        assert_eq!(error, DatabaseError::Foreign { file: file.clone() });
        assert_eq!(std::fs::read(&file).unwrap(), content);

        let garbage = "not a database, but long enough to be mistaken for one".repeat(99);
        std::fs::write(&file, &garbage).unwrap();
        let error = open(folder.path(), Durability::Lossy).unwrap_err();
        assert!(matches!(error, DatabaseError::Damaged { .. }), "{error}");
        assert_eq!(std::fs::read(&file).unwrap(), garbage.as_bytes());
    }

    #[test]
    fn rejects_a_newer_schema() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open(folder.path(), Durability::Lossy).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        let error = open(folder.path(), Durability::Durable).unwrap_err();
        let mismatch = SchemaMismatch::Unsupported { found: 99 };
        assert_eq!(error, DatabaseError::Schema { file: folder.path().join(FILE), mismatch });
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_unavailable() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let error = open(&file.join("data"), Durability::Lossy).unwrap_err();
        assert!(matches!(error, DatabaseError::Unavailable { .. }), "{error}");
    }
}
