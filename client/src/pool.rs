//! Connects to one or several servers, selects the one for each call, and limits retries.

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

/// The connection timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The message of tonic if the response is not HTTP/2, as from a server with TLS.
const NO_HTTP_2: &str = "http2 error";

/// How long a failed server is skipped while others are available.
const PASSED_OVER: Duration = Duration::from_secs(1);
/// Retries are limited to this share of the calls in a window, but at least to a minimum rate.
const REPEATED_SHARE: f32 = 0.2;
const REPEATED_EACH_SECOND: u32 = 10;
const WINDOW: Duration = Duration::from_secs(10);

/// Connections to equivalent servers.
#[derive(Debug)]
pub(crate) struct Pool {
    first: Arc<Connection>,
    others: Vec<Arc<Connection>>,
    next: AtomicUsize,
    repetitions: TpsBudget,
}

impl Pool {
    /// Connects to servers, at least one of which must be reachable now.
    ///
    /// # Errors
    /// Returns the error of the first server if none is reachable, or an error of the TLS files.
    pub(crate) async fn connect(
        first: &Endpoint,
        others: &[Endpoint],
        files: &TlsFiles,
    ) -> Result<Self, ClientError> {
        let connected = Connection::open(first, files).await;
        let mut answers = connected.is_ok();
        let mut connections = Vec::new();
        for endpoint in others {
            let connection = Connection::open(endpoint, files).await;
            answers |= connection.is_ok();
            connections.push(match connection {
                Ok(connection) => connection,
                Err(_) => Connection::open_lazy(endpoint, files).await?,
            });
        }
        let first = match connected {
            Ok(connection) => connection,
            Err(error) if !answers => return Err(error),
            Err(_) => Connection::open_lazy(first, files).await?,
        };
        Ok(Self {
            first: Arc::new(first),
            others: connections.into_iter().map(Arc::new).collect(),
            next: AtomicUsize::new(0),
            repetitions: TpsBudget::new(WINDOW, REPEATED_EACH_SECOND, REPEATED_SHARE),
        })
    }

    /// Returns the connection to the first server.
    pub(crate) fn first(&self) -> &Connection {
        &self.first
    }

    /// Returns `true` if there are several servers.
    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns the connection for the next call. Rotates over the servers that did not fail recently, or over all if
    /// all failed.
    pub(crate) fn next(&self) -> Arc<Connection> {
        let all = || std::iter::once(&self.first).chain(&self.others);
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let healthy: Vec<_> = all().filter(|connection| !connection.failed_recently()).collect();
        let chosen = match healthy.len() {
            0 => all().nth(turn % (self.others.len() + 1)),
            count => healthy.get(turn % count).copied(),
        };
        Arc::clone(chosen.unwrap_or(&self.first))
    }

    /// Adds a call to the retry budget.
    pub(crate) fn count_call(&self) {
        self.repetitions.deposit();
    }

    /// Withdraws a retry from the budget; `false` if the budget is exhausted.
    pub(crate) fn may_retry(&self) -> bool {
        self.repetitions.withdraw()
    }
}

/// A connection to a server, which is re-established if it breaks.
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

    /// Creates a connection that is established on first use and is marked as failed.
    async fn open_lazy(endpoint: &Endpoint, files: &TlsFiles) -> Result<Self, ClientError> {
        let connection = Self::dial(endpoint, files, false).await?;
        connection.record_failure();
        Ok(connection)
    }

    async fn dial(endpoint: &Endpoint, files: &TlsFiles, now: bool) -> Result<Self, ClientError> {
        let last_failure = LastFailure::default();
        let unreachable = |error: tonic::transport::Error| match last_failure.get() {
            Some(failure) => untrusted(endpoint, failure),
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
                match now {
                    true => settings.connect_with_connector(connector).await,
                    false => Ok(settings.connect_with_connector_lazy(connector)),
                }
            }
            Endpoint::Tcp(address) => {
                let settings = settings(&format!("http://{address}")).map_err(unreachable)?;
                if now { settings.connect().await } else { Ok(settings.connect_lazy()) }
            }
            Endpoint::Tls(address) => {
                let config = tls::client_config(files)?;
                let origin = format!("https://{address}").parse();
                let origin = origin.map_err(|_| invalid_host(endpoint))?;
                let connector = tls::connector(address, config, files, last_failure.clone());
                // The connector performs TLS; `https` is only the scheme of requests.
                let settings = settings(&format!("http://{address}")).map_err(unreachable)?;
                let settings = settings.origin(origin);
                match now {
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

    /// Marks the server as failed, so that it is skipped for a while.
    pub(crate) fn record_failure(&self) {
        *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn failed_recently(&self) -> bool {
        let failed_at = *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        failed_at.is_some_and(|at| at.elapsed() < PASSED_OVER)
    }

    /// Converts a status to an error.
    pub(crate) fn status_error(&self, method: &'static str, status: &Status) -> ClientError {
        self.error(Refusal::from_status(method, status))
    }

    /// Converts an error of the server, and detects a broken connection.
    pub(crate) fn error(&self, refusal: Refusal) -> ClientError {
        if refusal.reason.is_empty()
            && let Some(failure) = self.last_failure.get()
        {
            return untrusted(&self.endpoint, failure);
        }
        if let Endpoint::Tcp(address) = &self.endpoint
            && refusal.reason.is_empty()
            && refusal.code == Code::Internal
            && refusal.message.contains(NO_HTTP_2)
        {
            let endpoint = self.endpoint.clone();
            let reason = format!(
                "the response is not HTTP/2; if the server uses TLS, the endpoint is grpcs://{address}"
            );
            return ClientError::Unreachable { endpoint, reason };
        }
        let broken = refusal.code == Code::Unavailable && refusal.reason.is_empty();
        if broken {
            let endpoint = self.endpoint.clone();
            return ClientError::Unreachable { endpoint, reason: refusal.message };
        }
        Box::new(refusal).into()
    }
}

fn untrusted(endpoint: &Endpoint, TlsFailure { reason, fix }: TlsFailure) -> ClientError {
    ClientError::Tls { endpoint: endpoint.clone(), reason, fix }
}

/// The error for an endpoint with an invalid host.
fn invalid_host(endpoint: &Endpoint) -> ClientError {
    let reason = "invalid host name".to_owned();
    ClientError::Unreachable { endpoint: endpoint.clone(), reason }
}

fn settings(uri: &str) -> Result<tonic::transport::Endpoint, tonic::transport::Error> {
    Ok(tonic::transport::Endpoint::from_shared(uri.to_owned())?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_adaptive_window(true))
}

/// Returns the innermost source of an error, the most specific one.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
