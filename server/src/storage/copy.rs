//! Copies a database while a server writes to it, and checks the copy. Writers do not wait, because SQLite's online
//! backup reads the write-ahead log like any reader.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{open_file, open_sqlite};

/// The maximum time to wait for a lock while a server opens or closes the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A database in a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseFile {
    pub(crate) path: PathBuf,
    /// SQL statements that adapt the copy to the absence of the files next to the database. May be empty.
    pub(crate) after_copy: &'static str,
}

#[derive(Debug)]
pub(crate) enum CopyError {
    /// The source is damaged or is not a database.
    Damaged(String),
    Unreadable(String),
    Unwritable(String),
}

/// Copies a database to a new private file without a log, and checks all its pages. Returns `false` if the
/// source has no commits.
pub(crate) fn copy_database(
    source_file: &Path,
    target_file: &Path,
    after_copy: &str,
) -> Result<bool, CopyError> {
    let source = open_source(source_file).map_err(|error| CopyError::from_source(&error))?;
    open_file(target_file).map_err(|error| CopyError::Unwritable(error.to_string()))?;
    copy_pages(&source, target_file)?;
    let is_empty = finish(target_file, after_copy).map_err(|error| CopyError::from_copy(&error))?;
    Ok(!is_empty)
}

fn open_source(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open_sqlite(file, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY_TIMEOUT)?;
    // Opens the log too, so that its errors are reported as errors in the source.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

fn open_copy(file: &Path) -> rusqlite::Result<Connection> {
    open_sqlite(file, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT)
}

fn copy_pages(source: &Connection, target_file: &Path) -> Result<(), CopyError> {
    let mut copy = open_copy(target_file).map_err(|error| CopyError::from_copy(&error))?;
    let backup = Backup::new(source, &mut copy).map_err(|error| CopyError::from_copy(&error))?;
    const EVERY_PAGE: i32 = -1;
    match backup.step(EVERY_PAGE).map_err(|error| CopyError::from_copy(&error))? {
        StepResult::Done => Ok(()),
        _ => Err(CopyError::Unreadable("another process keeps it locked".to_owned())),
    }
}

/// Converts the copy to a single file and checks it. Returns `true` if the source has no commits.
fn finish(file: &Path, after_copy: &str) -> rusqlite::Result<bool> {
    let copy = open_copy(file)?;
    let version: i64 = copy.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == 0 {
        return Ok(true);
    }
    copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    copy.execute_batch(after_copy)?;
    let result: String = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match result.as_str() {
        "ok" => Ok(false),
        damage => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(damage.lines().last().unwrap_or_default().trim().to_owned()),
        )),
    }
}

impl CopyError {
    fn from_source(error: &rusqlite::Error) -> Self {
        match is_damage(error) {
            true => Self::Damaged(error.to_string()),
            false => Self::Unreadable(error.to_string()),
        }
    }

    /// Converts an error in the copy. Any damaged pages come from the source.
    fn from_copy(error: &rusqlite::Error) -> Self {
        match is_damage(error) {
            true => Self::Damaged(error.to_string()),
            false => Self::Unwritable(error.to_string()),
        }
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create_songs(file: &Path) -> Connection {
        let connection = Connection::open(file).unwrap();
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE songs (name TEXT); PRAGMA user_version = 1;
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                 INSERT INTO songs SELECT hex(randomblob(100)) FROM n;",
            )
            .unwrap();
        connection
    }

    fn count_songs(file: &Path) -> i64 {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let copy = Connection::open_with_flags(file, flags).unwrap();
        copy.query_row("SELECT count(*) FROM songs", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_copy_includes_the_log_and_is_a_single_file() {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (folder.path().join("a"), folder.path().join("b"));
        let writer = create_songs(&source);
        writer.execute_batch("BEGIN; INSERT INTO songs VALUES ('not committed')").unwrap();
        assert!(copy_database(&source, &target, "INSERT INTO songs VALUES ('after')").unwrap());
        assert_eq!(count_songs(&target), 501);
        let names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with('b'))
            .collect();
        assert_eq!(names, ["b"]);
    }

    #[test]
    fn rejects_a_damaged_source() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a");
        drop(create_songs(&source));
        let intact = std::fs::read(&source).unwrap();
        let page_size = 4_096;
        let middle = intact.len() / page_size / 2 * page_size;
        for (name, contents) in [
            ("header", [&[0; 100], &intact[100..]].concat()),
            (
                "middle",
                [&intact[..middle], &vec![0xa5; page_size], &intact[middle + page_size..]].concat(),
            ),
            ("no database", b"this is not a database, but it has the name of one".to_vec()),
        ] {
            std::fs::write(&source, contents).unwrap();
            let error = copy_database(&source, &folder.path().join(name), "").unwrap_err();
            assert!(matches!(error, CopyError::Damaged(_)), "{name}: {error:?}");
        }
    }

    #[test]
    fn an_uncommitted_database_counts_as_empty() {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&source, "").unwrap();
        assert!(!copy_database(&source, &target, "DELETE FROM songs").unwrap());
        let error = copy_database(&folder.path().join("none"), &target, "").unwrap_err();
        assert!(matches!(error, CopyError::Unreadable(_)), "{error:?}");
    }
}
