//! An HTTP server for the gateway and the admin address, with limits on the number of connections and on
//! the time to receive headers.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::TcpListenerStream;

use super::accept::accept_connections;

/// The maximum time to receive request headers, and the maximum idle time between two requests.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of open connections. Further connections wait in the kernel.
const MAX_CONNECTIONS: usize = 1_024;

/// Serves until `stop` resolves and all requests in flight are answered.
pub(super) async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    serve_within(HEADER_TIMEOUT, listener, app, stop).await;
}

async fn serve_within(
    header_timeout: Duration,
    listener: TcpListener,
    app: Router,
    stop: impl Future<Output = ()>,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(header_timeout);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(header_timeout);
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut incoming = std::pin::pin!(accept_connections(TcpListenerStream::new(listener)));
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await.ok()?;
            Some((permit, incoming.next().await?.ok()?))
        };
        let (permit, stream) = tokio::select! {
            accepted = accepted => match accepted {
                Some(accepted) => accepted,
                None => break,
            },
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(app.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // An error affects only this connection.
            let _ = connection.await;
            drop(permit);
        });
    }
    graceful.shutdown().await;
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn slow_headers_close_only_their_own_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().route("/", get(|| async { "here" }));
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let header_timeout = Duration::from_millis(50);
        let server = tokio::spawn(serve_within(header_timeout, listener, app, stopped));

        let mut slow_client = TcpStream::connect(address).await.unwrap();
        slow_client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n").await.unwrap();
        let mut received = Vec::new();
        // Returns because the server closes the connection.
        let _ = slow_client.read_to_end(&mut received).await;
        assert!(!received.starts_with(b"HTTP/1.1 200"), "{received:?}");

        let mut quick_client = TcpStream::connect(address).await.unwrap();
        quick_client.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let mut response = Vec::new();
        let _ = quick_client.read_to_end(&mut response).await;
        assert!(
            response.starts_with(b"HTTP/1.1 200") && response.ends_with(b"here"),
            "{response:?}"
        );

        stop.send(()).unwrap();
        server.await.unwrap();
    }
}
