//! What can go wrong with the ledger, each with what was meant and the fix.

use std::path::PathBuf;

use crate::storage::SchemaMismatch;

/// Why the ledger did not do what it was asked.
///
/// Cheap to clone: every record of a failed batch gets the same answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    /// An option has a value that is not allowed.
    #[error("ledger option {field}: {given} is not allowed; allowed is {allowed}")]
    InvalidOption {
        /// The option.
        field: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// The directory cannot be created or used.
    #[error("data directory {}: {reason}; choose a directory this user may write, or give it the right", directory.display())]
    UnusableDirectory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Another process, or another ledger of this one, holds the directory.
    #[error("data directory {} is in use by {}; stop it, or give this server a directory of its own", directory.display(), holder(*pid))]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process that holds it, where it has said so.
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
    /// The file is a database of something else.
    #[error("{} is the database of another program; choose another data directory", file.display())]
    Foreign {
        /// The database.
        file: PathBuf,
    },
    /// The file is no database, or is damaged.
    #[error("{} is damaged ({reason}); move it away together with its -wal file and restore a backup, or start with an empty directory", file.display())]
    Corrupt {
        /// The database.
        file: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// The ledger cannot take or give records at present. The next call may work.
    #[error("the ledger is unavailable: {reason}; {fix}")]
    Unavailable {
        /// What happened.
        reason: String,
        /// What to do about it.
        fix: String,
    },
    /// As many records wait as may wait. Nothing was recorded.
    #[error(
        "{queue} records wait for the ledger, which is its bound; nothing was recorded, try again shortly"
    )]
    Busy {
        /// The bound.
        queue: usize,
    },
    /// The ledger was closed. Records that waited were not acknowledged.
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
    /// An evaluation of that id is recorded already.
    #[error("evaluation {evaluation_id:?} is recorded already; an id names one evaluation")]
    DuplicateId {
        /// The id.
        evaluation_id: String,
    },
    /// The record is larger than a row may be.
    #[error(
        "evaluation {evaluation_id:?} needs {bytes} bytes, more than a row may have (1000000000)"
    )]
    TooLarge {
        /// The evaluation.
        evaluation_id: String,
        /// Its size.
        bytes: usize,
    },
    /// The step of the investigation is taken, or the investigation is gone.
    #[error("step {step} of investigation {investigation_id:?} is taken; ask where it stands")]
    StepTaken {
        /// The investigation.
        investigation_id: String,
        /// The step.
        step: u32,
    },
    /// The page token is none of this list's.
    #[error(
        "page_token {given:?} is no token of this list; pass next_page_token of the page before, with the same filter, or none"
    )]
    InvalidPageToken {
        /// What was given, cut to 64 characters.
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
    fn a_lock_names_its_holder_where_it_is_known() {
        let locked = |pid| LedgerError::Locked { directory: "data".into(), pid }.to_string();
        assert!(locked(Some(17)).contains("process 17"));
        assert!(locked(None).contains("another process"));
    }
}
