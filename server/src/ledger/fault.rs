//! Ledger failures, classified for metrics.

use super::error::LedgerError;

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

#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) error: LedgerError,
}
