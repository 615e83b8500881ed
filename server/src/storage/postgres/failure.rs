//! Failures of PostgreSQL and its connections, classified by fix and by whether a retry can succeed.

use deadpool_postgres::PoolError;
use tokio_postgres::error::SqlState;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {fix}")]
pub(crate) struct Failure {
    pub(crate) kind: FailureKind,
    pub(crate) reason: String,
    pub(crate) fix: &'static str,
    /// `true` if an immediate retry can succeed, on another connection or after another transaction.
    pub(crate) is_transient: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKind {
    Full,
    /// Another transaction blocks this one, or there are too many connections.
    Busy,
    Access,
    /// The database is unreachable or shutting down.
    Connection,
    Corrupt,
    /// A referenced row does not exist.
    Dangling,
    Other,
}

const REACH: &str = "check that the database runs and is reachable; no restart is needed then";

impl Failure {
    pub(crate) fn timed_out(seconds: u64) -> Self {
        Self {
            kind: FailureKind::Connection,
            reason: format!("the database did not respond within {seconds} s"),
            fix: REACH,
            is_transient: false,
        }
    }

    pub(crate) fn other(reason: String, fix: &'static str) -> Self {
        Self { kind: FailureKind::Other, reason, fix, is_transient: false }
    }
}

impl From<&tokio_postgres::Error> for Failure {
    fn from(error: &tokio_postgres::Error) -> Self {
        let Some(database_error) = error.as_db_error() else { return connection_failure(error) };
        let (kind, is_transient) = classify(database_error.code());
        let reason = format!(
            "the database reported: {} ({})",
            database_error.message(),
            database_error.code().code()
        );
        let fix = match kind {
            FailureKind::Full => "free space on the database's disk; no restart is needed",
            FailureKind::Busy => "look for long transactions, or raise the database's limits",
            FailureKind::Access => {
                "grant the privilege to the account in storage.url, or use another account"
            }
            FailureKind::Connection => REACH,
            FailureKind::Corrupt => "check the database's log and restore a backup",
            FailureKind::Dangling | FailureKind::Other => {
                "check the logs of the server and the database"
            }
        };
        Self { kind, reason, fix, is_transient }
    }
}

fn connection_failure(error: &tokio_postgres::Error) -> Failure {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let text = cause.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        source = cause.source();
    }
    let is_encryption_failure = reason.contains("TLS") || reason.contains("certificate");
    let fix = match is_encryption_failure {
        true => {
            "set storage.ca to the authority of its certificate, or sslmode=disable on a trusted network"
        }
        false => REACH,
    };
    Failure { kind: FailureKind::Connection, reason, fix, is_transient: !is_encryption_failure }
}

/// Classifies a SQLSTATE. The second value is `true` if an immediate retry can succeed.
fn classify(code: &SqlState) -> (FailureKind, bool) {
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
                fix: "raise storage.connections, or send fewer calls at once",
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
