//! Compares failed calls with the active faults.

use gsar_client::ClientError;

use crate::faults::schedule::{Place, What};

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
            ClientError::Refused(refusal) => Self::named(refusal.code, &refusal.reason),
            ClientError::Tls { .. } | ClientError::TlsFile(_) | ClientError::Token(_) => None,
        }
    }

    pub(crate) fn named(code: tonic::Code, reason: &str) -> Option<Self> {
        let found = TRANSIENT.iter().find(|(known, of, _)| (*known, *of) == (code, reason));
        found.map(|(_, _, failure)| *failure)
    }

    pub(crate) fn is_explained_by(self, fault: What, server: usize) -> bool {
        let no_storage = matches!(self, Self::Ledger | Self::Evidence);
        let stalls = matches!(self, Self::Late | Self::TooManyCalls);
        match fault {
            // Calls fail while the server stops or starts.
            What::KillServer(hit) | What::RestartServer(hit) => {
                hit == server && (matches!(self, Self::Unreachable | Self::NotServing) || stalls)
            }
            What::PauseServer(hit) => hit == server && (self == Self::Unreachable || stalls),
            What::KillDatabase
            | What::PauseDatabase
            | What::SlowDisk(Place::Database)
            | What::FullDisk(Place::Database) => no_storage || stalls,
            What::SlowDisk(Place::Server(hit)) | What::FullDisk(Place::Server(hit)) => {
                hit == server && (no_storage || stalls)
            }
            What::SetClock(_) => false,
            What::Model(_) => self == Self::JudgesBusy || stalls,
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
        assert_eq!(Failure::named(Code::Unavailable, "NOT_SERVING"), Some(Failure::NotServing));
        for (code, reason) in [
            (Code::Internal, "INTERNAL"),
            (Code::Unknown, ""),
            (Code::Unavailable, "SOMETHING_ELSE"),
            (Code::ResourceExhausted, ""),
            (Code::NotFound, "UNKNOWN_RESOURCE"),
        ] {
            assert_eq!(Failure::named(code, reason), None, "{code:?} {reason}");
        }
    }

    #[test]
    fn faults_explain_only_their_effects() {
        for (failure, fault, explains) in [
            (Failure::Unreachable, What::KillServer(1), true),
            (Failure::Unreachable, What::KillServer(2), false),
            (Failure::Unreachable, What::KillDatabase, false),
            (Failure::Ledger, What::KillDatabase, true),
            (Failure::Ledger, What::KillServer(1), false),
            (Failure::Ledger, What::FullDisk(Place::Server(1)), true),
            (Failure::Evidence, What::FullDisk(Place::Database), true),
            (Failure::Evidence, What::FullDisk(Place::Server(0)), false),
            (Failure::NotServing, What::KillServer(1), true),
            (Failure::Late, What::PauseServer(1), true),
            (Failure::Late, What::SetClock(2), false),
            (Failure::NotServing, What::RestartServer(1), true),
            (Failure::NotServing, What::KillDatabase, false),
            (Failure::Ledger, What::Model(Outage::Hangs), false),
        ] {
            assert_eq!(failure.is_explained_by(fault, 1), explains, "{failure:?} {fault}");
        }
    }
}
