//! This module says whether calls can be served now, as /readyz and grpc.health.v1 answer: by the phase of the server, and
//! by whether the ledger takes records.

use std::sync::{Arc, OnceLock};

use super::{Phase, PhaseCell};
use crate::ledger::Ledger;

/// Whether calls can be served; a clone says the same.
#[derive(Clone, Debug)]
pub(super) struct Readiness {
    phase: PhaseCell,
    ledger: Arc<OnceLock<Arc<dyn Ledger>>>,
}

impl Readiness {
    pub(super) fn new(phase: PhaseCell) -> Self {
        Self { phase, ledger: Arc::default() }
    }

    /// From now on it follows this ledger as well.
    pub(super) fn follow(&self, ledger: &Arc<dyn Ledger>) {
        let _followed_already = self.ledger.set(Arc::clone(ledger));
    }

    /// Why calls cannot be served; `None` where they can.
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
