//! Whether the ledger takes records.

/// Whether the ledger takes records, as the last transaction showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// When a transaction last became durable, in microseconds since 1970-01-01T00:00:00Z; `None` before
    /// the first since opening.
    pub last_commit_micros: Option<i64>,
    /// Why the last transaction failed, or that the ledger is closed; `None` while it works. A failure goes
    /// away by itself: the writer tries again every second, records or none.
    pub failure: Option<Failure>,
}

/// Why the ledger takes no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong, and the fix.
    pub reason: String,
    /// Since when, in microseconds since 1970-01-01T00:00:00Z.
    pub since_micros: i64,
}

impl Health {
    /// Whether the ledger takes records.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.failure.is_none()
    }
}
