//! This module connects to one or several servers, chooses the one for a call, and bounds how often calls are repeated. It
//! makes no call.

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

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// What tonic says where an answer is no HTTP/2, as that of a server with TLS.
const NO_HTTP_2: &str = "http2 error";

/// How long a server that did not answer is passed over while others do.
const PASSED_OVER: Duration = Duration::from_secs(1);
/// Repetitions are at most this share of the calls of a window, and never fewer than a few each second.
const REPEATED_SHARE: f32 = 0.2;
const REPEATED_EACH_SECOND: u32 = 10;
const WINDOW: Duration = Duration::from_secs(10);

/// Connections to servers that are alike.
#[derive(Debug)]
pub(crate) struct Pool {
    first: Arc<Connection>,
    others: Vec<Arc<Connection>>,
    next: AtomicUsize,
    repetitions: TpsBudget,
}

impl Pool {
    /// Connects to servers, of which one has to answer now.
    ///
    /// # Errors
    /// That of the first server, when none answers; or that a file cannot be used.
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
                Err(_) => Connection::later(endpoint, files).await?,
            });
        }
        let first = match connected {
            Ok(connection) => connection,
            Err(error) if !answers => return Err(error),
            Err(_) => Connection::later(first, files).await?,
        };
        Ok(Self {
            first: Arc::new(first),
            others: connections.into_iter().map(Arc::new).collect(),
            next: AtomicUsize::new(0),
            repetitions: TpsBudget::new(WINDOW, REPEATED_EACH_SECOND, REPEATED_SHARE),
        })
    }

    /// The server that was named first.
    pub(crate) fn first(&self) -> &Connection {
        &self.first
    }

    /// Whether there are several servers.
    pub(crate) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// The connection for the next call: the next in turn of those that did not fail lately, or of all where all did.
    pub(crate) fn next(&self) -> Arc<Connection> {
        let all = || std::iter::once(&self.first).chain(&self.others);
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let well: Vec<_> = all().filter(|connection| !connection.failed_lately()).collect();
        let chosen = match well.len() {
            0 => all().nth(turn % (self.others.len() + 1)),
            count => well.get(turn % count).copied(),
        };
        Arc::clone(chosen.unwrap_or(&self.first))
    }

    /// Counts a call, by which later repetitions are allowed.
    pub(crate) fn count_call(&self) {
        self.repetitions.deposit();
    }

    /// Whether one more repetition is within the budget, which it then counts against.
    pub(crate) fn may_repeat(&self) -> bool {
        self.repetitions.withdraw()
    }
}

/// A connection to one server, made anew when it breaks.
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

    /// A connection that is made when it is first used, and counts as failed now.
    async fn later(endpoint: &Endpoint, files: &TlsFiles) -> Result<Self, ClientError> {
        let connection = Self::dial(endpoint, files, false).await?;
        connection.note_failure();
        Ok(connection)
    }

    async fn dial(endpoint: &Endpoint, files: &TlsFiles, now: bool) -> Result<Self, ClientError> {
        let last_failure = LastFailure::default();
        let unreachable = |error: tonic::transport::Error| match last_failure.get() {
            Some(failure) => untrusted(endpoint, failure),
            None => {
                ClientError::Unreachable { endpoint: endpoint.clone(), reason: deepest(&error) }
            }
        };
        let channel = match endpoint {
            Endpoint::Unix(path) => {
                let path = path.clone();
                let connector = tower::service_fn(move |_| {
                    let path = path.clone();
                    async move { tokio::net::UnixStream::connect(path).await.map(TokioIo::new) }
                });
                // A Unix socket has no host; HTTP/2 wants one, and any name does.
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
                let config = tls::configuration(files)?;
                let origin = format!("https://{address}").parse();
                let origin = origin.map_err(|_| unreachable_address(endpoint))?;
                let connector = tls::connector(address, config, files, last_failure.clone());
                // The connector does TLS; tonic is only to say https in requests.
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

    /// Has it passed over for a while.
    pub(crate) fn note_failure(&self) {
        *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn failed_lately(&self) -> bool {
        let failed_at = *self.failed_at.lock().unwrap_or_else(PoisonError::into_inner);
        failed_at.is_some_and(|at| at.elapsed() < PASSED_OVER)
    }

    /// The error of a status.
    pub(crate) fn refused(&self, method: &'static str, status: &Status) -> ClientError {
        self.error(Refusal::of(method, status))
    }

    /// A broken connection is distinguished from a server that answered.
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
                "the answer is no HTTP/2; where it listens with TLS, the endpoint is grpcs://{address}"
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

/// The error of an address that is none, although its endpoint was read as one.
fn unreachable_address(endpoint: &Endpoint) -> ClientError {
    let reason = "its host is no name that a request can be sent to".to_owned();
    ClientError::Unreachable { endpoint: endpoint.clone(), reason }
}

fn settings(uri: &str) -> Result<tonic::transport::Endpoint, tonic::transport::Error> {
    Ok(tonic::transport::Endpoint::from_shared(uri.to_owned())?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_adaptive_window(true))
}

/// The innermost cause of an error, which is the one that a person can fix.
fn deepest(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
