//! Failures of a ledger, classified for metrics.

use super::error::LedgerError;

/// The class of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    Full,
    Busy,
    Access,
    Connection,
    Io,
    Corrupt,
    Replaced,
    Other,
}

impl FaultKind {
    pub(super) const ALL: [Self; 8] = [
        Self::Full,
        Self::Busy,
        Self::Access,
        Self::Connection,
        Self::Io,
        Self::Corrupt,
        Self::Replaced,
        Self::Other,
    ];

    /// The value of the metric label.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Busy => "busy",
            Self::Access => "access",
            Self::Connection => "connection",
            Self::Io => "io",
            Self::Corrupt => "corrupt",
            Self::Replaced => "replaced",
            Self::Other => "other",
        }
    }
}

/// A failure with its class.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) error: LedgerError,
}
