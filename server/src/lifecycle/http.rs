//! This module serves HTTP for the gateway and the admin address: as many connections as are allowed, each with a time for its
//! headers. It knows no path.

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

use super::accept::accepted;

/// How long headers may take, and a connection between two requests.
const HEADERS_WITHIN: Duration = Duration::from_secs(10);
/// How many connections are served at once; more wait in the kernel.
const MAX_CONNECTIONS: usize = 1_024;

/// Serves until `stop` resolves and the requests in progress are answered.
pub(super) async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    serve_within(HEADERS_WITHIN, listener, app, stop).await;
}

async fn serve_within(
    headers: Duration,
    listener: TcpListener,
    app: Router,
    stop: impl Future<Output = ()>,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(headers);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(headers);
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut incoming = std::pin::pin!(accepted(TcpListenerStream::new(listener)));
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            Some((place, incoming.next().await?.ok()?))
        };
        let (place, stream) = tokio::select! {
            next = next => match next {
                Some(next) => next,
                None => break,
            },
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(app.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A connection that breaks concerns its peer alone.
            let _ = connection.await;
            drop(place);
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
    async fn headers_that_never_end_end_the_connection_and_others_are_answered() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().route("/", get(|| async { "here" }));
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let within = Duration::from_millis(50);
        let serving = tokio::spawn(serve_within(within, listener, app, stopped));

        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n").await.unwrap();
        let mut said = Vec::new();
        // It has an end.
        let _ = slow.read_to_end(&mut said).await;
        assert!(!said.starts_with(b"HTTP/1.1 200"), "{said:?}");

        let mut quick = TcpStream::connect(address).await.unwrap();
        quick.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        let _ = quick.read_to_end(&mut answer).await;
        assert!(answer.starts_with(b"HTTP/1.1 200") && answer.ends_with(b"here"), "{answer:?}");

        stop.send(()).unwrap();
        serving.await.unwrap();
    }
}
