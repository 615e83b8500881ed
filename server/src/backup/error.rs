//! Errors from backups.

use std::path::PathBuf;

/// An error that prevented a backup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// The target already exists.
    #[error("--to {}: already exists; name a new folder", folder.display())]
    Exists {
        /// The target folder.
        folder: PathBuf,
    },
    /// The parent folder is missing. It is not created, because its disk may not be mounted.
    #[error("--to {}: {} is not a folder; create it, or mount its disk", folder.display(), parent.display())]
    NoParent {
        /// The target folder.
        folder: PathBuf,
        /// The parent folder.
        parent: PathBuf,
    },
    /// The target is inside the data directory.
    #[error("--to {}: is inside data_dir {}; name a folder elsewhere, best on another disk", folder.display(), data_dir.display())]
    Inside {
        /// The target folder.
        folder: PathBuf,
        /// The data directory.
        data_dir: PathBuf,
    },
    /// Another process is writing a backup to the same folder.
    #[error("--to {}: {} already backs up to it; wait until it has finished, or name another folder", folder.display(), process_name(*pid))]
    InUse {
        /// The target folder.
        folder: PathBuf,
        /// The process id, if known.
        pid: Option<u32>,
    },
    /// The temporary folder exists but does not come from a backup.
    #[error("--to {}: {} is needed as the temporary folder, but does not come from a backup; move it away, or name another folder", folder.display(), partial.display())]
    Foreign {
        /// The target folder.
        folder: PathBuf,
        /// The temporary folder.
        partial: PathBuf,
    },
    /// The target cannot be written.
    #[error("--to {}: {reason}; free space there and give this user write permission, or name another folder", folder.display())]
    Unwritable {
        /// The target folder.
        folder: PathBuf,
        /// The error from the operating system.
        reason: String,
    },
    /// The data directory contains no database.
    #[error("data_dir {}: contains no database; name the server's directory with --data-dir or its --config", data_dir.display())]
    Nothing {
        /// The data directory.
        data_dir: PathBuf,
    },
    /// A database cannot be read.
    #[error("data_dir: failed to read {}: {reason}; run the backup as the server's user", file.display())]
    Unreadable {
        /// The database, or its folder.
        file: PathBuf,
        /// The error from the operating system.
        reason: String,
    },
    /// The ledger is damaged.
    #[error("data_dir: {} is damaged ({reason}): nothing was backed up; stop the server and restore the last backup", file.display())]
    Damaged {
        /// The database.
        file: PathBuf,
        /// The error from SQLite.
        reason: String,
    },
}

fn process_name(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}
