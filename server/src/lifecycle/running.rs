//! A running server: reloads, corpus maintenance, health, and the final drain.

use std::sync::Arc;
use std::time::Duration;

use metrics::gauge;
use tokio::task::JoinSet;
use tokio_stream::{Stream, StreamExt as _};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::StartError;
use super::listeners::Listeners;
use super::readiness::Readiness;
use super::reload;
use super::service_manager::Notifier;
use crate::api;
use crate::attestation::DeclaredChecks;
use crate::config::{Shutdown, Sources};
use crate::evaluate::Engine;
use crate::identity::IdentityStore;
use crate::server_phase::{Phase, PhaseCell};
use crate::telemetry::metrics as names;
use crate::tls::TlsStore;

/// The interval for deleting expired corpora and computing missing vectors.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);
/// The interval for updating the reported health.
const HEALTH_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum time for stopped calls to send their errors.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

pub(super) struct Running {
    pub(super) engine: Arc<Engine>,
    pub(super) phase: PhaseCell,
    pub(super) readiness: Readiness,
    pub(super) health: HealthReporter,
    pub(super) notifier: Notifier,
    pub(super) listeners: Listeners,
    pub(super) shutdown: Shutdown,
    /// The configuration sources, for reloading its `policies` table.
    pub(super) sources: Option<Sources>,
    pub(super) tls: Option<Arc<TlsStore>>,
    pub(super) identities: Arc<IdentityStore>,
    pub(super) checks: Arc<DeclaredChecks>,
    /// Aborted on drop.
    pub(super) _upkeep: JoinSet<()>,
}

impl Running {
    /// Serves until `stop` resolves or a listener fails.
    pub(super) async fn run(
        &mut self,
        stop: impl Future<Output = ()>,
        reload: impl Stream<Item = ()>,
    ) -> Result<(), StartError> {
        tokio::pin!(stop, reload);
        let mut sweep = tokio::time::interval(SWEEP_INTERVAL);
        let mut health = tokio::time::interval(HEALTH_INTERVAL);
        let mut was_ready = true;
        loop {
            tokio::select! {
                () = &mut stop => return Ok(()),
                Some(()) = reload.next() => self.reload(),
                _ = sweep.tick() => self.sweep_corpora(),
                _ = health.tick() => was_ready = self.update_health(was_ready).await,
                reason = self.listeners.wait_for_failure() => return Err(StartError::Serve(reason)),
            }
        }
    }

    fn reload(&self) {
        self.notifier.report_reloading();
        reload::reload(self);
        self.notifier.report_ready(self.readiness.obstacle().as_deref());
    }

    /// Deletes expired corpora and computes missing vectors, in the background.
    fn sweep_corpora(&self) {
        let Some(evidence) = self.engine.evidence().cloned() else { return };
        tokio::spawn(async move {
            let store = evidence.clone();
            let result = tokio::task::spawn_blocking(move || store.delete_expired()).await;
            if let Ok(Err(error)) = result {
                tracing::warn!(%error, "failed to delete expired corpora");
            }
            evidence.embed_all().await;
        });
    }

    /// Reports a change of readiness to grpc.health.v1 and the service manager. Returns the current readiness.
    async fn update_health(&self, was_ready: bool) -> bool {
        let obstacle = self.readiness.obstacle();
        match (was_ready, &obstacle) {
            (true, Some(_)) => api::set_health(&self.health, ServingStatus::NotServing).await,
            (false, None) => api::set_health(&self.health, ServingStatus::Serving).await,
            _ => return was_ready,
        }
        self.notifier.report_readiness(obstacle.as_deref());
        obstacle.is_none()
    }

    /// Announces the drain, waits for calls in flight within the grace period, and closes the ledger.
    pub(super) async fn shut_down(mut self) {
        api::set_health(&self.health, ServingStatus::NotServing).await;
        self.notifier.report_stopping();
        gauge!(names::DRAINING).set(1.0);
        tracing::info!("draining");
        let Shutdown { notice, grace } = self.shutdown;
        if !notice.0.is_zero() {
            tokio::time::sleep(notice.0).await;
        }
        self.phase.advance(Phase::Draining);
        api::clear_health(&mut self.health).await;
        if !self.listeners.finish_within(grace.0).await {
            tracing::warn!(%grace, "grace period expired with calls in flight");
            self.phase.advance(Phase::Stopped);
            // Calls that wait for other systems end with an error.
            self.listeners.finish_within(LAST_ANSWERS).await;
            self.listeners.abort();
        }
        self.engine.close().await;
        drop(self.listeners);
        tracing::info!("stopped");
    }
}
