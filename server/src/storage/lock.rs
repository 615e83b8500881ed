//! Lock files, each of which protects the folder that contains it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::open_file;

#[derive(Debug)]
pub(crate) enum LockError {
    /// The lock is already held. Contains the pid of the holder, if known.
    Locked(Option<u32>),
    /// The file cannot be opened or locked.
    Io(io::Error),
}

/// Locks a file and writes the pid to it. The system releases the lock when the process ends.
pub(crate) fn lock(path: &Path) -> Result<File, LockError> {
    let mut file = open_file(path).map_err(LockError::Io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LockError::Locked(read_pid(&mut file))),
        Err(TryLockError::Error(error)) => return Err(LockError::Io(error)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(LockError::Io)?;
    writeln!(file, "{}", std::process::id()).map_err(LockError::Io)?;
    Ok(file)
}

fn read_pid(file: &mut File) -> Option<u32> {
    const MAX_BYTES: u64 = 16;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
