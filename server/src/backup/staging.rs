//! The temporary folder of a backup, `NAME.partial` next to its final name. A folder left by an interrupted
//! backup is reused.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::error::BackupError;
use crate::storage::{LockError, create_folder, lock};

const LOCK: &str = ".backup.lock";

/// The temporary folder, locked by this process. Removed on drop unless the backup is finished.
#[derive(Debug)]
pub(super) struct Staging {
    partial: PathBuf,
    folder: PathBuf,
    parent: PathBuf,
    is_finished: bool,
    _lock: File,
}

impl Staging {
    /// Creates the temporary folder for the backup folder `folder`.
    pub(super) fn create(data_dir: &Path, folder: &Path) -> Result<Self, BackupError> {
        let exists_error = || BackupError::Exists { folder: folder.to_owned() };
        if folder.symlink_metadata().is_ok() {
            return Err(exists_error());
        }
        let name = folder.file_name().ok_or_else(exists_error)?;
        let parent = match folder.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let canonical_parent = parent.canonicalize().ok().filter(|parent| parent.is_dir());
        let Some(canonical_parent) = canonical_parent else {
            return Err(BackupError::NoParent { folder: folder.to_owned(), parent });
        };
        if data_dir.canonicalize().is_ok_and(|data_dir| canonical_parent.starts_with(data_dir)) {
            let (folder, data_dir) = (folder.to_owned(), data_dir.to_owned());
            return Err(BackupError::Inside { folder, data_dir });
        }
        let mut partial = name.to_owned();
        partial.push(".partial");
        let partial = parent.join(partial);
        if partial.symlink_metadata().is_ok() && !partial.join(LOCK).is_file() {
            return Err(BackupError::Foreign { folder: folder.to_owned(), partial });
        }
        let unwritable_error = |error: &io::Error| unwritable_error(folder, error.to_string());
        create_folder(&partial).map_err(|error| unwritable_error(&error))?;
        let lock = lock(&partial.join(LOCK)).map_err(|error| match error {
            LockError::Locked(pid) => BackupError::InUse { folder: folder.to_owned(), pid },
            LockError::Io(error) => {
                // A folder without a lock file would not be recognized as part of a backup.
                let _ = std::fs::remove_dir(&partial);
                unwritable_error(&error)
            }
        })?;
        let folder_buf = folder.to_owned();
        let staging = Self { partial, folder: folder_buf, parent, is_finished: false, _lock: lock };
        staging.clear().map_err(|error| unwritable_error(&error))?;
        Ok(staging)
    }

    pub(super) fn create_parent(&self, path: &Path) -> Result<PathBuf, BackupError> {
        let file = self.partial.join(path);
        let folder = file.parent().unwrap_or(&self.partial);
        create_folder(folder).map_err(|error| self.io_error(&error))?;
        Ok(file)
    }

    /// Removes a file from the backup, and parent folders that become empty.
    pub(super) fn remove(&self, copy: &Path) -> Result<(), BackupError> {
        let result = match std::fs::remove_file(copy) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        result.map_err(|error| self.io_error(&error))?;
        let parents = copy.ancestors().skip(1).take_while(|folder| *folder != self.partial);
        for folder in parents {
            if std::fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Syncs everything and renames the folder to its final name.
    pub(super) fn finish(mut self) -> Result<(), BackupError> {
        let renamed =
            sync_folders(&self.partial).and_then(|()| std::fs::rename(&self.partial, &self.folder));
        self.is_finished = renamed.is_ok();
        // Removes the lock file last, because a folder without it would not be recognized as part of a
        // backup.
        renamed
            .and_then(|()| std::fs::remove_file(self.folder.join(LOCK)))
            .and_then(|()| sync(&self.folder))
            .and_then(|()| sync(&self.parent))
            .map_err(|error| self.io_error(&error))
    }

    pub(super) fn io_error(&self, error: &io::Error) -> BackupError {
        self.write_error(error.to_string())
    }

    pub(super) fn write_error(&self, reason: String) -> BackupError {
        unwritable_error(&self.folder, reason)
    }

    /// Removes the files of an interrupted backup.
    fn clear(&self) -> io::Result<()> {
        for entry in self.partial.read_dir()? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => std::fs::remove_dir_all(entry.path())?,
                false if entry.file_name() != LOCK => std::fs::remove_file(entry.path())?,
                false => {}
            }
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.is_finished {
            let _ = std::fs::remove_dir_all(&self.partial);
        }
    }
}

fn unwritable_error(folder: &Path, reason: String) -> BackupError {
    BackupError::Unwritable { folder: folder.to_owned(), reason }
}

fn sync_folders(folder: &Path) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_folders(&entry.path())?;
        }
    }
    sync(folder)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
