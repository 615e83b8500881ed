//! The server's phase.

use tokio::sync::watch;

/// The phases of a server, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Starting up. Calls are refused.
    Starting,
    /// Serving.
    Ready,
    /// Shutting down. New calls are refused, and calls in flight finish.
    Draining,
    /// The grace period has expired. Running computations are stopped.
    Stopped,
}

/// The server's phase. Clones share it.
#[derive(Clone, Debug)]
pub struct PhaseCell(watch::Sender<Phase>);

impl Default for PhaseCell {
    fn default() -> Self {
        Self(watch::Sender::new(Phase::Starting))
    }
}

impl PhaseCell {
    /// Returns the current phase.
    #[must_use]
    pub fn current(&self) -> Phase {
        *self.0.borrow()
    }

    /// Moves to a later phase. An earlier phase is ignored.
    pub fn advance(&self, phase: Phase) {
        self.0.send_if_modified(|current| {
            let is_later = phase > *current;
            if is_later {
                *current = phase;
            }
            is_later
        });
    }

    /// Waits for this phase or a later one.
    pub async fn wait_for(&self, phase: Phase) {
        // The sender is in `self`, so the channel cannot close.
        let _ = self.0.subscribe().wait_for(|current| *current >= phase).await;
    }
}
