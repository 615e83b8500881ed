//! A vector cache in a SQLite file. Survives restarts.
//!
//! Several processes can share the file. It contains hashes and vectors but no texts. Because vectors
//! reveal something about their texts, the file is readable only by its owner.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};

use super::{Cache, CacheError, Key};
use crate::vector::Vector;

const APPLICATION_ID: i64 = 0x6773_7665;
const SCHEMA_VERSION: i64 = 1;
const SCHEMA: &str = "CREATE TABLE vectors (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    vector BLOB NOT NULL
) STRICT";
/// The time to wait for another process, about as long as computing a vector takes.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);

/// A vector cache in a SQLite file.
#[derive(Debug)]
pub struct SqliteCache {
    file: String,
    max_bytes: u64,
    connection: Mutex<Connection>,
}

impl SqliteCache {
    /// Opens the file, or creates it with mode 0600 and missing parent folders with mode 0700.
    ///
    /// Deletes the oldest vectors before the file exceeds `max_bytes`. A file of 1 GiB holds about half a
    /// million vectors of 384 values. The write-ahead log adds a few megabytes.
    ///
    /// # Errors
    /// Returns [`CacheError::Foreign`] or [`CacheError::Unusable`].
    pub fn open(file: &Path, max_bytes: u64) -> Result<Self, CacheError> {
        let name = file.display().to_string();
        let unusable = |reason: String| CacheError::Unusable { file: name.clone(), reason };
        if let Some(folder) = file.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| unusable(error.to_string()))?;
        }
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(file)
            .map_err(|error| unusable(error.to_string()))?;
        match connect(file) {
            Ok(Some(connection)) => {
                Ok(Self { file: name, max_bytes, connection: Mutex::new(connection) })
            }
            Ok(None) => Err(CacheError::Foreign { file: name }),
            Err(error) => Err(unusable(error.to_string())),
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, CacheError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|error| CacheError::Unusable {
            file: self.file.clone(),
            reason: error.to_string(),
        })
    }
}

/// Opens a connection and creates the schema. Returns `None` if the file belongs to another program.
fn connect(file: &Path) -> rusqlite::Result<Option<Connection>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    if !is_ours(&connection)? {
        return Ok(None);
    }
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // A power failure can lose the latest vectors, which are then recomputed.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()?;
    Ok(Some(connection))
}

/// Returns `true` if the database is empty, or if it is a cache with this schema version.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let query_number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = query_number("PRAGMA application_id")?;
    let version = query_number("PRAGMA user_version")?;
    let is_empty = application == 0
        && version == 0
        && query_number("SELECT count(*) FROM sqlite_schema")? == 0;
    Ok(is_empty || (application == APPLICATION_ID && version == SCHEMA_VERSION))
}

impl Cache for SqliteCache {
    fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Vector>>, CacheError> {
        self.with(|connection| {
            let transaction = connection.transaction()?;
            let mut select =
                transaction.prepare_cached("SELECT vector FROM vectors WHERE hash = ?1")?;
            keys.iter()
                .map(|key| {
                    let blob = select
                        .query_row([key.as_bytes()], |row| row.get::<_, Vec<u8>>(0))
                        .optional()?;
                    Ok(blob.and_then(|blob| from_bytes(&blob)))
                })
                .collect()
        })
    }

    fn put_many(&self, vectors: &[(Key, Vector)]) -> Result<(), CacheError> {
        self.with(|connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO vectors (hash, vector) VALUES (?1, ?2) \
                 ON CONFLICT (hash) DO UPDATE SET vector = excluded.vector",
            )?;
            for (key, vector) in vectors {
                insert.execute(params![key.as_bytes(), to_bytes(vector)])?;
            }
            drop(insert);
            shrink(&transaction, self.max_bytes)?;
            transaction.commit()
        })
    }
}

