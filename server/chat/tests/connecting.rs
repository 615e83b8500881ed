//! Tests for connection failures and TLS.

#![allow(clippy::unwrap_used, clippy::allow_attributes, reason = "a test fails by panicking")]

mod support;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gsar_chat::{Chat, ChatError, Endpoint, Reply, Settings};
use gsar_chat_wire::{KEY, Server};
use support::{LONG, without_retries};
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, crypto::ring};

fn openai_endpoint(base_url: &str) -> Endpoint {
    Endpoint::new("openai:m".parse().unwrap(), Some(base_url), Some(KEY.into())).unwrap()
}

async fn ask(endpoint: &Endpoint, settings: Settings) -> Result<Reply, ChatError> {
    Chat::new(endpoint, settings).unwrap().ask(&support::request(), Instant::now() + LONG).await
}

async fn expect_failure(endpoint: &Endpoint, code: &str) -> ChatError {
    let error = ask(endpoint, without_retries()).await.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    error
}

#[tokio::test]
async fn a_refused_connection_fails_immediately() {
    // A socket that is bound but does not listen keeps its port and refuses connections.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let unused_address = socket.local_addr().unwrap();
    let error =
        expect_failure(&openai_endpoint(&format!("http://{unused_address}")), "CONNECT_FAILED")
            .await;
    assert!(error.failure.is_retryable() && error.to_string().contains("refused"), "{error}");
    expect_failure(&openai_endpoint("https://no-such-host.invalid"), "CONNECT_FAILED").await;
}

#[tokio::test]
async fn a_silent_peer_fails_after_the_connect_timeout() {
    let silent_listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = openai_endpoint(&format!("https://{}", silent_listener.local_addr().unwrap()));
    let settings = Settings { connect_timeout: Duration::from_millis(50), ..without_retries() };
    let error = ask(&endpoint, settings).await.unwrap_err();
    assert_eq!((error.code(), error.failure.is_retryable()), ("CONNECT_TIMEOUT", true), "{error}");
}

#[tokio::test]
async fn a_peer_without_tls_is_a_tls_failure() {
    let server = Server::start().await.unwrap();
    let endpoint = openai_endpoint(&format!("https://{}/openai/v1", server.address()));
    let error = expect_failure(&endpoint, "TLS_FAILED").await;
    assert!(!error.failure.is_retryable());
}

async fn start_tls_proxy(server: &Server) -> (SocketAddr, String) {
    let certificate_and_key =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])
            .unwrap();
    let key = PrivatePkcs8KeyDer::from(certificate_and_key.signing_key.serialize_der());
    let certificate: CertificateDer<'static> = certificate_and_key.cert.der().clone();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, server_address) = (listener.local_addr().unwrap(), server.address());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut server_stream = tokio::net::TcpStream::connect(server_address).await.unwrap();
            tokio::spawn(async move {
                tokio::io::copy_bidirectional(&mut stream, &mut server_stream).await
            });
        }
    });
    (address, certificate_and_key.cert.pem())
}

#[tokio::test]
async fn a_certificate_is_trusted_only_with_its_authority() {
    let server = Server::start().await.unwrap();
    let (address, authority) = start_tls_proxy(&server).await;
    let endpoint = openai_endpoint(&format!("https://localhost:{}/openai/v1", address.port()));
    let error = expect_failure(&endpoint, "TLS_FAILED").await;
    assert!(error.to_string().contains("certificate"), "{error}");
    assert_eq!(server.counts().requests, 0);

    let endpoint = endpoint.with_certificate_authorities(authority.as_bytes()).unwrap();
    assert_eq!(ask(&endpoint, without_retries()).await.unwrap().text, r#"{"ok":true}"#);
}
