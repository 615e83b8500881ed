//! This module speaks the two protocols of service managers such as systemd: listening sockets that are passed to the server
//! (`LISTEN_FDS`), and what the server says of its state (`NOTIFY_SOCKET`). Where nobody asked for either, it does nothing.

use sd_notify::NotifyState;

use super::passed::{PassedError, PassedSockets};

/// Who started the server, as far as the environment says; the default is nobody.
#[derive(Debug, Default)]
pub struct ServiceManager {
    pub(super) sockets: PassedSockets,
    notified: Notified,
}

impl ServiceManager {
    /// Takes the sockets that the environment names. It changes the environment, so it is called once, before there are threads.
    ///
    /// # Errors
    /// [`PassedError`] where a descriptor is no listening stream socket.
    pub fn from_environment() -> Result<Self, PassedError> {
        let notified = Notified(std::env::var_os("NOTIFY_SOCKET").is_some());
        Ok(Self { sockets: PassedSockets::from_environment()?, notified })
    }

    /// What is left once the sockets are taken.
    pub(super) fn notified(&self) -> Notified {
        self.notified
    }
}

/// Whether somebody is notified of the server's state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notified(bool);

impl Notified {
    /// Start or reload is over; `obstacle` is why calls cannot be served, if they cannot.
    pub(super) fn ready(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Ready, NotifyState::Status(&status(obstacle))]);
    }

    /// Whether calls can be served has changed.
    pub(super) fn readiness(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Status(&status(obstacle))]);
    }

    /// Files are read again, until it is ready again.
    pub(super) fn reloading(self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.notify(&[NotifyState::Reloading, now]),
            Err(error) => {
                tracing::warn!(%error, "the service manager is not notified of the reload")
            }
        }
    }

    /// No more calls are taken.
    pub(super) fn stopping(self) {
        self.notify(&[NotifyState::Stopping, NotifyState::Status("draining")]);
    }

    fn notify(self, states: &[NotifyState<'_>]) {
        if self.0
            && let Err(error) = sd_notify::notify(states)
        {
            tracing::warn!(%error, ?states, "the service manager cannot be notified");
        }
    }
}

/// A status is one line.
fn status(obstacle: Option<&str>) -> String {
    obstacle.map_or_else(|| "serving".to_owned(), |text| text.replace('\n', " "))
}
