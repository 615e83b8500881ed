//! Where a server is in its life. It only moves forward.

use tokio::sync::watch;

/// Starting, then ready, then draining, then stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Loading; calls are refused.
    Starting,
    /// Serving.
    Ready,
    /// Stopping; new calls are refused, those in progress finish.
    Draining,
    /// The time of those in progress has passed: what still computes stops.
    Stopped,
}

/// The phase, shared by everything that depends on it.
#[derive(Clone, Debug)]
pub struct PhaseCell(watch::Sender<Phase>);

impl Default for PhaseCell {
    fn default() -> Self {
        Self(watch::Sender::new(Phase::Starting))
    }
}

impl PhaseCell {
    /// The phase now.
    #[must_use]
    pub fn current(&self) -> Phase {
        *self.0.borrow()
    }

    /// Moves on; moving back changes nothing.
    pub fn advance(&self, to: Phase) {
        self.0.send_if_modified(|phase| {
            let forward = to > *phase;
            if forward {
                *phase = to;
            }
            forward
        });
    }

    /// Returns once the phase is `phase` or later.
    pub async fn reached(&self, phase: Phase) {
        // The sender lives in self, so the channel cannot close.
        let _ = self.0.subscribe().wait_for(|now| *now >= phase).await;
    }
}
