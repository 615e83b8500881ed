//! Assembly, serving and the rehearsed shutdown.

use std::future::Future;
use std::sync::Arc;

use futures_util::{FutureExt as _, TryFutureExt as _};
use metrics::gauge;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt as _};
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::Layer as _;

use super::accept::accepted;
use super::listen::{Socket, tcp};
use super::readiness::Readiness;
use super::reload::Reload;
use super::service_manager::Notified;
use super::{Bound, ListenError, PassedError, Phase, PhaseCell, ServiceManager, admin, http};
use crate::api::{self, AdmissionLayer, Permits};
use crate::assembly::CheckedConfig;
use crate::attestation::Attestation;
use crate::config::Listen;
use crate::evaluate::Engine;
use crate::gateway;
use crate::memory::{Memory, half_of_machine};
use crate::telemetry::metrics as names;
use crate::tls;

/// A server that is bound and not yet serving.
pub struct App {
    checked: CheckedConfig,
    phase: PhaseCell,
    bound: Vec<Bound>,
    admin: Option<TcpListener>,
    gateway: Option<TcpListener>,
    notified: Notified,
}

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The service manager passed a socket that nothing is served on.
    #[error(transparent)]
    Passed(#[from] PassedError),
    /// The admin port cannot be listened on.
    #[error("admin {address}: {reason}")]
    Admin {
        /// The configured address.
        address: String,
        /// Why.
        reason: String,
    },
    /// The gateway's address cannot be listened on.
    #[error("gateway.address {address}: {reason}")]
    Gateway {
        /// The configured address.
        address: String,
        /// Why.
        reason: String,
    },
    /// Ledger, evidence or judges cannot be had although the configuration is sound.
    #[error("{0}")]
    Load(String),
    /// The transport broke.
    #[error("serving: {0}")]
    Serve(String),
}

impl App {
    /// Binds every address of a configuration that was checked, before anything is opened.
    ///
    /// # Errors
    /// [`StartError`] naming the address and what to do.
    pub async fn bind(checked: CheckedConfig) -> Result<Self, StartError> {
        Self::bind_under(checked, ServiceManager::default()).await
    }

    /// As [`Self::bind`], with the sockets that the service manager passed in place of new ones; it is notified when the server is
    /// ready, reads files anew and stops.
    ///
    /// # Errors
    /// [`StartError`] naming the address and what to do.
    pub async fn bind_under(
        checked: CheckedConfig,
        manager: ServiceManager,
    ) -> Result<Self, StartError> {
        let notified = manager.notified();
        let mut passed = manager.sockets;
        let config = checked.config();
        names::recorder().map_err(StartError::Load)?;
        let mut bound = Vec::new();
        for listen in &config.listen {
            bound.push(Bound::new(listen, &mut passed).await?);
        }
        let admin = match config.admin {
            None => None,
            Some(address) => Some(tcp(address, &mut passed).await.map_err(|error| {
                StartError::Admin { address: address.to_string(), reason: error.to_string() }
            })?),
        };
        let gateway = match config.gateway.address {
            None => None,
            Some(address) => Some(tcp(address, &mut passed).await.map_err(|error| {
                StartError::Gateway { address: address.to_string(), reason: error.to_string() }
            })?),
        };
        passed.all_taken()?;
        Ok(Self { checked, phase: PhaseCell::default(), bound, admin, gateway, notified })
    }

    /// Logs every address, with what is served there.
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

