//! Why there is no backup, each with the field that was wrong and the fix.

use std::path::PathBuf;

/// Why a data directory was not backed up. Nothing has the name that was given then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// Something has the name.
    #[error("--to {}: is there already; name a folder that is not", folder.display())]
    Exists {
        /// What was given.
        folder: PathBuf,
    },
    /// The folder around it is not there: a disk that is not mounted is not to be written beside.
    #[error("--to {}: {} is no folder; make it, or mount what belongs there", folder.display(), parent.display())]
    NoParent {
        /// What was given.
        folder: PathBuf,
        /// The folder around it.
        parent: PathBuf,
    },
    /// It lies where the server keeps its own files.
    #[error("--to {}: lies in data_dir {}; name a folder elsewhere, best on another disk", folder.display(), data_dir.display())]
    Inside {
        /// What was given.
        folder: PathBuf,
        /// The data directory.
        data_dir: PathBuf,
    },
    /// Another process writes there.
    #[error("--to {}: {} backs up to it; wait for that, or name another folder", folder.display(), holder(*pid))]
    InUse {
        /// What was given.
        folder: PathBuf,
        /// The process, where it has said so.
        pid: Option<u32>,
    },
    /// What is written until the backup is complete would have the name of something else.
    #[error("--to {}: {} is needed for what is not complete, and is none of ours; move it away, or name another folder", folder.display(), partial.display())]
    Foreign {
        /// What was given.
        folder: PathBuf,
        /// What is in the way.
        partial: PathBuf,
    },
    /// It cannot be written.
    #[error("--to {}: {reason}; make room there and give this user the right to write, or name another folder", folder.display())]
    Unwritable {
        /// What was given.
        folder: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// There is nothing to back up.
    #[error("data_dir {}: has no database of a server; name the directory of the server with --data-dir or its --config", data_dir.display())]
    Nothing {
        /// The data directory.
        data_dir: PathBuf,
    },
    /// A database cannot be read.
    #[error("data_dir: {} cannot be read: {reason}; run the backup as the user that the server runs as", file.display())]
    Unreadable {
        /// The database, or the folder around it.
        file: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The ledger is damaged.
    #[error("data_dir: {} is damaged ({reason}): nothing was backed up; stop the server and restore the last backup", file.display())]
    Damaged {
        /// The database.
        file: PathBuf,
        /// What SQLite said.
        reason: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}
