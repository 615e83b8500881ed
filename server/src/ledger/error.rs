//! Errors from the ledger.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::storage::SchemaMismatch;

/// An error from the ledger. Cheap to clone, because each record of a failed batch returns the same error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// An option has a value that is not allowed.
    #[error("ledger option {field}: invalid value {given}; expected {allowed}")]
    InvalidOption {
        /// The option.
        field: &'static str,
        /// The given value.
        given: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The directory cannot be created or used.
    #[error("data directory {}: {reason}; choose a directory that this user may write to, or change its permissions", directory.display())]
    UnusableDirectory {
        /// The directory.
        directory: PathBuf,
        /// The error from the operating system.
        reason: String,
    },
    /// Another process, or another ledger in this process, has locked the directory.
    #[error("data directory {} is in use by {}; stop it, or use another directory", directory.display(), holder(*pid))]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process id of the lock's owner, if known.
        pid: Option<u32>,
    },
    /// The ledger has a schema that this server does not support.
    #[error("{database} {mismatch}")]
    Schema {
        /// The database.
        database: String,
        /// The found and the supported schema.
        mismatch: SchemaMismatch,
    },
    /// The file is another program's database.
    #[error("{} is another program's database; choose another data directory", file.display())]
    Foreign {
        /// The database.
        file: PathBuf,
    },
    /// The file is damaged, or not a database.
    #[error("{} is damaged ({reason}); move it away together with its -wal file and restore a backup, or start with an empty directory", file.display())]
    Corrupt {
        /// The database.
        file: PathBuf,
        /// The error from SQLite.
        reason: String,
    },
    /// The ledger cannot be read or written at the moment. A later call may succeed.
    #[error("the ledger is unavailable: {reason}; {fix}")]
    Unavailable {
        /// The problem.
        reason: String,
        /// The fix.
        fix: String,
    },
    /// The queue is full. Nothing was recorded.
    #[error(
        "the ledger's queue is full ({queue} records); nothing was recorded, try again shortly"
    )]
    Busy {
        /// The maximum number of queued records.
        queue: usize,
    },
    /// The ledger was closed. Queued records were not acknowledged.
    #[error("the ledger is closed; the server is stopping")]
    Closed,
    /// The idempotency key belongs to another request.
    #[error(
        "idempotency key {key:?} was used with another request; use a new key for a new request"
    )]
    KeyReused {
        /// The key.
        key: String,
    },
    /// An evaluation with this id is already recorded.
    #[error("evaluation {evaluation_id:?} is already recorded; use a new id")]
    DuplicateId {
        /// The id.
        evaluation_id: String,
    },
    /// The record exceeds the maximum row size.
    #[error("evaluation {evaluation_id:?} is {bytes} bytes; the maximum is 1000000000")]
    TooLarge {
        /// The id of the evaluation.
        evaluation_id: String,
        /// The size of the record in bytes.
        bytes: usize,
    },
    /// The step is already taken, or the investigation was deleted.
    #[error(
        "step {step} of investigation {investigation_id:?} is taken; get the investigation for its current step"
    )]
    StepTaken {
        /// The id of the investigation.
        investigation_id: String,
        /// The number of the step.
        step: u32,
    },
    /// The page token is for another list.
    #[error(
        "invalid page_token {given:?}; pass next_page_token of the previous page with the same filter, or none"
    )]
    InvalidPageToken {
        /// The first 64 characters of the token.
        given: String,
    },
}

impl LedgerError {
    pub(super) fn unusable(directory: &Path, reason: impl fmt::Display) -> Self {
        Self::UnusableDirectory { directory: directory.to_owned(), reason: reason.to_string() }
    }
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_error_names_a_known_holder() {
        let lock_error = |pid| LedgerError::Locked { directory: "data".into(), pid }.to_string();
        assert!(lock_error(Some(17)).contains("process 17"));
        assert!(lock_error(None).contains("another process"));
    }
}
