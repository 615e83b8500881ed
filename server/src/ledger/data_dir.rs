//! The data directory: created for this user alone, and held by one process.

use std::fs::File;
use std::path::Path;

use super::error::LedgerError;
use crate::storage::{LockError, create_folder, lock};

const LOCK: &str = "ledger.lock";

/// The data directory, held until this is dropped.
#[derive(Debug)]
pub struct DataDir {
    _lock: File,
}

impl DataDir {
    /// Creates the directory where it is missing, and takes it for this process.
    ///
    /// # Errors
    /// [`LedgerError::Locked`] when it is taken, [`LedgerError::UnusableDirectory`] when the system refuses.
    pub fn take(path: &Path) -> Result<Self, LedgerError> {
        let unusable =
            |reason| LedgerError::UnusableDirectory { directory: path.to_owned(), reason };
        create_folder(path).map_err(|error| unusable(error.to_string()))?;
        let lock = lock(&path.join(LOCK)).map_err(|error| match error {
            LockError::Held(pid) => LedgerError::Locked { directory: path.to_owned(), pid },
            LockError::Refused(error) => unusable(format!("{LOCK}: {error}")),
        })?;
        Ok(Self { _lock: lock })
    }
}
