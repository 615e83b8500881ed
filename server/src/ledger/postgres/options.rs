//! Options for a ledger in PostgreSQL.

use std::time::Duration;

use crate::ledger::error::LedgerError;
use crate::storage::postgres::PostgresOptions;

/// Options for a ledger in PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresLedgerOptions {
    /// The database.
    pub database: PostgresOptions,
    /// The age above which evaluations are deleted, at least one second; `None` keeps all evaluations.
    pub max_age: Option<Duration>,
}

impl PostgresLedgerOptions {
    /// Returns the first invalid option as [`LedgerError::InvalidOption`].
    pub(super) fn check(&self) -> Result<(), LedgerError> {
        let invalid_option = |field, given: String, allowed| {
            Err(LedgerError::InvalidOption { field, given, allowed })
        };
        if self.max_age.is_some_and(|age| age < Duration::from_secs(1)) {
            return invalid_option(
                "max_age",
                format!("{:?}", self.max_age),
                "at least 1 second, or none to keep everything",
            );
        }
        if self.database.connections == 0 {
            return invalid_option("connections", "0".to_owned(), "1 or more");
        }
        if self.database.timeout < Duration::from_millis(100) {
            return invalid_option(
                "timeout",
                format!("{:?}", self.database.timeout),
                "100 milliseconds or more",
            );
        }
        Ok(())
    }
}
