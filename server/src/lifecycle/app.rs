//! Binds the addresses, loads the configuration and starts the server.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_stream::Stream;
use tonic_health::ServingStatus;
use tonic_health::server::health_reporter;

use super::listen::bind_tcp;
use super::listeners::Listeners;
use super::readiness::Readiness;
use super::running::Running;
use super::service_manager::Notifier;
use super::{Bound, ListenError, PassedError, ServiceManager, admin, http};
use crate::api;
use crate::assembly::CheckedConfig;
use crate::attestation::Attestation;
use crate::config::Listen;
use crate::evaluate::Engine;
use crate::server_phase::{Phase, PhaseCell};
use crate::telemetry::metrics as names;

/// A server that has bound its addresses but is not serving yet.
pub struct App {
    checked: CheckedConfig,
    phase: PhaseCell,
    bound: Vec<Bound>,
    admin: Option<TcpListener>,
    gateway: Option<TcpListener>,
    notifier: Notifier,
}

/// An error that prevents a server from starting or stops it.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A gRPC address cannot be bound.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The service manager passed a socket for an address that is not configured.
    #[error(transparent)]
    Passed(#[from] PassedError),
    /// The address of the admin endpoints or of the gateway cannot be bound.
    #[error("{key} {address}: {reason}")]
    Bind {
        /// The key of the address in the configuration.
        key: &'static str,
        /// The configured address.
        address: SocketAddr,
        /// The error from the operating system.
        reason: String,
    },
    /// The ledger, the evidence store or a judge failed to load.
    #[error("{0}")]
    Load(String),
    /// The transport failed.
    #[error("serving: {0}")]
    Serve(String),
}

impl App {
    /// Binds all configured addresses.
    ///
    /// # Errors
    /// Returns a [`StartError`] that names the address and the fix.
    pub async fn bind(checked: CheckedConfig) -> Result<Self, StartError> {
        Self::bind_with(checked, ServiceManager::default()).await
    }

    /// Binds the addresses like [`Self::bind`], using sockets from the service manager where available. The
    /// service manager is notified when the server is ready, reloads and stops.
    ///
    /// # Errors
    /// Returns a [`StartError`] that names the address and the fix.
    pub async fn bind_with(
        checked: CheckedConfig,
        manager: ServiceManager,
    ) -> Result<Self, StartError> {
        let notifier = manager.notifier();
        let mut passed_sockets = manager.sockets;
        let config = checked.config();
        names::recorder().map_err(StartError::Load)?;
        let mut bound = Vec::new();
        for listen in &config.listen {
            bound.push(Bound::new(listen, &mut passed_sockets).await?);
        }
        let mut bind = async |key, address: Option<SocketAddr>| {
            let Some(address) = address else { return Ok(None) };
            let listener = bind_tcp(address, &mut passed_sockets).await;
            listener.map(Some).map_err(|error| {
                let reason = error.to_string();
                StartError::Bind { key, address, reason }
            })
        };
        let admin = bind("admin", config.admin).await?;
        let gateway = bind("gateway.address", config.gateway.address).await?;
        passed_sockets.check_all_taken()?;
        Ok(Self { checked, phase: PhaseCell::default(), bound, admin, gateway, notifier })
    }

    /// Returns the gRPC addresses, with the ports that the system chose.
    #[must_use]
    pub fn addresses(&self) -> Vec<Listen> {
        self.bound.iter().map(Bound::address).collect()
    }

    /// Returns the admin address, if one is configured.
    #[must_use]
    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Returns the gateway address, if one is configured.
    #[must_use]
    pub fn gateway_address(&self) -> Option<SocketAddr> {
        self.gateway.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Returns a handle to the server's phase.
    #[must_use]
    pub fn phase(&self) -> PhaseCell {
        self.phase.clone()
    }

    /// Serves until `stop` resolves, then drains: rejects new calls, waits for calls in flight within the
    /// grace period, flushes the ledger and removes socket files. Each item of `reload` reloads the
    /// policies, the principals, the declared checks and the TLS files.
    ///
    /// # Errors
    /// Returns a [`StartError`] if loading or the transport fails.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send,
        reload: impl Stream<Item = ()> + Send,
    ) -> Result<(), StartError> {
        let mut server = self.start().await?;
        let result = server.run(stop, reload).await;
        server.shut_down().await;
        result
    }

    async fn start(self) -> Result<Running, StartError> {
        self.log_addresses();
        let Self { mut checked, phase, bound, admin, gateway, notifier } = self;
        let readiness = Readiness::new(phase.clone());
        if let Some(listener) = admin {
            // The admin endpoints are also served during the drain.
            let router = admin::router(readiness.clone());
            tokio::spawn(http::serve(listener, router, std::future::pending()));
        }
        let (config, sources) = (checked.config().clone(), checked.take_sources());
        let (tls, identities, checks) = (checked.tls(), checked.identities(), checked.checks());
        for warning in config.exposure_warnings() {
            tracing::warn!("{warning}");
        }
        let engine = load(checked).await?;
        if let Some(ledger) = engine.ledger() {
            readiness.follow(ledger);
        }
        let (health, health_service) = health_reporter();
        api::set_health(&health, ServingStatus::NotServing).await;
        let routes = api::routes(&engine, phase.clone(), health_service, &config.limits)
            .map_err(StartError::Serve)?;

        let mut listeners = Listeners::new(&config, &phase, &identities, routes);
        for (bound, listen) in bound.into_iter().zip(&config.listen) {
            let attestation = Attestation::for_listener(&config.evidence.attested, listen, &checks);
            listeners.add_grpc(bound, attestation, tls.as_ref())?;
        }
        if let Some(listener) = gateway {
            listeners.add_gateway(listener, &config)?;
        }
        let mut upkeep = JoinSet::new();
        upkeep.spawn(names::run_upkeep());

        engine.rehearse().await.map_err(StartError::Load)?;
        phase.advance(Phase::Ready);
        api::set_health(&health, ServingStatus::Serving).await;
        listeners.open();
        notifier.report_ready(None);
        tracing::info!("ready");
        Ok(Running {
            engine,
            phase,
            readiness,
            health,
            notifier,
            listeners,
            shutdown: config.shutdown,
            sources,
            tls,
            identities,
            checks,
            _upkeep: upkeep,
        })
    }

    fn log_addresses(&self) {
        for address in self.addresses() {
            tracing::info!(%address, "listening");
        }
        if let Some(address) = self.admin_address() {
            tracing::info!(address = %format!("http://{address}"), "listening for admin");
        }
        if let Some(address) = self.gateway_address() {
            tracing::info!(address = %format!("http://{address}"), "listening for HTTP");
            if self.checked.config().gateway.console {
                tracing::info!(address = %format!("http://{address}/console/"), "serving the console");
            }
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("bound", &self.bound).finish_non_exhaustive()
    }
}

async fn load(checked: CheckedConfig) -> Result<Arc<Engine>, StartError> {
    let result = tokio::task::spawn_blocking(move || checked.build()).await;
    match result {
        Ok(Ok(engine)) => Ok(Arc::new(engine)),
        Ok(Err(reason)) => Err(StartError::Load(reason)),
        Err(panic) => Err(StartError::Load(panic.to_string())),
    }
}
