//! Connections to one or several servers, load balancing and the retry budget.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper_util::rt::TokioIo;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::endpoint::Endpoint;
use crate::error::{ClientError, Refusal};
use crate::tls::{self, LastFailure, TlsFailure, TlsFiles};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// tonic's message for a response that is not HTTP/2, such as one from a TLS server.
const NO_HTTP_2: &str = "http2 error";

/// The time for which a server is skipped after a failure, unless all servers have failed.
const FAILURE_COOLDOWN: Duration = Duration::from_secs(1);
/// The retry budget: this ratio of the calls in a window, plus a minimum rate.
const RETRY_RATIO: f32 = 0.2;
const MIN_RETRIES_PER_SECOND: u32 = 10;
const RETRY_WINDOW: Duration = Duration::from_secs(10);

/// Connections to equivalent servers.
#[derive(Debug)]
pub(crate) struct Pool {
    first: Arc<Connection>,
    others: Vec<Arc<Connection>>,
    next: AtomicUsize,
    retry_budget: TpsBudget,
}

impl Pool {
    /// Connects to all servers. If none is reachable, returns the error of the first one.
    pub(crate) async fn connect(
        first: &Endpoint,
        others: &[Endpoint],
        files: &TlsFiles,
    ) -> Result<Self, ClientError> {
        let first_result = Connection::open(first, files).await;
        let mut is_any_reachable = first_result.is_ok();
        let mut connections = Vec::new();
        for endpoint in others {
            let connection = Connection::open(endpoint, files).await;
            is_any_reachable |= connection.is_ok();
            connections.push(match connection {
                Ok(connection) => connection,
                Err(_) => Connection::open_lazy(endpoint, files).await?,
            });
        }
        let first = match first_result {
            Ok(connection) => connection,
            Err(error) if !is_any_reachable => return Err(error),
            Err(_) => Connection::open_lazy(first, files).await?,
        };
        Ok(Self {
            first: Arc::new(first),
            others: connections.into_iter().map(Arc::new).collect(),
            next: AtomicUsize::new(0),
            retry_budget: TpsBudget::new(RETRY_WINDOW, MIN_RETRIES_PER_SECOND, RETRY_RATIO),
        })
    }

    pub(crate) fn first(&self) -> &Connection {
        &self.first
    }

    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns the connection for the next call, rotating over the servers without a recent failure.
    pub(crate) fn next(&self) -> Arc<Connection> {
        let connections = || std::iter::once(&self.first).chain(&self.others);
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let healthy: Vec<_> =
            connections().filter(|connection| !connection.failed_recently()).collect();
        let chosen = match healthy.len() {
            0 => connections().nth(index % (self.others.len() + 1)),
            count => healthy.get(index % count).copied(),
        };
        Arc::clone(chosen.unwrap_or(&self.first))
    }

    pub(crate) fn count_call(&self) {
        self.retry_budget.deposit();
    }

    /// Returns `false` if the retry budget is exhausted.
    pub(crate) fn withdraw_retry(&self) -> bool {
        self.retry_budget.withdraw()
    }
}

/// A connection to a server. The channel reconnects if it breaks.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) channel: Channel,
    pub(crate) endpoint: Endpoint,
    last_failure: LastFailure,
    failed_at: Mutex<Option<Instant>>,
}

impl Connection {
    async fn open(endpoint: &Endpoint, files: &TlsFiles) -> Result<Self, ClientError> {
        Self::dial(endpoint, files, true).await
    }

    /// Creates a connection that is established on first use, and marks its server as failed.
    async fn open_lazy(endpoint: &Endpoint, files: &TlsFiles) -> Result<Self, ClientError> {
        let connection = Self::dial(endpoint, files, false).await?;
        connection.record_failure();
        Ok(connection)
    }

