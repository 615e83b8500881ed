//! Accepts connections and performs their handshakes concurrently, so that a slow peer does not delay others.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use metrics::counter;
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::wrappers::ReceiverStream;

use super::TlsStore;
use crate::telemetry::metrics as names;

#[derive(Clone, Copy, Debug)]
struct Limits {
    max_duration: Duration,
    /// The maximum number of handshakes in progress. If it is exceeded, the oldest is aborted.
    max_in_progress: usize,
}

const LIMITS: Limits = Limits { max_duration: Duration::from_secs(10), max_in_progress: 256 };

/// The maximum time for a peer to close the connection after a failed handshake.
const CLOSE_TIME: Duration = Duration::from_secs(1);

const MAX_WAITING: usize = 16;

const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Returns connections with completed handshakes until `stop` resolves.
pub fn incoming(
    listener: TcpListener,
    store: Arc<TlsStore>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> ReceiverStream<io::Result<TlsStream<TcpStream>>> {
    incoming_with_limits(listener, store, stop, LIMITS)
}

fn incoming_with_limits(
    listener: TcpListener,
    store: Arc<TlsStore>,
    stop: impl Future<Output = ()> + Send + 'static,
    limits: Limits,
) -> ReceiverStream<io::Result<TlsStream<TcpStream>>> {
    store.publish_expiry();
    let (sender, connections) = mpsc::channel(MAX_WAITING);
    let handshakes =
        Handshakes { store, limits, running: JoinSet::new(), oldest_first: VecDeque::new() };
    tokio::spawn(async move {
        tokio::select! {
            () = stop => {}
            () = sender.closed() => {}
            () = handshakes.run(&listener, &sender) => {}
        }
    });
    ReceiverStream::new(connections)
}

/// The handshakes in progress. Aborted on drop.
struct Handshakes {
    store: Arc<TlsStore>,
    limits: Limits,
    running: JoinSet<Option<TlsStream<TcpStream>>>,
    oldest_first: VecDeque<AbortHandle>,
}

impl Handshakes {
    /// Accepts connections until the receiver is dropped.
    async fn run(
        mut self,
        listener: &TcpListener,
        sender: &Sender<io::Result<TlsStream<TcpStream>>>,
    ) {
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => self.start(stream),
                    Err(error) if is_connection_error(&error) => {}
                    Err(error) => {
                        tracing::warn!(%error, "failed to accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(result) = self.running.join_next() => {
                    if let Some(connection) = finish_handshake(result)
                        && sender.send(Ok(connection)).await.is_err()
                    {
                        return;
                    }
                }
            }
        }
    }

    /// Starts a handshake. If too many are in progress, aborts the oldest, which is probably waiting for a
    /// silent peer.
    fn start(&mut self, stream: TcpStream) {
        self.oldest_first.retain(|handshake| !handshake.is_finished());
        if self.oldest_first.len() >= self.limits.max_in_progress
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            oldest.abort();
        }
        let handshake = handshake(stream, self.store.current(), self.limits.max_duration);
        self.oldest_first.push_back(self.running.spawn(handshake));
    }
}

async fn handshake(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    max_duration: Duration,
) -> Option<TlsStream<TcpStream>> {
    let _ = stream.set_nodelay(true);
    let peer = stream.peer_addr().ok().map(tracing::field::display);
    let accepting = TlsAcceptor::from(config).accept(stream).into_fallible();
    match timeout(max_duration, accepting).await {
        Ok(Ok(stream)) => {
            count("ok");
            Some(stream)
        }
        Ok(Err((error, stream))) => {
            tracing::debug!(peer, %error, "TLS handshake failed");
            let _ = timeout(CLOSE_TIME, wait_for_close(stream)).await;
            count("failed");
            None
        }
        Err(_) => {
            tracing::debug!(peer, "TLS handshake timed out");
            count("timeout");
            None
        }
    }
}

/// Waits until the peer closes the connection. Closing it with unread bytes would reset it before the peer
/// receives the alert.
async fn wait_for_close(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut unread = [0; 1024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

fn finish_handshake(
    result: Result<Option<TlsStream<TcpStream>>, JoinError>,
) -> Option<TlsStream<TcpStream>> {
    match result {
        Ok(connection) => connection,
        Err(error) if error.is_cancelled() => {
            tracing::debug!("TLS handshake aborted: too many in progress");
            count("displaced");
            None
        }
        Err(error) => {
            tracing::error!(%error, "TLS handshake panicked");
            count("failed");
            None
        }
    }
}

/// Returns `true` if an error affects a single connection rather than the listener.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn count(result: &'static str) {
    counter!(names::TLS_HANDSHAKES, "result" => result).increment(1);
}

#[cfg(test)]
mod tests;
