//! Errors of the ledger, each with its fix.

use std::path::PathBuf;

use crate::storage::SchemaMismatch;

/// An error of the ledger.
///
/// Cheap to clone: every record of a failed batch gets the same error.
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
        /// The error of the system.
        reason: String,
    },
    /// Another process, or another ledger of this process, holds the directory.
    #[error("data directory {} is in use by {}; stop it, or use another directory", directory.display(), holder(*pid))]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process that holds it, if known.
        pid: Option<u32>,
    },
    /// The ledger has another schema than this server supports.
    #[error("{database} {mismatch}")]
    Schema {
        /// The database.
        database: String,
        /// The difference.
        mismatch: SchemaMismatch,
    },
    /// The file is a database of another program.
    #[error("{} is the database of another program; choose another data directory", file.display())]
    Foreign {
        /// The database.
        file: PathBuf,
    },
    /// The file is damaged, or not a database.
    #[error("{} is damaged ({reason}); move it away together with its -wal file and restore a backup, or start with an empty directory", file.display())]
    Corrupt {
        /// The database.
        file: PathBuf,
        /// The error of SQLite.
        reason: String,
    },
    /// The ledger cannot be read or written at the moment. The next call may succeed.
    #[error("the ledger is unavailable: {reason}; {fix}")]
    Unavailable {
        /// The problem.
        reason: String,
        /// The fix.
        fix: String,
    },
    /// The queue is full. Nothing was recorded.
    #[error(
        "the queue of the ledger is full ({queue} records); nothing was recorded, try again shortly"
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
    /// An evaluation with this id is recorded already.
    #[error("evaluation {evaluation_id:?} is recorded already; use a new id")]
    DuplicateId {
        /// The id.
        evaluation_id: String,
    },
    /// The record exceeds the maximum size of a row.
    #[error("evaluation {evaluation_id:?} needs {bytes} bytes; a row has at most 1000000000")]
    TooLarge {
        /// The evaluation.
        evaluation_id: String,
        /// Its size in bytes.
        bytes: usize,
    },
    /// The step of the investigation is taken, or the investigation is gone.
    #[error(
        "step {step} of investigation {investigation_id:?} is taken; get the investigation for its current step"
    )]
    StepTaken {
        /// The investigation.
        investigation_id: String,
        /// The step.
        step: u32,
    },
    /// The page token was not made for this list.
    #[error(
        "invalid page_token {given:?}; pass next_page_token of the previous page with the same filter, or none"
    )]
    InvalidPageToken {
        /// The given token, cut to 64 characters.
        given: String,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_error_names_a_known_holder() {
        let locked = |pid| LedgerError::Locked { directory: "data".into(), pid }.to_string();
        assert!(locked(Some(17)).contains("process 17"));
        assert!(locked(None).contains("another process"));
    }
}
