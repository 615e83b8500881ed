//! Tests handshakes with small limits.

use std::net::SocketAddr;

use tokio::io::AsyncReadExt as _;

use super::*;
use crate::config::Tls;

const AN_HOUR: Duration = Duration::from_secs(3_600);

/// Starts a listener. Dropping the stream closes its connections.
async fn start(limits: Limits) -> (SocketAddr, ReceiverStream<io::Result<TlsStream<TcpStream>>>) {
    let folder = tempfile::tempdir().unwrap();
    let certificate_and_key =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("a.pem"), folder.path().join("a.key"));
    std::fs::write(&certificate, certificate_and_key.cert.pem()).unwrap();
    std::fs::write(&key, certificate_and_key.signing_key.serialize_pem()).unwrap();
    let files = Tls { certificate: Some(certificate), key: Some(key), client_ca: None };
    let listen = ["grpcs://127.0.0.1:0".parse().unwrap()];
    let store = TlsStore::check(&files, &listen, &mut crate::config::Problems::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let store = Arc::new(store.unwrap());
    (address, incoming_with_limits(listener, store, std::future::pending(), limits))
}

/// Returns `true` if the server closes the connection without sending anything.
async fn is_closed(peer: &mut TcpStream) -> bool {
    matches!(peer.read(&mut [0]).await, Ok(0) | Err(_))
}

#[tokio::test]
async fn a_silent_peer_is_dropped_after_the_timeout() {
    let limits = Limits { max_duration: Duration::from_millis(1), max_in_progress: 256 };
    let (address, _connections) = start(limits).await;
    let mut peer = TcpStream::connect(address).await.unwrap();
    assert!(is_closed(&mut peer).await);
}

#[tokio::test]
async fn exceeding_the_limit_aborts_the_oldest_handshake() {
    let (address, _connections) = start(Limits { max_duration: AN_HOUR, max_in_progress: 2 }).await;
    let mut peers = Vec::new();
    for _ in 0..4 {
        peers.push(TcpStream::connect(address).await.unwrap());
    }
    let [first, second, third, fourth] = &mut peers[..] else { panic!("expected four peers") };
    assert!(is_closed(first).await && is_closed(second).await);
    for peer in [third, fourth] {
        let error = peer.try_read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
    }
}

#[tokio::test]
async fn accepting_stops_when_the_receiver_is_dropped() {
    let (address, connections) = start(Limits { max_duration: AN_HOUR, max_in_progress: 2 }).await;
    let mut peer = TcpStream::connect(address).await.unwrap();
    drop(connections);
    assert!(is_closed(&mut peer).await);
}
