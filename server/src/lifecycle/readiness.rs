//! The readiness reported by /readyz and grpc.health.v1. It depends on the server's phase and on the ledger.

use std::sync::{Arc, OnceLock};

use crate::ledger::Ledger;
use crate::server_phase::{Phase, PhaseCell};

/// The readiness of a server. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Readiness {
    phase: PhaseCell,
    ledger: Arc<OnceLock<Arc<dyn Ledger>>>,
}

impl Readiness {
    pub(super) fn new(phase: PhaseCell) -> Self {
        Self { phase, ledger: Arc::default() }
    }

    /// Makes readiness depend on a ledger. Later calls have no effect.
    pub(super) fn follow(&self, ledger: &Arc<dyn Ledger>) {
        let _set_result = self.ledger.set(Arc::clone(ledger));
    }

    /// Returns the reason why calls cannot be served, if any.
    pub(super) fn obstacle(&self) -> Option<String> {
        match self.phase.current() {
            Phase::Starting => Some("starting".to_owned()),
            Phase::Draining | Phase::Stopped => Some("draining".to_owned()),
            Phase::Ready => {
                let failure = self.ledger.get()?.health().failure?;
                Some(format!("the ledger rejects records: {}", failure.reason))
            }
        }
    }
}