/// Deletes the oldest vectors until the used pages fit. SQLite reuses free pages before the file grows.
fn shrink(connection: &Connection, max_bytes: u64) -> rusqlite::Result<()> {
    const STEP: i64 = 64;
    let query_number = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let max_bytes = i64::try_from(max_bytes).unwrap_or(i64::MAX);
    let page_bytes = query_number("PRAGMA page_size")?;
    loop {
        let pages = query_number("PRAGMA page_count")?
            .saturating_sub(query_number("PRAGMA freelist_count")?);
        if pages.saturating_mul(page_bytes) <= max_bytes {
            return Ok(());
        }
        let deleted = connection
            .prepare_cached(
                "DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?1)",
            )?
            .execute([STEP])?;
        if deleted == 0 {
            return Ok(());
        }
    }
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Option<Vector> {
    let (numbers, rest) = bytes.as_chunks();
    rest.is_empty().then(|| numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const ONE_GIB: u64 = 1 << 30;

    fn key(number: usize) -> Key {
        Key::new(&[1; 32], &number.to_string())
    }

    fn vector(number: usize) -> Vector {
        vec![number as f32; 384].into()
    }

    #[test]
    fn vectors_survive_restarts_and_are_shared() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/vectors.sqlite3");
        let cache = SqliteCache::open(&file, ONE_GIB).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        cache.put_many(&[(key(1), vector(1)), (key(2), vector(2))]).unwrap();
        cache.put_many(&[(key(1), vector(1))]).unwrap();
        let other = SqliteCache::open(&file, ONE_GIB).unwrap();
        let expected = vec![Some(vector(2)), None, Some(vector(1))];
        assert_eq!(other.get_many(&[key(2), key(3), key(1)]).unwrap(), expected);
        drop((cache, other));
        let again = SqliteCache::open(&file, ONE_GIB).unwrap();
        assert_eq!(again.get_many(&[key(2), key(3), key(1)]).unwrap(), expected);
    }

    #[test]
    fn deletes_the_oldest_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vectors.sqlite3");
        let cache = SqliteCache::open(&file, 1 << 20).unwrap();
        for start in (0..2_000).step_by(100) {
            let batch: Vec<_> = (start..start + 100).map(|at| (key(at), vector(at))).collect();
            cache.put_many(&batch).unwrap();
        }
        let keys: Vec<_> = (0..2_000).map(key).collect();
        let found = cache.get_many(&keys).unwrap();
        let first = found.iter().position(Option::is_some).unwrap();
        assert!((1_400..1_900).contains(&first), "{first}");
        assert!(found[first..].iter().all(Option::is_some));
        drop(cache);
        assert!(file.metadata().unwrap().len() < 2 << 20);
    }

    #[test]
    fn foreign_files_are_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other.sqlite3");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        let before = std::fs::read(&file).unwrap();
        let refused = SqliteCache::open(&file, ONE_GIB).unwrap_err();
        assert!(matches!(refused, CacheError::Foreign { .. }), "{refused}");
        assert_eq!(std::fs::read(&file).unwrap(), before);

        std::fs::write(&file, "this is text, not a database, whatever its name").unwrap();
        let refused = SqliteCache::open(&file, ONE_GIB).unwrap_err();
        assert!(refused.to_string().contains("delete it"), "{refused}");
        let refused = SqliteCache::open(folder.path(), ONE_GIB).unwrap_err();
        assert!(matches!(refused, CacheError::Unusable { .. }), "{refused}");
    }

    #[test]
    fn blobs_of_invalid_length_are_misses() {
        let folder = tempfile::tempdir().unwrap();
        let cache = SqliteCache::open(&folder.path().join("vectors.sqlite3"), ONE_GIB).unwrap();
        cache.put_many(&[(key(1), vector(1))]).unwrap();
        cache
            .with(|connection| connection.execute("UPDATE vectors SET vector = x'0102030405'", []))
            .unwrap();
        assert_eq!(cache.get_many(&[key(1)]).unwrap(), [None]);
    }
}
