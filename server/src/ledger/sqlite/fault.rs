//! Classifies errors from SQLite and the file system.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::ledger::error::LedgerError;
use crate::ledger::fault::{Fault, FaultKind};

impl Fault {
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
        let path = file.display();
        let unavailable =
            |reason: String, fix: &str| LedgerError::Unavailable { reason, fix: fix.to_owned() };
        let error = match kind {
            FaultKind::Full => unavailable(
                format!("the disk that holds {path} is full"),
                "free space there, or set ledger.max_size or ledger.max_age; no restart is needed",
            ),
            FaultKind::Busy => unavailable(
                format!("another program has locked {path} ({error})"),
                "end that program's transaction; no restart is needed",
            ),
            FaultKind::Access => unavailable(
                format!("{path} cannot be written ({error})"),
                "let this user write to the data directory",
            ),
            FaultKind::Io => unavailable(
                format!("reading or writing {path} failed ({error})"),
                "check the disk, its quota and the system's log; no restart is needed once the disk works again",
            ),
            FaultKind::Corrupt => {
                LedgerError::Corrupt { file: file.to_owned(), reason: error.to_string() }
            }
            FaultKind::Replaced | FaultKind::Connection | FaultKind::Other => unavailable(
                format!("{path}: {error}"),
                "check the server's log; restart the server if the problem remains",
            ),
        };
        Self { kind, error }
    }

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
    fn failures_name_the_file_and_the_fix() {
        for (code, kind, fix) in [
            (ffi::SQLITE_FULL, FaultKind::Full, "free space"),
            (ffi::SQLITE_BUSY, FaultKind::Busy, "end that program"),
            (ffi::SQLITE_READONLY, FaultKind::Access, "write to the data"),
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
}
