//! The two protocols of service managers such as systemd: listening sockets passed to the server (`LISTEN_FDS`), and
//! notifications about its state (`NOTIFY_SOCKET`). Does nothing when neither variable is set.

use sd_notify::NotifyState;

use super::passed::{PassedError, PassedSockets};

/// The service manager that started the server, as given by the environment. The default is none.
#[derive(Debug, Default)]
pub struct ServiceManager {
    pub(super) sockets: PassedSockets,
    notifier: Notifier,
}

impl ServiceManager {
    /// Takes the sockets that the environment names. It changes the environment, so call it once, before any thread is started.
    ///
    /// # Errors
    /// [`PassedError`] if a descriptor is not a listening stream socket.
    pub fn from_environment() -> Result<Self, PassedError> {
        let notifier = Notifier(std::env::var_os("NOTIFY_SOCKET").is_some());
        Ok(Self { sockets: PassedSockets::from_environment()?, notifier })
    }

    pub(super) fn notifier(&self) -> Notifier {
        self.notifier
    }
}

/// Notifies the service manager of the server's state, if it asked for that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Notifier(bool);

impl Notifier {
    /// Reports that the start or a reload has finished. `obstacle` is the reason why calls cannot be served, if any.
    pub(super) fn ready(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Ready, NotifyState::Status(&status(obstacle))]);
    }

    /// Reports a change of readiness.
    pub(super) fn readiness(self, obstacle: Option<&str>) {
        self.notify(&[NotifyState::Status(&status(obstacle))]);
    }

    /// Reports that a reload has begun; [`Self::ready`] ends it.
    pub(super) fn reloading(self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.notify(&[NotifyState::Reloading, now]),
            Err(error) => {
                tracing::warn!(%error, "failed to notify the service manager of the reload")
            }
        }
    }

    /// Reports that the server drains.
    pub(super) fn stopping(self) {
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

/// A status is a single line.
fn status(obstacle: Option<&str>) -> String {
    obstacle.map_or_else(|| "serving".to_owned(), |text| text.replace('\n', " "))
}
