//! What can go wrong with the ledger, each with what was meant and the fix.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

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
    /// The ledger was written by a later version of the server.
    #[error("{} has schema {found}, this server knows up to {supported}; run the server that wrote it, or a newer one", file.display())]
    NewerSchema {
        /// The database.
        file: PathBuf,
        /// Its schema.
        found: i64,
        /// The latest schema this server knows.
        supported: i64,
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
    /// The page size is not allowed.
    #[error("page_size {given} is not allowed; allowed is 1 to 1000, or 0 for 50")]
    InvalidPageSize {
        /// What was given.
        given: usize,
    },
}

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// What kind of trouble kept a batch from being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    Full,
    Busy,
    Access,
    Io,
    Corrupt,
    Replaced,
    Other,
}

impl FaultKind {
    pub(super) const ALL: [Self; 7] = [
        Self::Full,
        Self::Busy,
        Self::Access,
        Self::Io,
        Self::Corrupt,
        Self::Replaced,
        Self::Other,
    ];

    /// Its name as a label of a metric.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Busy => "busy",
            Self::Access => "access",
            Self::Io => "io",
            Self::Corrupt => "corrupt",
            Self::Replaced => "replaced",
            Self::Other => "other",
        }
    }
}

/// A failure of SQLite or of the files below it, sorted by what fixes it.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) error: LedgerError,
}

impl Fault {
    /// Sorts what SQLite said about the database `file`.
    pub(super) fn from_sqlite(error: &rusqlite::Error, file: &Path) -> Self {
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => FaultKind::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => FaultKind::Busy,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
                FaultKind::Access
            }
            Some(ErrorCode::SystemIoFailure) => FaultKind::Io,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => FaultKind::Corrupt,
            _ => FaultKind::Other,
        };
        let shown = file.display();
        let unavailable =
            |reason: String, fix: &str| LedgerError::Unavailable { reason, fix: fix.to_owned() };
        let error = match kind {
            FaultKind::Full => unavailable(
                format!("the disk that holds {shown} is full"),
                "free space there, or set ledger.max_size or ledger.max_age; no restart is needed",
            ),
            FaultKind::Busy => unavailable(
                format!("another program holds {shown} ({error})"),
                "end that program's transaction; no restart is needed",
            ),
            FaultKind::Access => unavailable(
                format!("{shown} cannot be written ({error})"),
                "give this user the right to write the data directory",
            ),
            FaultKind::Io => unavailable(
                format!("reading or writing {shown} failed ({error})"),
                "look at the disk, its quota and the system's log; no restart is needed once it works",
            ),
            FaultKind::Corrupt => {
                LedgerError::Corrupt { file: file.to_owned(), reason: error.to_string() }
            }
            FaultKind::Replaced | FaultKind::Other => unavailable(
                format!("{shown}: {error}"),
                "look at the server's log; restart the server if it stays",
            ),
        };
        Self { kind, error }
    }

    /// The database is no longer where it was opened.
    pub(super) fn replaced(file: &Path) -> Self {
        Self {
            kind: FaultKind::Replaced,
            error: LedgerError::Unavailable {
                reason: format!("{} was removed or replaced while in use", file.display()),
                fix: "put the file back, or restart the server to begin an empty ledger".to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;

    fn fault(code: i32) -> Fault {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        Fault::from_sqlite(&error, Path::new("data/ledger.sqlite3"))
    }

    #[test]
    fn every_kind_of_failure_names_its_file_and_its_fix() {
        for (code, kind, fix) in [
            (ffi::SQLITE_FULL, FaultKind::Full, "free space"),
            (ffi::SQLITE_BUSY, FaultKind::Busy, "end that program"),
            (ffi::SQLITE_READONLY, FaultKind::Access, "right to write"),
            (ffi::SQLITE_IOERR_FSYNC, FaultKind::Io, "quota"),
            (ffi::SQLITE_CORRUPT, FaultKind::Corrupt, "restore a backup"),
            (ffi::SQLITE_NOTADB, FaultKind::Corrupt, "restore a backup"),
            (ffi::SQLITE_NOMEM, FaultKind::Other, "server's log"),
        ] {
            let fault = fault(code);
            let text = fault.error.to_string();
            assert_eq!(fault.kind, kind);
            assert!(text.contains("data/ledger.sqlite3"), "{text}");
            assert!(text.contains(fix), "{text}");
        }
    }

    #[test]
    fn a_lock_names_its_holder_where_it_is_known() {
        let locked = |pid| LedgerError::Locked { directory: "data".into(), pid }.to_string();
        assert!(locked(Some(17)).contains("process 17"));
        assert!(locked(None).contains("another process"));
    }
}
