//! The ledger's directory and database file.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::ledger::data_dir::DataDir;
use crate::ledger::error::LedgerError;
use crate::ledger::fault::Fault;
use crate::storage::{DatabaseFile, open_file};

pub(super) const DATABASE: &str = "ledger.sqlite3";

pub(crate) fn database_file() -> DatabaseFile {
    DatabaseFile { path: DATABASE.into(), after_copy: "" }
}

/// A data directory and its database file. Locked until this value is dropped.
#[derive(Debug)]
pub(super) struct Directory {
    database: PathBuf,
    device: u64,
    inode: u64,
    _lock: DataDir,
}

impl Directory {
    /// Locks the directory, and creates the directory and the database file (mode 0600) if they are missing.
    pub(super) fn open(path: &Path) -> Result<Self, LedgerError> {
        let unusable_directory = |error: std::io::Error| LedgerError::unusable(path, error);
        let lock = DataDir::lock(path)?;
        let database = path.join(DATABASE);
        let file = open_file(&database).map_err(unusable_directory)?;
        let metadata = file.metadata().map_err(unusable_directory)?;
        File::open(path).and_then(|directory| directory.sync_all()).map_err(unusable_directory)?;
        Ok(Self { database, device: metadata.dev(), inode: metadata.ino(), _lock: lock })
    }

    pub(super) fn database(&self) -> &Path {
        &self.database
    }

    /// Checks that the database file was not removed or replaced, because writes would then be lost.
    pub(super) fn check_in_place(&self) -> Result<(), Fault> {
        match std::fs::metadata(&self.database) {
            Ok(metadata) if metadata.dev() == self.device && metadata.ino() == self.inode => Ok(()),
            Ok(_) | Err(_) => Err(Fault::replaced(&self.database)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_and_folders_are_private() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let directory = Directory::open(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(directory.database()), 0o600);
        assert_eq!(mode(&path.join("ledger.lock")), 0o600);
    }

    #[test]
    fn rejects_a_path_through_a_file() {
        let parent = tempfile::tempdir().unwrap();
        let file = parent.path().join("file");
        std::fs::write(&file, "x").unwrap();
        let error = Directory::open(&file.join("data")).unwrap_err();
        assert!(matches!(error, LedgerError::UnusableDirectory { .. }), "{error}");
    }

    #[test]
    fn detects_a_removed_or_replaced_database() {
        let path = tempfile::tempdir().unwrap();
        let directory = Directory::open(path.path()).unwrap();
        directory.check_in_place().unwrap();
        let moved = path.path().join("away");
        std::fs::rename(directory.database(), &moved).unwrap();
        assert!(directory.check_in_place().is_err());
        std::fs::write(directory.database(), "another").unwrap();
        assert!(directory.check_in_place().is_err());
        std::fs::rename(&moved, directory.database()).unwrap();
        directory.check_in_place().unwrap();
    }
}
