//! The health of a ledger.

/// The health of a ledger after its last transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The time of the last commit, in microseconds since 1970-01-01T00:00:00Z, or `None` if there was none
    /// since opening.
    pub last_commit_micros: Option<i64>,
    /// The failure of the last transaction, if it failed or the ledger is closed. The ledger retries every second.
    pub failure: Option<Failure>,
}

/// A reason why the ledger cannot record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The problem and its fix.
    pub reason: String,
    /// The time of the first failure, in microseconds since 1970-01-01T00:00:00Z.
    pub since_micros: i64,
}

impl Health {
    /// Returns `true` if the ledger can record.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.failure.is_none()
    }
}
