//! Compares failed calls with the active faults.

use gsar_client::ClientError;

use crate::faults::schedule::{FaultKind, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Failure {
    /// The connection failed.
    Unreachable,
    /// UNAVAILABLE, `NOT_SERVING`.
    NotServing,
    /// UNAVAILABLE, `LEDGER_UNAVAILABLE`.
    Ledger,
    /// UNAVAILABLE, `EVIDENCE_UNAVAILABLE`.
    Evidence,
    /// DEADLINE_EXCEEDED, from the server or the client.
    Late,
    /// RESOURCE_EXHAUSTED, `TOO_MANY_CALLS`.
    TooManyCalls,
    /// RESOURCE_EXHAUSTED, `JUDGES_BUSY`.
    JudgesBusy,
}

const TRANSIENT: [(tonic::Code, &str, Failure); 8] = [
    (tonic::Code::Unavailable, "NOT_SERVING", Failure::NotServing),
    (tonic::Code::Unavailable, "LEDGER_UNAVAILABLE", Failure::Ledger),
    (tonic::Code::Unavailable, "EVIDENCE_UNAVAILABLE", Failure::Evidence),
    (tonic::Code::DeadlineExceeded, "DEADLINE_EXCEEDED", Failure::Late),
    // The client's deadline.
    (tonic::Code::DeadlineExceeded, "", Failure::Late),
    (tonic::Code::ResourceExhausted, "TOO_MANY_CALLS", Failure::TooManyCalls),
    (tonic::Code::ResourceExhausted, "JUDGES_BUSY", Failure::JudgesBusy),
    // A broken connection, as reported for a report in a stream.
    (tonic::Code::Unavailable, "", Failure::Unreachable),
];

impl Failure {
    /// Classifies an error. Returns `None` if it is not transient.
    pub(crate) fn of(error: &ClientError) -> Option<Self> {
        match error {
            ClientError::Unreachable { .. } => Some(Self::Unreachable),
            ClientError::Refused(refusal) => Self::from_code(refusal.code, &refusal.reason),
            ClientError::Tls { .. } | ClientError::TlsFile(_) | ClientError::Token(_) => None,
        }
    }

    pub(crate) fn from_code(code: tonic::Code, reason: &str) -> Option<Self> {
        let found = TRANSIENT.iter().find(|(known, of, _)| (*known, *of) == (code, reason));
        found.map(|(_, _, failure)| *failure)
    }

    pub(crate) fn is_explained_by(self, fault: FaultKind, server: usize) -> bool {
        let no_storage = matches!(self, Self::Ledger | Self::Evidence);
        let stalls = matches!(self, Self::Late | Self::TooManyCalls);
        match fault {
            // Calls fail while the server stops or starts.
            FaultKind::KillServer(hit) | FaultKind::RestartServer(hit) => {
                hit == server && (matches!(self, Self::Unreachable | Self::NotServing) || stalls)
            }
            FaultKind::PauseServer(hit) => hit == server && (self == Self::Unreachable || stalls),
            FaultKind::KillDatabase
            | FaultKind::PauseDatabase
            | FaultKind::SlowDisk(Place::Database)
            | FaultKind::FullDisk(Place::Database) => no_storage || stalls,
            FaultKind::SlowDisk(Place::Server(hit)) | FaultKind::FullDisk(Place::Server(hit)) => {
                hit == server && (no_storage || stalls)
            }
            FaultKind::SetClock(_) => false,
            FaultKind::Model(_) => self == Self::JudgesBusy || stalls,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::schedule::Outage;
    use tonic::Code;

    #[test]
    fn only_known_codes_and_reasons_are_transient() {
        assert_eq!(Failure::from_code(Code::Unavailable, "NOT_SERVING"), Some(Failure::NotServing));
        for (code, reason) in [
            (Code::Internal, "INTERNAL"),
            (Code::Unknown, ""),
            (Code::Unavailable, "SOMETHING_ELSE"),
            (Code::ResourceExhausted, ""),
            (Code::NotFound, "UNKNOWN_RESOURCE"),
        ] {
            assert_eq!(Failure::from_code(code, reason), None, "{code:?} {reason}");
        }
    }

    #[test]
    fn faults_explain_only_their_effects() {
        for (failure, fault, explains) in [
            (Failure::Unreachable, FaultKind::KillServer(1), true),
            (Failure::Unreachable, FaultKind::KillServer(2), false),
            (Failure::Unreachable, FaultKind::KillDatabase, false),
            (Failure::Ledger, FaultKind::KillDatabase, true),
            (Failure::Ledger, FaultKind::KillServer(1), false),
            (Failure::Ledger, FaultKind::FullDisk(Place::Server(1)), true),
            (Failure::Evidence, FaultKind::FullDisk(Place::Database), true),
            (Failure::Evidence, FaultKind::FullDisk(Place::Server(0)), false),
            (Failure::NotServing, FaultKind::KillServer(1), true),
            (Failure::Late, FaultKind::PauseServer(1), true),
            (Failure::Late, FaultKind::SetClock(2), false),
            (Failure::NotServing, FaultKind::RestartServer(1), true),
            (Failure::NotServing, FaultKind::KillDatabase, false),
            (Failure::Ledger, FaultKind::Model(Outage::Hangs), false),
        ] {
            assert_eq!(failure.is_explained_by(fault, 1), explains, "{failure:?} {fault}");
        }
    }
}
