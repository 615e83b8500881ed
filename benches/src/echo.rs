//! The baseline for the service figures: the minimum cost of a unary tonic call.
//!
//! The only method takes a message with one bytes field and returns one with a fixed size. It has no
//! layers, validation or logs.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::bail;
use bytes::Bytes;
use gsar_client::Endpoint;
use prost::Message;
use tokio::net::{TcpListener, UnixListener};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

/// The method path.
pub const PATH: &str = "/gsar.benches.Echo/Call";

/// The request and response message.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Payload {
    /// Padding.
    #[prost(bytes = "bytes", tag = "1")]
    pub bytes: Bytes,
}

impl Payload {
    /// Creates a message of `size` encoded bytes, or of the next smaller possible size.
    pub fn of_encoded_size(size: usize) -> Self {
        let fits = |length: &usize| {
            prost::encoding::key_len(1) + prost::length_delimiter_len(*length) + length <= size
        };
        let length = (0..size).rev().find(fits).unwrap_or(0);
        Self { bytes: Bytes::from(vec![b'.'; length]) }
    }
}

/// The echo service.
#[derive(Clone, Debug)]
pub struct Echo {
    answer: Payload,
}

impl Echo {
    /// Creates an echo with answers of `size` encoded bytes.
    pub fn answering(size: usize) -> Self {
        Self { answer: Payload::of_encoded_size(size) }
    }
}

impl NamedService for Echo {
    const NAME: &'static str = "gsar.benches.Echo";
}

impl UnaryService<Payload> for Echo {
    type Response = Payload;
    type Future = Ready<Result<Response<Payload>, Status>>;

    fn call(&mut self, _: Request<Payload>) -> Self::Future {
        ready(Ok(Response::new(self.answer.clone())))
    }
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move {
            if request.uri().path() == PATH {
                Ok(Grpc::new(ProstCodec::default()).unary(echo, request).await)
            } else {
                Ok(Status::unimplemented(format!("unknown method; expected {PATH}")).into_http())
            }
        })
    }
}

/// Serves the echo until the future is dropped.
pub async fn serve(endpoint: &Endpoint, echo: Echo) -> anyhow::Result<()> {
    let router = Server::builder().add_service(echo);
    match endpoint {
        Endpoint::Unix(path) => {
            let listener = UnixListener::bind(path)?;
            router.serve_with_incoming(UnixListenerStream::new(listener)).await?;
        }
        Endpoint::Tcp(address) => {
            let incoming = TcpListenerStream::new(TcpListener::bind(address).await?);
            let incoming = incoming
                .map(|stream| stream.and_then(|stream| stream.set_nodelay(true).map(|()| stream)));
            router.serve_with_incoming(incoming).await?;
        }
        Endpoint::Tls(_) => bail!("{endpoint}: TLS is not supported here"),
    }
    Ok(())
}
