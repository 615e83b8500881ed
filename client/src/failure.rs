//! Why a command did not do what it was asked, and which exit status that is.

use std::io;
use std::time::Duration;

use gsar_client::connection::{StartError, TargetError};
use gsar_client::input::InputError;
use gsar_client::{ClientError, json};
use tonic::Code;

use crate::status::Status;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
    /// A file that cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A policy file with problems; they have been shown.
    #[error("{0}")]
    Policy(String),
    /// No server to ask.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A server that cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A call without an answer.
    #[error(transparent)]
    Call(#[from] ClientError),
    /// A call that was not answered in time.
    #[error("{error}\n  the call had {} s; --deadline SECONDS gives it more", deadline.as_secs())]
    Late {
        /// The error.
        error: ClientError,
        /// How long the call had.
        deadline: Duration,
    },
    /// A server that was started for the command and ended before it.
    #[error("the server that was started for this command is gone: {0}")]
    Lost(String),
    /// An answer that cannot be written as JSON.
    #[error("the answer cannot be written as JSON: {0}")]
    Json(#[from] json::JsonError),
    /// Output that cannot be written.
    #[error("the output cannot be written: {0}")]
    Output(#[from] io::Error),
    /// A signal.
    #[error("stopped by a signal; what was printed stands")]
    Interrupted {
        /// The exit status that says which signal.
        code: u8,
    },
}

/// Whether the call named a policy that the server does not have.
fn is_of_a_policy(error: &ClientError) -> bool {
    let resource = error.refusal().and_then(|refusal| refusal.resource.as_ref());
    resource.is_some_and(|(kind, _)| kind == "policy")
}

impl Failure {
    /// Says how long a call had that was not answered in time.
    pub(crate) fn after(self, deadline: Duration) -> Self {
        match self {
            Self::Call(error)
                if error
                    .refusal()
                    .is_some_and(|refusal| refusal.code == Code::DeadlineExceeded) =>
            {
                Self::Late { error, deadline }
            }
            other => other,
        }
    }

    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Usage(_) | Self::Input(_) | Self::Policy(_) | Self::Target(_) => Status::Usage,
            Self::Start(error) if error.is_configuration() => Status::Usage,
            Self::Call(ClientError::TlsFile(_) | ClientError::Token(_)) => Status::Usage,
            Self::Interrupted { code } => Status::Interrupted(*code),
            Self::Call(error) if is_of_a_policy(error) => Status::Usage,
            Self::Start(_)
            | Self::Call(_)
            | Self::Late { .. }
            | Self::Lost(_)
            | Self::Json(_)
            | Self::Output(_) => Status::Error,
        }
    }

    /// Whether the reader of the output closed it; no message is due.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