    /// The gateway's address, where there is one.
    #[must_use]
    pub fn gateway_address(&self) -> Option<std::net::SocketAddr> {
        self.gateway.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// The addresses as they can be connected to.
    #[must_use]
    pub fn addresses(&self) -> Vec<Listen> {
        self.bound.iter().map(Bound::address).collect()
    }

    /// The admin address, where there is one.
    #[must_use]
    pub fn admin_address(&self) -> Option<std::net::SocketAddr> {
        self.admin.as_ref().and_then(|listener| listener.local_addr().ok())
    }

    /// Where the server is in its life; shared.
    #[must_use]
    pub fn phase(&self) -> PhaseCell {
        self.phase.clone()
    }

    /// Serves until `stop` resolves, then drains: health says NOT_SERVING, new calls are refused, calls in
    /// progress finish within the grace, the ledger is flushed, sockets are removed. Each item of `reload` has the
    /// policies, the principals and the files of TLS read again.
    ///
    /// # Errors
    /// [`StartError`] when loading fails or the transport breaks.
    pub async fn serve(
        self,
        stop: impl Future<Output = ()> + Send,
        reload: impl Stream<Item = ()> + Send,
    ) -> Result<(), StartError> {
        self.log_addresses();
        let Self { mut checked, phase, bound, admin, gateway, notified } = self;
        let sources = checked.take_sources();
        let config = checked.config().clone();
        let readiness = Readiness::new(phase.clone());
        if let Some(listener) = admin {
            // Outlives the drain, so that /readyz and /metrics answer to the end.
            let router = admin::router(readiness.clone());
            tokio::spawn(http::serve(listener, router, std::future::pending()));
        }
        let (tls, identities, checks) = (checked.tls(), checked.identities(), checked.checks());
        for exposed in config.exposed() {
            tracing::warn!("{exposed}");
        }
        let engine = load(checked).await?;
        if let Some(ledger) = engine.ledger() {
            readiness.follow(ledger);
        }
        let (mut health, health_service) = tonic_health::server::health_reporter();
        api::set_health(&health, ServingStatus::NotServing).await;
        let routes = api::routes(&engine, phase.clone(), health_service, &config.limits)
            .map_err(StartError::Serve)?;

        let memory = config.limits.memory.map_or_else(half_of_machine, |bound| bound.0);
        let memory = Memory::new(memory);
        let permits = Arc::new(Permits::new(config.limits.calls_in_flight, memory.clone()));
        let admission = |attestation| {
            let permits = Arc::clone(&permits);
            let (limits, identities) = (config.limits.clone(), Arc::clone(&identities));
            let one_in = config.traces.one_in;
            AdmissionLayer::new(phase.clone(), limits, permits, attestation, identities, one_in)
        };
        let mut upkeep = JoinSet::new();
        upkeep.spawn(names::keep_up());
        let mut serving = JoinSet::new();
        let mut socket_files = Vec::new();
        let (open, opened) = watch::channel(false);
        for (bound, listen) in bound.into_iter().zip(&config.listen) {
            let attestation = Attestation::of_listener(&config.evidence.attested, listen, &checks);
            let server = Server::builder()
                .http2_keepalive_interval(Some(std::time::Duration::from_secs(60)))
                .layer(admission(attestation))
                .add_routes(routes.clone());
            let draining = phase.clone();
            let drained = async move { draining.reached(Phase::Draining).await };
            let mut opened = opened.clone();
            // Callers at a socket that was open before wait until they can be served, and are not refused.
            let accepting = async move {
                if bound.was_passed {
                    let _ = opened.wait_for(|open| *open).await;
                }
            };
            match bound.socket {
                Socket::Tcp(listener, _) => {
                    let incoming = accepted(TcpListenerStream::new(listener));
                    let incoming = incoming.map(|stream| {
                        stream.inspect(|stream| {
                            let _ = stream.set_nodelay(true);
                        })
                    });
                    let incoming = accepting.map(|()| incoming).flatten_stream();
                    let served = server.serve_with_incoming_shutdown(incoming, drained);
                    serving.spawn(served.map_err(|error| error.to_string()));
                }
                Socket::Tls(listener, address) => {
                    let Some(tls) = tls.clone() else {
                        let reason = format!("grpcs://{address} has no certificate");
                        return Err(StartError::Load(reason));
                    };
                    let stopped = phase.clone();
                    let stopped = async move { stopped.reached(Phase::Draining).await };
                    let incoming = tls::incoming(listener, tls, stopped);
                    let incoming = accepting.map(|()| incoming).flatten_stream();
                    let served = server.serve_with_incoming_shutdown(incoming, drained);
                    serving.spawn(served.map_err(|error| error.to_string()));
                }
                Socket::Unix(listener, file) => {
                    socket_files.push(file);
                    let incoming = accepted(UnixListenerStream::new(listener));
                    let incoming = accepting.map(|()| incoming).flatten_stream();
                    let served = server.serve_with_incoming_shutdown(incoming, drained);
                    serving.spawn(served.map_err(|error| error.to_string()));
                }
            }
        }

        if let Some(listener) = gateway {
            // Nothing that comes over HTTP is attested.
            let service = admission(Attestation::default()).layer(routes);
            let gateway = gateway::router(service, phase.clone(), &identities, &config, &memory);
            let gateway = gateway.map_err(StartError::Serve)?;
            let draining = phase.clone();
            let drained = async move { draining.reached(Phase::Draining).await };
            serving.spawn(async move {
                http::serve(listener, gateway, drained).await;
                Ok(())
            });
        }

        engine.rehearse().await.map_err(StartError::Load)?;
        phase.advance(Phase::Ready);
        api::set_health(&health, ServingStatus::Serving).await;
        open.send_replace(true);
        notified.ready(None);
        tracing::info!("ready");

        let read_anew = Reload {
            policies: engine.policies(),
            sources: sources.as_ref(),
            tls: tls.as_deref(),
            identities: &identities,
            checks: &checks,
        };
        let working = Working { engine: &engine, readiness: &readiness, health: &health, notified };
        let broken = until_stopped(stop, reload, &working, &read_anew, &mut serving).await;

        api::set_health(&health, ServingStatus::NotServing).await;
        notified.stopping();
        gauge!(names::DRAINING).set(1.0);
        tracing::info!("draining");
        if !config.shutdown.notice.0.is_zero() {
            tokio::time::sleep(config.shutdown.notice.0).await;
        }
        phase.advance(Phase::Draining);
        api::clear_health(&mut health).await;
        let finished = tokio::time::timeout(config.shutdown.grace.0, async {
            while serving.join_next().await.is_some() {}
        });
        if finished.await.is_err() {
            tracing::warn!(grace = %config.shutdown.grace, "calls were still in progress at the end of the grace");
            phase.advance(Phase::Stopped);
            let answered = tokio::time::timeout(LAST_ANSWERS, async {
                while serving.join_next().await.is_some() {}
            });
            // Those that wait for others are not answered.
            let _ = answered.await;
            serving.abort_all();
        }
        engine.close().await;
        drop(socket_files);
        tracing::info!("stopped");
        broken
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("bound", &self.bound).finish_non_exhaustive()
    }
}

async fn load(checked: CheckedConfig) -> Result<Arc<Engine>, StartError> {
    let loaded = tokio::task::spawn_blocking(move || checked.build()).await;
    match loaded {
        Ok(Ok(engine)) => Ok(Arc::new(engine)),
        Ok(Err(reason)) => Err(StartError::Load(reason)),
        Err(panic) => Err(StartError::Load(panic.to_string())),
    }
}

/// How long the answers of computations that are stopped may take to go out.
const LAST_ANSWERS: std::time::Duration = std::time::Duration::from_millis(250);

/// How often corpora are looked after.
const SWEEP: std::time::Duration = std::time::Duration::from_secs(600);

/// Deletes the corpora whose time has passed, and embeds those whose vectors are not complete, beside all calls.
fn look_after(engine: &Engine) {
    if let Some(evidence) = engine.evidence().cloned() {
        tokio::spawn(async move {
            let expiring = evidence.clone();
            let deleted = tokio::task::spawn_blocking(move || expiring.delete_expired()).await;
            if let Ok(Err(error)) = deleted {
                tracing::warn!(%error, "corpora whose time has passed stay");
            }
            evidence.embed_all().await;
        });
    }
}

/// How often health is brought to what the ledger says.
const LOOK: std::time::Duration = std::time::Duration::from_secs(1);

/// What is looked after while the server serves.
struct Working<'a> {
    engine: &'a Engine,
    readiness: &'a Readiness,
    health: &'a HealthReporter,
    notified: Notified,
}

