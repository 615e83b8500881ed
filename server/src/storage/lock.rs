//! This module locks a file that one process holds while it owns the folder around it.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::open_file;

/// Why a folder could not be taken.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another process, or another part of this one, holds it; the process as it wrote itself down.
    Held(Option<u32>),
    /// The system refused.
    Refused(io::Error),
}

/// Takes a lock file. The system gives it back when the process ends, however it ends.
pub(crate) fn lock(path: &Path) -> Result<File, LockError> {
    let mut file = open_file(path).map_err(LockError::Refused)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(LockError::Held(written_pid(&mut file))),
        Err(TryLockError::Error(error)) => return Err(LockError::Refused(error)),
    }
    file.set_len(0).and_then(|()| file.rewind()).map_err(LockError::Refused)?;
    writeln!(file, "{}", std::process::id()).map_err(LockError::Refused)?;
    Ok(file)
}

fn written_pid(file: &mut File) -> Option<u32> {
    const MAX_BYTES: u64 = 16;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
