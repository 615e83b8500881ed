//! This module sorts what PostgreSQL and the network before it say, by what fixes it and by whether another attempt may
//! succeed.

use deadpool_postgres::PoolError;
use tokio_postgres::error::SqlState;

/// Why the database did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {fix}")]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) reason: String,
    pub(crate) fix: &'static str,
    /// Whether the same may succeed at once, on another connection or after another transaction.
    pub(crate) is_transient: bool,
}

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The disk of the database is full.
    Full,
    /// Another transaction, or too many connections, stand in the way.
    Busy,
    /// The account may not do it.
    Access,
    /// The database cannot be reached, or goes away.
    Connection,
    /// What the database holds is damaged.
    Corrupt,
    /// A row that is referred to is gone.
    Dangling,
    /// Anything else.
    Other,
}

const REACH: &str =
    "see whether the database runs and can be reached; no restart is needed once it does";

impl Failure {
    /// A failure of a connection that no answer came over.
    pub(crate) fn silence(seconds: u64) -> Self {
        Self {
            kind: FailureKind::Connection,
            reason: format!("the database gave no answer within {seconds} s"),
            fix: REACH,
            is_transient: false,
        }
    }

    /// Something that fixes itself in no way.
    pub(crate) fn other(reason: String, fix: &'static str) -> Self {
        Self { kind: FailureKind::Other, reason, fix, is_transient: false }
    }
}

impl From<&tokio_postgres::Error> for Failure {
    fn from(error: &tokio_postgres::Error) -> Self {
        let Some(said) = error.as_db_error() else { return of_connection(error) };
        let (kind, is_transient) = sorted(said.code());
        let reason = format!("the database said: {} ({})", said.message(), said.code().code());
        let fix = match kind {
            FailureKind::Full => "make room on the disk of the database; no restart is needed",
            FailureKind::Busy => "look for long transactions, or raise what the database allows",
            FailureKind::Access => "give the account of storage.url the right, or name another",
            FailureKind::Connection => REACH,
            FailureKind::Corrupt => "look at the log of the database and restore a backup",
            FailureKind::Dangling | FailureKind::Other => {
                "look at the logs of the server and of the database"
            }
        };
        Self { kind, reason, fix, is_transient }
    }
}

fn of_connection(error: &tokio_postgres::Error) -> Failure {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_said = cause.to_string();
        if !reason.contains(&cause_said) {
            reason = format!("{reason}: {cause_said}");
        }
        source = cause.source();
    }
    let is_encryption = reason.contains("TLS") || reason.contains("certificate");
    let fix = match is_encryption {
        true => {
            "name the authority of its certificate in storage.ca, or say sslmode=disable on a network you trust"
        }
        false => REACH,
    };
    Failure { kind: FailureKind::Connection, reason, fix, is_transient: !is_encryption }
}

/// The kind of a SQLSTATE, and whether another attempt may succeed at once.
fn sorted(code: &SqlState) -> (FailureKind, bool) {
    match code {
        &SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED => {
            (FailureKind::Busy, true)
        }
        &SqlState::LOCK_NOT_AVAILABLE
        | &SqlState::TOO_MANY_CONNECTIONS
        | &SqlState::QUERY_CANCELED => (FailureKind::Busy, false),
        &SqlState::FOREIGN_KEY_VIOLATION => (FailureKind::Dangling, true),
        &SqlState::ADMIN_SHUTDOWN
        | &SqlState::CRASH_SHUTDOWN
        | &SqlState::CANNOT_CONNECT_NOW
        | &SqlState::READ_ONLY_SQL_TRANSACTION
        | &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => (FailureKind::Connection, true),
        &SqlState::DISK_FULL | &SqlState::OUT_OF_MEMORY => (FailureKind::Full, false),
        &SqlState::DATA_CORRUPTED | &SqlState::INDEX_CORRUPTED => (FailureKind::Corrupt, false),
        code => match code.code().get(..2) {
            Some("08") => (FailureKind::Connection, true),
            Some("28" | "3D") => (FailureKind::Access, false),
            Some("53") => (FailureKind::Full, false),
            _ if *code == SqlState::INSUFFICIENT_PRIVILEGE => (FailureKind::Access, false),
            _ => (FailureKind::Other, false),
        },
    }
}

impl From<PoolError> for Failure {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Backend(error) => (&error).into(),
            PoolError::Timeout(kind) => Self {
                kind: FailureKind::Busy,
                reason: format!("no connection was free in time ({kind:?})"),
                fix: "raise storage.connections, or ask less at once",
                is_transient: false,
            },
            PoolError::Closed => {
                Self::other("the connections are closed".to_owned(), "the server is stopping")
            }
            PoolError::PostCreateHook(error) => Self {
                kind: FailureKind::Connection,
                reason: format!("a new connection could not be prepared ({error})"),
                fix: REACH,
                is_transient: true,
            },
            PoolError::NoRuntimeSpecified => Self::other(error.to_string(), "report this"),
        }
    }
}