    async fn dial(
        endpoint: &Endpoint,
        files: &TlsFiles,
        is_eager: bool,
    ) -> Result<Self, ClientError> {
        let last_failure = LastFailure::default();
        let unreachable = |error: tonic::transport::Error| match last_failure.get() {
            Some(failure) => tls_error(endpoint, failure),
            None => {
                ClientError::Unreachable { endpoint: endpoint.clone(), reason: root_cause(&error) }
            }
        };
        let channel = match endpoint {
            Endpoint::Unix(path) => {
                let path = path.clone();
                let connector = tower::service_fn(move |_| {
                    let path = path.clone();
                    async move { tokio::net::UnixStream::connect(path).await.map(TokioIo::new) }
                });
                // HTTP/2 requires a host, which a Unix socket does not have.
                let settings = settings("http://localhost").map_err(unreachable)?;
                match is_eager {
                    true => settings.connect_with_connector(connector).await,
                    false => Ok(settings.connect_with_connector_lazy(connector)),
                }
            }
            Endpoint::Tcp(address) => {
                let settings = settings(&format!("http://{address}")).map_err(unreachable)?;
                if is_eager { settings.connect().await } else { Ok(settings.connect_lazy()) }
            }
            Endpoint::Tls(address) => {
                let config = tls::client_config(files)?;
                let origin = format!("https://{address}").parse();
                let origin = origin.map_err(|_| invalid_host(endpoint))?;
                let connector = tls::connector(address, config, files, last_failure.clone());
                // The connector performs TLS; `https` is only the scheme of requests.
                let settings = settings(&format!("http://{address}")).map_err(unreachable)?;
                let settings = settings.origin(origin);
                match is_eager {
                    true => settings.connect_with_connector(connector).await,
                    false => Ok(settings.connect_with_connector_lazy(connector)),
                }
            }
        };
        Ok(Self {
            channel: channel.map_err(unreachable)?,
            endpoint: endpoint.clone(),
            last_failure: last_failure.clone(),
            failed_at: Mutex::default(),
        })
    }

    pub(crate) fn record_failure(&self) {
        *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn failed_recently(&self) -> bool {
        let failed_at = *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        failed_at.is_some_and(|instant| instant.elapsed() < FAILURE_COOLDOWN)
    }

    pub(crate) fn status_error(&self, method: &'static str, status: &Status) -> ClientError {
        self.error(Refusal::from_status(method, status))
    }

    /// Converts a refusal to an error, detecting TLS failures and broken connections.
    pub(crate) fn error(&self, refusal: Refusal) -> ClientError {
        if refusal.reason.is_empty()
            && let Some(failure) = self.last_failure.get()
        {
            return tls_error(&self.endpoint, failure);
        }
        if let Endpoint::Tcp(address) = &self.endpoint
            && refusal.reason.is_empty()
            && refusal.code == Code::Internal
            && refusal.message.contains(NO_HTTP_2)
        {
            let endpoint = self.endpoint.clone();
            let reason = format!(
                "the response is not HTTP/2; if the server uses TLS, use the endpoint grpcs://{address}"
            );
            return ClientError::Unreachable { endpoint, reason };
        }
        let is_broken = refusal.code == Code::Unavailable && refusal.reason.is_empty();
        if is_broken {
            let endpoint = self.endpoint.clone();
            return ClientError::Unreachable { endpoint, reason: refusal.message };
        }
        Box::new(refusal).into()
    }
}

fn tls_error(endpoint: &Endpoint, TlsFailure { reason, fix }: TlsFailure) -> ClientError {
    ClientError::Tls { endpoint: endpoint.clone(), reason, fix }
}

fn invalid_host(endpoint: &Endpoint) -> ClientError {
    let reason = "invalid host name".to_owned();
    ClientError::Unreachable { endpoint: endpoint.clone(), reason }
}

fn settings(uri: &str) -> Result<tonic::transport::Endpoint, tonic::transport::Error> {
    Ok(tonic::transport::Endpoint::from_shared(uri.to_owned())?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_adaptive_window(true))
}

/// Returns the innermost source of an error, which is the most specific one.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
