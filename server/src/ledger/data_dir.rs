//! The data directory, accessible only to this user and locked by one process.

use std::fs::File;
use std::path::Path;

use super::error::LedgerError;
use crate::storage::{LockError, create_folder, lock};

const LOCK: &str = "ledger.lock";

/// A data directory, locked until this value is dropped.
#[derive(Debug)]
pub struct DataDir {
    _lock: File,
}

impl DataDir {
    /// Creates the directory if it is missing, and locks it for this process.
    ///
    /// # Errors
    /// Returns [`LedgerError::Locked`] if another process has locked the directory, or
    /// [`LedgerError::UnusableDirectory`] if it cannot be used.
    pub fn lock(path: &Path) -> Result<Self, LedgerError> {
        create_folder(path).map_err(|error| LedgerError::unusable(path, error))?;
        let lock = lock(&path.join(LOCK)).map_err(|error| match error {
            LockError::Locked(pid) => LedgerError::Locked { directory: path.to_owned(), pid },
            LockError::Io(error) => LedgerError::unusable(path, format!("{LOCK}: {error}")),
        })?;
        Ok(Self { _lock: lock })
    }
}
