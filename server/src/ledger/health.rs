//! The health of a ledger.

/// The health of a ledger, as of the last transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// The time of the last commit, in microseconds since 1970-01-01T00:00:00Z; `None` before the first one since
    /// opening.
    pub last_commit_micros: Option<i64>,
    /// The reason why the last transaction failed, or that the ledger is closed; `None` while it works. The ledger
    /// recovers by itself: the writer retries every second.
    pub failure: Option<Failure>,
}

/// The reason why the ledger cannot record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The problem and its fix.
    pub reason: String,
    /// The start of the failure, in microseconds since 1970-01-01T00:00:00Z.
    pub since_micros: i64,
}

impl Health {
    /// Returns `true` if the ledger can record.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.failure.is_none()
    }
}
