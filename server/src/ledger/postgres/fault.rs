//! Converts database failures to ledger errors.

use crate::ledger::error::LedgerError;
use crate::ledger::evidence_content;
use crate::ledger::fault::{Fault, FaultKind};
use crate::storage::postgres::{Failure, FailureKind, SchemaFailure};

pub(super) fn fault(failure: &Failure) -> Fault {
    let kind = match failure.kind {
        FailureKind::Full => FaultKind::Full,
        FailureKind::Busy => FaultKind::Busy,
        FailureKind::Access => FaultKind::Access,
        FailureKind::Connection => FaultKind::Connection,
        FailureKind::Corrupt => FaultKind::Corrupt,
        FailureKind::Dangling | FailureKind::Other => FaultKind::Other,
    };
    Fault { kind, error: unavailable(failure) }
}

fn unavailable(failure: &Failure) -> LedgerError {
    LedgerError::Unavailable { reason: failure.reason.clone(), fix: failure.fix.to_owned() }
}

pub(super) fn schema_error(error: SchemaFailure, url: &str) -> LedgerError {
    let database = url.to_owned();
    match error {
        SchemaFailure::Mismatch(mismatch) => LedgerError::Schema { database, mismatch },
        SchemaFailure::Failed(failure) => LedgerError::Unavailable {
            reason: format!("{database}: {}", failure.reason),
            fix: failure.fix.to_owned(),
        },
    }
}

pub(super) fn unpack(packed: &[u8]) -> Result<String, LedgerError> {
    evidence_content::unpack(packed).map_err(|error| LedgerError::Unavailable {
        reason: format!("the content of an evidence item is damaged ({error})"),
        fix: "check the database's log and restore a backup".to_owned(),
    })
}
