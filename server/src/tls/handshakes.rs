//! This module accepts connections and does their handshakes side by side, each within a time limit and no more than
//! a bound at once. A peer that fails, or says nothing, costs the others nothing.

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
use tokio_stream::wrappers::ReceiverStream;

use super::{TlsConnection, TlsStore};
use crate::telemetry::metrics as names;

/// Bounds on handshakes.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// How long one may take.
    time: Duration,
    /// The most in progress; one more ends the oldest.
    in_progress: usize,
}

const BOUNDS: Bounds = Bounds { time: Duration::from_secs(10), in_progress: 256 };

/// How long a peer may take to close after its handshake failed.
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// Connections that wait to be served.
const MAX_WAITING: usize = 16;

/// How long nothing is accepted where the system has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The connections to a listener whose handshake succeeded, until `stopped` resolves.
pub fn incoming(
    listener: TcpListener,
    store: Arc<TlsStore>,
    stopped: impl Future<Output = ()> + Send + 'static,
) -> ReceiverStream<io::Result<TlsConnection>> {
    bounded(listener, store, stopped, BOUNDS)
}

fn bounded(
    listener: TcpListener,
    store: Arc<TlsStore>,
    stopped: impl Future<Output = ()> + Send + 'static,
    bounds: Bounds,
) -> ReceiverStream<io::Result<TlsConnection>> {
    store.publish_end();
    let (ready, connections) = mpsc::channel(MAX_WAITING);
    let handshakes =
        Handshakes { store, bounds, running: JoinSet::new(), oldest_first: VecDeque::new() };
    tokio::spawn(async move {
        tokio::select! {
            () = stopped => {}
            () = ready.closed() => {}
            () = handshakes.run(&listener, &ready) => {}
        }
    });
    ReceiverStream::new(connections)
}

/// The handshakes in progress; they end when this is dropped.
struct Handshakes {
    store: Arc<TlsStore>,
    bounds: Bounds,
    running: JoinSet<Option<TlsConnection>>,
    oldest_first: VecDeque<AbortHandle>,
}

impl Handshakes {
    /// Accepts and hands on until nobody takes connections any more.
    async fn run(mut self, listener: &TcpListener, ready: &Sender<io::Result<TlsConnection>>) {
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => self.begin(stream),
                    Err(error) if is_of_one_peer(&error) => {}
                    Err(error) => {
                        tracing::warn!(%error, "no connection can be accepted");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(ended) = self.running.join_next() => {
                    if let Some(connection) = established(ended)
                        && ready.send(Ok(connection)).await.is_err()
                    {
                        return;
                    }
                }
            }
        }
    }

    /// Begins a handshake. Where too many are in progress the oldest ends: one that makes progress is done in
    /// milliseconds, so it is the one that waits for a silent peer.
    fn begin(&mut self, stream: TcpStream) {
        self.oldest_first.retain(|handshake| !handshake.is_finished());
        if self.oldest_first.len() >= self.bounds.in_progress
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            oldest.abort();
        }
        let handshake = handshake(stream, self.store.current(), self.bounds.time);
        self.oldest_first.push_back(self.running.spawn(handshake));
    }
}

async fn handshake(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    time: Duration,
) -> Option<TlsConnection> {
    let _ = stream.set_nodelay(true);
    let peer = stream.peer_addr().ok().map(tracing::field::display);
    let accepted = TlsAcceptor::from(config).accept(stream).into_fallible();
    match timeout(time, accepted).await {
        Ok(Ok(stream)) => {
            count("ok");
            Some(TlsConnection(stream))
        }
        Ok(Err((error, stream))) => {
            tracing::debug!(peer, %error, "a TLS handshake failed");
            let _ = timeout(CLOSE_TIME, closed_by_peer(stream)).await;
            count("failed");
            None
        }
        Err(_) => {
            tracing::debug!(peer, "a TLS handshake took too long");
            count("timeout");
            None
        }
    }
}

/// Waits until the peer closes: a connection that is closed while bytes of the peer are unread is reset, and the peer
/// never reads the alert that says why.
async fn closed_by_peer(mut stream: TcpStream) -> io::Result<()> {
    stream.shutdown().await?;
    let mut unread = [0; 1024];
    while stream.read(&mut unread).await? > 0 {}
    Ok(())
}

fn established(ended: Result<Option<TlsConnection>, JoinError>) -> Option<TlsConnection> {
    match ended {
        Ok(connection) => connection,
        Err(error) if error.is_cancelled() => {
            tracing::debug!("a TLS handshake was ended because too many were in progress");
            count("displaced");
            None
        }
        Err(error) => {
            tracing::error!(%error, "a TLS handshake panicked");
            count("failed");
            None
        }
    }
}

/// Whether an error of accepting is about the connection that was to be accepted, not about the listener.
fn is_of_one_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn count(result: &'static str) {
    counter!(names::TLS_HANDSHAKES, "result" => result).increment(1);
}

#[cfg(test)]
mod tests;
