//! Serves the gRPC addresses and the gateway with shared admission limits.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt as _, TryFutureExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt as _};
use tonic::service::Routes;
use tonic::transport::Server;
use tonic::transport::server::Connected;
use tower::Layer as _;

use super::StartError;
use super::accept::accept_connections;
use super::http;
use super::listen::{Bound, Socket, SocketFile};
use crate::api::{AdmissionLayer, Permits};
use crate::attestation::Attestation;
use crate::config::{Config, Limits};
use crate::gateway;
use crate::identity::IdentityStore;
use crate::memory::{Memory, default_limit};
use crate::server_phase::{Phase, PhaseCell};
use crate::tls::{self, TlsStore};

/// The interval of HTTP/2 keepalive pings.
const KEEPALIVE: Duration = Duration::from_secs(60);

/// A server's listeners. Dropping them stops the server and removes the socket files.
pub(super) struct Listeners {
    limits: Limits,
    traced_one_in: u32,
    phase: PhaseCell,
    identities: Arc<IdentityStore>,
    routes: Routes,
    memory: Memory,
    permits: Arc<Permits>,
    /// `true` once connections to passed sockets are accepted.
    open: watch::Sender<bool>,
    tasks: JoinSet<Result<(), String>>,
    socket_files: Vec<SocketFile>,
}

impl Listeners {
    pub(super) fn new(
        config: &Config,
        phase: &PhaseCell,
        identities: &Arc<IdentityStore>,
        routes: Routes,
    ) -> Self {
        let max_bytes = config.limits.memory.map_or_else(default_limit, |limit| limit.0);
        let memory = Memory::new(max_bytes);
        Self {
            limits: config.limits.clone(),
            traced_one_in: config.traces.one_in,
            phase: phase.clone(),
            identities: Arc::clone(identities),
            routes,
            permits: Arc::new(Permits::new(config.limits.calls_in_flight, memory.clone())),
            memory,
            open: watch::Sender::new(false),
            tasks: JoinSet::new(),
            socket_files: Vec::new(),
        }
    }

    pub(super) fn add_grpc(
        &mut self,
        bound: Bound,
        attestation: Attestation,
        tls: Option<&Arc<TlsStore>>,
    ) -> Result<(), StartError> {
        let was_passed = bound.was_passed;
        match bound.socket {
            Socket::Tcp(listener, _) => {
                let incoming = accept_connections(TcpListenerStream::new(listener)).map(|stream| {
                    stream.inspect(|stream| {
                        let _ = stream.set_nodelay(true);
                    })
                });
                self.spawn_grpc(incoming, attestation, was_passed);
            }
            Socket::Tls(listener, address) => {
                let Some(tls) = tls else {
                    let reason = format!("grpcs://{address} has no certificate");
                    return Err(StartError::Load(reason));
                };
                let incoming = tls::incoming(listener, Arc::clone(tls), self.wait_for_draining());
                self.spawn_grpc(incoming, attestation, was_passed);
            }
            Socket::Unix(listener, file) => {
                self.socket_files.push(file);
                let incoming = accept_connections(UnixListenerStream::new(listener));
                self.spawn_grpc(incoming, attestation, was_passed);
            }
        }
        Ok(())
    }

    fn spawn_grpc<C>(
        &mut self,
        incoming: impl Stream<Item = io::Result<C>> + Send + 'static,
        attestation: Attestation,
        was_passed: bool,
    ) where
        C: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
    {
        let server = Server::builder()
            .http2_keepalive_interval(Some(KEEPALIVE))
            .layer(self.admission(attestation))
            .add_routes(self.routes.clone());
        let mut open = self.open.subscribe();
        // Clients may already be connected to a passed socket, and must wait until the server is ready.
        let wait_until_open = async move {
            if was_passed {
                let _ = open.wait_for(|open| *open).await;
            }
        };
        let incoming = wait_until_open.map(|()| incoming).flatten_stream();
        let serving = server.serve_with_incoming_shutdown(incoming, self.wait_for_draining());
        self.tasks.spawn(serving.map_err(|error| error.to_string()));
    }

    /// Serves the gateway. Evidence received over HTTP is never attested.
    pub(super) fn add_gateway(
        &mut self,
        listener: TcpListener,
        config: &Config,
    ) -> Result<(), StartError> {
        let service = self.admission(Attestation::default()).layer(self.routes.clone());
        let (phase, identities) = (self.phase.clone(), &self.identities);
        let router = gateway::router(service, phase, identities, config, &self.memory)
            .map_err(StartError::Serve)?;
        let draining = self.wait_for_draining();
        self.tasks.spawn(async move {
            http::serve(listener, router, draining).await;
            Ok(())
        });
        Ok(())
    }

    fn admission(&self, attestation: Attestation) -> AdmissionLayer {
        AdmissionLayer::new(
            self.phase.clone(),
            self.limits.clone(),
            Arc::clone(&self.permits),
            attestation,
            Arc::clone(&self.identities),
            self.traced_one_in,
        )
    }

    fn wait_for_draining(&self) -> impl Future<Output = ()> + Send + use<> {
        let phase = self.phase.clone();
        async move { phase.wait_for(Phase::Draining).await }
    }

    /// Starts accepting connections to passed sockets.
    pub(super) fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until a listener fails and returns the reason.
    pub(super) async fn wait_for_failure(&mut self) -> String {
        match self.tasks.join_next().await {
            Some(Ok(Err(error))) => error,
            Some(Err(error)) => error.to_string(),
            Some(Ok(Ok(()))) | None => "a listener stopped unexpectedly".to_owned(),
        }
    }

    /// Waits up to `limit` for all calls to end. Returns `true` if they did.
    pub(super) async fn finish_within(&mut self, limit: Duration) -> bool {
        let all_calls = async { while self.tasks.join_next().await.is_some() {} };
        tokio::time::timeout(limit, all_calls).await.is_ok()
    }

    pub(super) fn abort(&mut self) {
        self.tasks.abort_all();
    }
}
