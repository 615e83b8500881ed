//! The locked directory of an index. All file changes go through [`Disk`], so that tests can make any of
//! them fail.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::IndexError;

const LOCK: &str = "vectors.lock";

#[derive(Debug)]
pub(crate) struct Disk {
    directory: PathBuf,
    _lock: File,
    #[cfg(test)]
    pub(crate) faults: faults::Faults,
}

impl Disk {
    /// Locks the directory, creating it with mode 0700 if necessary.
    pub(crate) fn lock(directory: &Path) -> Result<Self, IndexError> {
        let unusable = |error: io::Error| IndexError::unusable(directory, error);
        if directory.to_str().is_none() {
            return Err(IndexError::unusable(directory, "the path is not UTF-8"));
        }
        if !directory.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(unusable)?;
            if let Some(parent) = directory.canonicalize().map_err(unusable)?.parent() {
                File::open(parent).and_then(|parent| parent.sync_all()).map_err(unusable)?;
            }
        }
        let lock = open_private(&directory.join(LOCK)).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(IndexError::Locked { directory: directory.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        Ok(Self {
            directory: directory.to_owned(),
            _lock: lock,
            #[cfg(test)]
            faults: faults::Faults::default(),
        })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, IndexError> {
        let unusable = |error: io::Error| IndexError::unusable(&self.directory, error);
        let entries = std::fs::read_dir(&self.directory).map_err(unusable)?;
        let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string().ok()));
        let names: io::Result<Vec<Option<String>>> = names.collect();
        Ok(names.map_err(unusable)?.into_iter().flatten().collect())
    }

    /// Opens a file for writing, creating it if necessary. Does not truncate it.
    pub(crate) fn open(&self, name: &str) -> Result<Output<'_>, IndexError> {
        let path = self.path(name);
        self.step().and_then(|()| open_private(&path)).map_or_else(
            |error| Err(not_saved(&path, &error)),
            |file| Ok(Output { disk: self, file, path: path.clone() }),
        )
    }

    pub(crate) fn create_with(
        &self,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<(), IndexError> {
        let path = self.path(name);
        self.step()
            .map_err(|error| error.to_string())
            .and_then(|()| write(&path))
            .and_then(|()| self.step().map_err(|error| error.to_string()))
            .map_err(|reason| IndexError::NotSaved { file: path, reason })
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), IndexError> {
        let (from, to) = (self.path(from), self.path(to));
        self.step()
            .and_then(|()| std::fs::rename(from, &to))
            .map_err(|error| not_saved(&to, &error))
    }

    /// Syncs the directory, so that created and renamed files survive a power loss.
    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        self.step()
            .and_then(|()| File::open(&self.directory)?.sync_all())
            .map_err(|error| not_saved(&self.directory, &error))
    }

    /// Deletes an unreferenced file. Logs a failure. The next save tries again.
    pub(crate) fn remove(&self, name: &str) {
        let path = self.path(name);
        if let Err(error) = self.step().and_then(|()| std::fs::remove_file(&path)) {
            tracing::warn!(file = %path.display(), %error, "failed to delete an old file of a vector index");
        }
    }

    pub(crate) fn remove_if_exists(&self, name: &str) {
        let path = self.path(name);
        if let Err(error) = self.step().and_then(|()| std::fs::remove_file(&path))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(file = %path.display(), %error, "failed to delete a file of a failed save");
        }
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "fails only in tests")]
    fn step(&self) -> io::Result<()> {
        Ok(())
    }

    #[cfg(test)]
    fn step(&self) -> io::Result<()> {
        self.faults.step()
    }
}

pub(crate) struct Output<'d> {
    disk: &'d Disk,
    file: File,
    path: PathBuf,
}

impl Output<'_> {
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<(), IndexError> {
        let result = self.disk.step().and_then(|()| self.file.write_all_at(bytes, offset));
        #[cfg(test)]
        if result.is_err() {
            let _half = self.file.write_all_at(&bytes[..bytes.len() / 2], offset);
        }
        result.map_err(|error| not_saved(&self.path, &error))
    }

    pub(crate) fn sync(&self) -> Result<(), IndexError> {
        self.disk
            .step()
            .and_then(|()| self.file.sync_all())
            .map_err(|error| not_saved(&self.path, &error))
    }
}

pub(crate) fn not_saved(file: &Path, error: &io::Error) -> IndexError {
    IndexError::NotSaved { file: file.to_owned(), reason: error.to_string() }
}

fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
pub(crate) mod faults {
    //! Simulates a disk that is full after a number of steps.

    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Debug)]
    pub(crate) struct Faults {
        steps_left: AtomicUsize,
    }

    impl Default for Faults {
        fn default() -> Self {
            Self { steps_left: AtomicUsize::new(usize::MAX) }
        }
    }

    impl Faults {
        /// Makes all operations fail after `steps` more steps. With `usize::MAX`, no operation fails.
        pub(crate) fn fail_after(&self, steps: usize) {
            self.steps_left.store(steps, Ordering::SeqCst);
        }

        pub(super) fn step(&self) -> io::Result<()> {
            let decrement = |steps_left: usize| match steps_left {
                usize::MAX => Some(steps_left),
                _ => steps_left.checked_sub(1),
            };
            match self.steps_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, decrement) {
                Ok(_) => Ok(()),
                Err(_) => Err(io::ErrorKind::StorageFull.into()),
            }
        }
    }
}
