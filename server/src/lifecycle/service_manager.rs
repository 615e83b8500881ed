//! Protocols of service managers such as systemd: passed sockets (`LISTEN_FDS`) and state notifications
//! (`NOTIFY_SOCKET`). Each is inactive if its variable is not set.

use sd_notify::NotifyState;

use super::passed_sockets::{PassedError, PassedSockets};

/// The service manager that started the server, if any.
#[derive(Debug, Default)]
pub struct ServiceManager {
    pub(super) sockets: PassedSockets,
    notifier: Notifier,
}

impl ServiceManager {
    /// Takes the sockets listed in the environment. Modifies the environment, so call it once, before
    /// starting threads.
    ///
    /// # Errors
    /// Returns a [`PassedError`] if a descriptor is not a listening stream socket.
    pub fn from_environment() -> Result<Self, PassedError> {
        let notifier = Notifier(std::env::var_os("NOTIFY_SOCKET").is_some());
        Ok(Self { sockets: PassedSockets::from_environment()?, notifier })
    }

    pub(super) fn notifier(&self) -> Notifier {
        self.notifier
    }
}

/// Notifies the service manager of state changes, if requested.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notifier(bool);

impl Notifier {
    /// Reports the end of startup or of a reload. `obstacle` is the reason why calls cannot be served, if
    /// any.
    pub(super) fn report_ready(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Ready, NotifyState::Status(&status(obstacle))]);
    }

    pub(super) fn report_readiness(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Status(&status(obstacle))]);
    }

    /// Reports the start of a reload, which [`Self::report_ready`] ends.
    pub(super) fn report_reloading(self) {
        match NotifyState::monotonic_usec_now() {
            Ok(timestamp) => self.notify(&[NotifyState::Reloading, timestamp]),
            Err(error) => {
                tracing::warn!(%error, "failed to notify the service manager of the reload")
            }
        }
    }

    pub(super) fn report_stopping(self) {
        self.notify(&[NotifyState::Stopping, NotifyState::Status("draining")]);
    }

    fn notify(self, states: &[NotifyState<'_>]) {
        if self.0
            && let Err(error) = sd_notify::notify(states)
        {
            tracing::warn!(%error, ?states, "failed to notify the service manager");
        }
    }
}

/// Formats a status, which must be a single line.
fn status(obstacle: Option<&str>) -> String {
    obstacle.map_or_else(|| "serving".to_owned(), |text| text.replace('\n', " "))
}
