//! The phase of a server's life. It only moves forward.

use tokio::sync::watch;

/// Starting, then ready, then draining, then stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Loading; calls are refused.
    Starting,
    /// Serving.
    Ready,
    /// Shutting down; new calls are refused and calls in flight finish.
    Draining,
    /// The grace period has expired: running computations stop.
    Stopped,
}

/// The phase of a server, shared by its clones.
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

    /// Moves to a later phase. An earlier one is ignored.
    pub fn advance(&self, to: Phase) {
        self.0.send_if_modified(|phase| {
            let forward = to > *phase;
            if forward {
                *phase = to;
            }
            forward
        });
    }

    /// Waits until the phase is `phase` or later.
    pub async fn reached(&self, phase: Phase) {
        // `self` owns the sender, so the channel cannot close.
        let _ = self.0.subscribe().wait_for(|now| *now >= phase).await;
    }
}
