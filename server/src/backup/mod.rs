//! Backs up a data directory while its server runs. Copies and checks every database, and changes nothing
//! in the data directory. The backup folder gets its final name only once the backup is complete.

mod digests;
mod error;
mod staging;

use std::path::{Path, PathBuf};

pub use error::BackupError;

use crate::evidence;
use crate::judge;
use crate::ledger;
use crate::storage::{CopyError, DatabaseFile, copy_database};
use digests::Digests;
use staging::Staging;

/// The result of a backup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backup {
    /// The copied databases: paths relative to the data directory, and sizes in bytes.
    pub databases: Vec<(PathBuf, u64)>,
    /// The damaged databases that were skipped, with their errors.
    pub skipped: Vec<(PathBuf, String)>,
}

/// Backs up a data directory to a new folder. Blocks. The ledger is copied first, so that the evidence it
/// refers to is at least as new.
///
/// # Errors
/// Returns a [`BackupError`]. In that case, the folder is not created.
pub fn back_up(data_dir: &Path, target: &Path) -> Result<Backup, BackupError> {
    let ledger = ledger::database_file();
    let databases = existing_databases(data_dir, &ledger)?;
    let staging = Staging::create(data_dir, target)?;
    let mut backup = Backup::default();
    let mut digests = Digests::default();
    for database in databases {
        let copy = staging.create_parent(&database.path)?;
        match copy_if_present(data_dir, &database, &copy) {
            Ok(true) => {
                let bytes = digests.add(&copy, &database.path);
                let bytes = bytes.map_err(|error| staging.io_error(&error))?;
                backup.databases.push((database.path, bytes));
            }
            Ok(false) => staging.remove(&copy)?,
            Err(CopyError::Damaged(reason)) if database != ledger => {
                staging.remove(&copy)?;
                backup.skipped.push((database.path, reason));
            }
            Err(error) => return Err(backup_error(error, data_dir.join(database.path), &staging)),
        }
    }
    if backup.databases.is_empty() {
        let damaged = backup.skipped.into_iter().next();
        return Err(damaged.map_or_else(
            || BackupError::Nothing { data_dir: data_dir.to_owned() },
            |(path, reason)| BackupError::Damaged { file: data_dir.join(path), reason },
        ));
    }
    digests
        .write(&staging.create_parent(Path::new(digests::FILE))?)
        .map_err(|error| staging.io_error(&error))?;
    staging.finish()?;
    Ok(backup)
}

/// Returns all existing databases, the ledger first.
fn existing_databases(
    data_dir: &Path,
    ledger: &DatabaseFile,
) -> Result<Vec<DatabaseFile>, BackupError> {
    let corpora = evidence::database_files(data_dir).map_err(|error| BackupError::Unreadable {
        file: data_dir.to_owned(),
        reason: error.to_string(),
    })?;
    let mut databases = vec![ledger.clone(), judge::database_file()];
    databases.extend(corpora);
    databases.retain(|database| data_dir.join(&database.path).is_file());
    match databases.is_empty() {
        true => Err(BackupError::Nothing { data_dir: data_dir.to_owned() }),
        false => Ok(databases),
    }
}

/// Copies a database. Returns `false` if it was empty or was deleted in the meantime.
fn copy_if_present(
    data_dir: &Path,
    database: &DatabaseFile,
    copy: &Path,
) -> Result<bool, CopyError> {
    let source = data_dir.join(&database.path);
    let result = copy_database(&source, copy, database.after_copy);
    match source.is_file() {
        true => result,
        false => Ok(false),
    }
}

fn backup_error(error: CopyError, file: PathBuf, staging: &Staging) -> BackupError {
    match error {
        CopyError::Damaged(reason) => BackupError::Damaged { file, reason },
        CopyError::Unreadable(reason) => BackupError::Unreadable { file, reason },
        CopyError::Unwritable(reason) => staging.write_error(reason),
    }
}
