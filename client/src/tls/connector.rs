//! Connects over TLS and HTTP/2, recording failures in [`LastFailure`].

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::transport::Uri;
use tower::Service;

use super::failure::{connection_closed, from_io, http2_missing, invalid_name};
use super::{LastFailure, TlsFiles};

struct Settings {
    /// The host and port of the endpoint.
    address: String,
    config: Arc<ClientConfig>,
    files: TlsFiles,
    last_failure: LastFailure,
}

impl Settings {
    /// Returns the host without the brackets of an IPv6 address.
    fn host(&self) -> &str {
        let host = self.address.rsplit_once(':').map_or(&*self.address, |(host, _)| host);
        host.trim_start_matches('[').trim_end_matches(']')
    }

    /// Records the error if it is a TLS failure.
    fn record(&self, error: io::Error) -> io::Error {
        if let Some(failure) = from_io(&error, self.host(), &self.files) {
            self.last_failure.set(Some(failure));
        }
        error
    }

    async fn connect(self: Arc<Self>) -> io::Result<TokioIo<Connection>> {
        self.last_failure.set(None);
        let host = self.host().to_owned();
        let record_and_wrap = |failure: super::TlsFailure| {
            self.last_failure.set(Some(failure.clone()));
            io::Error::other(failure)
        };
        let name =
            ServerName::try_from(host.clone()).map_err(|_| record_and_wrap(invalid_name(&host)))?;
        let stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        let connector = TlsConnector::from(Arc::clone(&self.config));
        let stream = connector.connect(name, stream).await.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => record_and_wrap(connection_closed(&host)),
            _ => self.record(error),
        })?;
        if stream.get_ref().1.alpn_protocol() != Some(b"h2") {
            return Err(record_and_wrap(http2_missing()));
        }
        Ok(TokioIo::new(Connection { stream, settings: self }))
    }
}

pub(crate) fn connector(
    address: &str,
    config: ClientConfig,
    files: &TlsFiles,
    last_failure: LastFailure,
) -> impl Service<
    Uri,
    Response = TokioIo<Connection>,
    Error = io::Error,
    Future = impl Future<Output = io::Result<TokioIo<Connection>>> + Send,
> + Send
+ 'static {
    let settings = Arc::new(Settings {
        address: address.to_owned(),
        config: Arc::new(config),
        files: files.clone(),
        last_failure,
    });
    tower::service_fn(move |_: Uri| Arc::clone(&settings).connect())
}

/// A TLS connection that records its failures.
pub(crate) struct Connection {
    stream: TlsStream<TcpStream>,
    settings: Arc<Settings>,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        match result {
            Poll::Ready(Err(error)) => Poll::Ready(Err(self.settings.record(error))),
            result => result,
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
