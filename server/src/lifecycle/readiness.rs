//! Whether calls can be served, as /readyz and grpc.health.v1 report it: it depends on the phase of the server and on whether
//! the ledger accepts records.

use std::sync::{Arc, OnceLock};

use crate::ledger::Ledger;
use crate::phase::{Phase, PhaseCell};

/// The readiness of a server, shared by its clones.
#[derive(Clone, Debug)]
pub(super) struct Readiness {
    phase: PhaseCell,
    ledger: Arc<OnceLock<Arc<dyn Ledger>>>,
}

impl Readiness {
    pub(super) fn new(phase: PhaseCell) -> Self {
        Self { phase, ledger: Arc::default() }
    }

    /// Makes readiness depend on a ledger. Only the first one counts.
    pub(super) fn follow(&self, ledger: &Arc<dyn Ledger>) {
        let _already_set = self.ledger.set(Arc::clone(ledger));
    }

    /// Returns why calls cannot be served, or `None` if they can.
    pub(super) fn obstacle(&self) -> Option<String> {
        match self.phase.current() {
            Phase::Starting => Some("starting".to_owned()),
            Phase::Draining | Phase::Stopped => Some("draining".to_owned()),
            Phase::Ready => {
                let failure = self.ledger.get()?.health().failure?;
                Some(format!("the ledger takes no records: {}", failure.reason))
            }
        }
    }
}