impl Working<'_> {
    /// Tells grpc.health.v1 and the service manager where readiness has changed; whether calls can be served.
    async fn tell_health(&self, was_ready: bool) -> bool {
        let obstacle = self.readiness.obstacle();
        match (was_ready, &obstacle) {
            (true, Some(_)) => api::set_health(self.health, ServingStatus::NotServing).await,
            (false, None) => api::set_health(self.health, ServingStatus::Serving).await,
            _ => return was_ready,
        }
        self.notified.readiness(obstacle.as_deref());
        obstacle.is_none()
    }
}

async fn until_stopped(
    stop: impl Future<Output = ()>,
    reload: impl Stream<Item = ()>,
    working: &Working<'_>,
    read_anew: &Reload<'_>,
    serving: &mut JoinSet<Result<(), String>>,
) -> Result<(), StartError> {
    tokio::pin!(stop, reload);
    let mut sweep = tokio::time::interval(SWEEP);
    let mut look = tokio::time::interval(LOOK);
    let mut is_ready = true;
    loop {
        tokio::select! {
            () = &mut stop => return Ok(()),
            Some(()) = reload.next() => {
                working.notified.reloading();
                read_anew.all();
                working.notified.ready(working.readiness.obstacle().as_deref());
            }
            _ = sweep.tick() => look_after(working.engine),
            _ = look.tick() => is_ready = working.tell_health(is_ready).await,
            ended = serving.join_next() => {
                let reason = match ended {
                    Some(Ok(Err(error))) => error,
                    Some(Err(error)) => error.to_string(),
                    Some(Ok(Ok(()))) | None => "a listener ended by itself".to_owned(),
                };
                return Err(StartError::Serve(reason));
            }
        }
    }
}
