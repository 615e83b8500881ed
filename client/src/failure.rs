//! Errors of commands and their exit statuses.

use std::io;
use std::time::Duration;

use gsar_client::connection::{StartError, TargetError};
use gsar_client::input::InputError;
use gsar_client::{ClientError, json};
use tonic::Code;

use crate::exit_status::Status;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Invalid arguments.
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Input(#[from] InputError),
    /// An invalid policy file.
    #[error("{0}")]
    Policy(String),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Call(#[from] ClientError),
    /// A call exceeded its deadline.
    #[error("{error}\n  the deadline was {} s; increase it with --deadline SECONDS", deadline.as_secs())]
    DeadlineExceeded { error: ClientError, deadline: Duration },
    /// A temporary server exited during the command.
    #[error("the temporary server exited: {0}")]
    ServerExited(String),
    #[error("failed to encode the response as JSON: {0}")]
    Json(#[from] json::JsonError),
    #[error("failed to write the output: {0}")]
    Output(#[from] io::Error),
    #[error("interrupted by a signal; the output so far is valid")]
    Interrupted { code: u8 },
}

fn is_unknown_policy(error: &ClientError) -> bool {
    let resource = error.refusal().and_then(|refusal| refusal.resource.as_ref());
    resource.is_some_and(|(kind, _)| kind == "policy")
}

impl Failure {
    /// Adds the deadline to an error that it caused.
    pub(crate) fn with_deadline(self, deadline: Duration) -> Self {
        match self {
            Self::Call(error)
                if error
                    .refusal()
                    .is_some_and(|refusal| refusal.code == Code::DeadlineExceeded) =>
            {
                Self::DeadlineExceeded { error, deadline }
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
            Self::Call(error) if is_unknown_policy(error) => Status::Usage,
            Self::Start(_)
            | Self::Call(_)
            | Self::DeadlineExceeded { .. }
            | Self::ServerExited(_)
            | Self::Json(_)
            | Self::Output(_) => Status::Error,
        }
    }

    /// Returns `true` if the reader closed the pipe, which is not reported.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
