//! Tests TLS: calls, client certificates, reloading and misbehaving peers.

use std::net::SocketAddr;

use crate::support::tls::{self, Authority, Client, Signed};
use crate::support::{TestServer, health, request};
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_server::config::{Attested, Config, Listen};
use gsar_server::telemetry::metrics::recorder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::transport::Channel;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

async fn start(server: &Signed, client_ca: Option<&Authority>) -> (TestServer, SocketAddr) {
    let server = TestServer::with(|config| tls::configure(config, server, client_ca)).await;
    let address = server.tls.unwrap();
    (server, address)
}

async fn call(client: &Client, address: SocketAddr) -> Result<(), String> {
    let channel = client.channel(address).await.map_err(|error| format!("{error:?}"))?;
    let result = HealthClient::new(channel).check(HealthCheckRequest::default()).await;
    result.map(drop).map_err(|status| format!("{status:?}"))
}

/// Waits until a handshake with this result is counted, which happens shortly after the peer receives its answer.
async fn wait_for_handshakes(result: &str) {
    let series = format!("gsar_tls_handshakes_total{{result=\"{result}\"}}");
    while !recorder().unwrap().render().contains(&series) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn serves_both_tls_versions_over_http_2_only() {
    let authority = Authority::new("the authority");
    let (mut server, address) = start(&authority.sign(), None).await;
    let unix_answer = server.grounding().evaluate(request()).await.unwrap().into_inner();
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let client = Client::new(&authority, None, &[version]);
        let stream = client.handshake(address).await.unwrap();
        assert_eq!(stream.get_ref().1.protocol_version(), Some(version.version));
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let channel = client.channel(address).await.unwrap();
        let answer = GroundingServiceClient::new(channel).evaluate(request()).await.unwrap();
        assert_eq!(answer.into_inner().claims, unix_answer.claims);
    }
    wait_for_handshakes("ok").await;

    let mut http_1_client = Client::trusting(&authority);
    http_1_client.config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let error = http_1_client.handshake(address).await.unwrap_err().to_string();
    assert!(error.contains("NoApplicationProtocol"), "{error}");
    wait_for_handshakes("failed").await;

    let channel = Client::trusting(&authority).channel(address).await.unwrap();
    assert_eq!(health(channel, "").await, ServingStatus::Serving);
    server.begin_shutdown();
    server.wait_until_stopped().await.unwrap();
    assert!(
        TcpStream::connect(address).await.is_err(),
        "the listener must be closed after the server has stopped"
    );
}

#[tokio::test]
async fn requires_client_certificates_from_the_configured_authority() {
    let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
    let (_server, address) = start(&servers.sign(), Some(&clients)).await;
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let client_with = |signed: Option<&Signed>| Client::new(&servers, signed, &[version]);
        call(&client_with(Some(&clients.sign())), address).await.unwrap();
        for (signed, alert) in [
            (None, "CertificateRequired"),
            (Some(Authority::new("clients").sign()), "DecryptError"),
            (Some(Authority::new("others").sign()), "UnknownCA"),
            (Some(clients.sign_until(2001)), "CertificateExpired"),
        ] {
            let error = call(&client_with(signed.as_ref()), address).await.unwrap_err();
            assert!(error.contains(alert), "{version:?} {alert}: {error}");
        }
    }
}

async fn assert_is_serving(channel: &Channel) {
    assert_eq!(health(channel.clone(), "").await, ServingStatus::Serving);
}

#[tokio::test]
async fn reloaded_certificates_apply_to_new_connections() {
    let authority = Authority::new("the authority");
    let [first, second, third] = [authority.sign(), authority.sign(), authority.sign()];
    let (server, address) = start(&first, None).await;
    let client = Client::trusting(&authority);
    let open_channel = client.channel(address).await.unwrap();
    assert_is_serving(&open_channel).await;
    assert_eq!(client.server_certificate(address).await, first.der());
    let published = "gsar_tls_certificate_not_after_seconds 4102358400";
    assert!(
        recorder().unwrap().render().contains(published),
        "the expiry date 2099-12-31 must be published"
    );

    second.write(server.folder.path(), "server");
    assert_eq!(
        client.server_certificate(address).await,
        first.der(),
        "files must be reloaded only on request"
    );
    server.reload().await;
    assert_eq!(client.server_certificate(address).await, second.der());
    assert_is_serving(&open_channel).await;

    let path = |name: &str| server.folder.path().join(name);
    for (file, content) in [
        ("server.pem", "no PEM".to_owned()),
        ("server.key", third.key.clone()),
        ("server.key", String::new()),
        ("server.pem", third.certificate.clone()),
    ] {
        std::fs::write(path(file), content).unwrap();
        server.reload().await;
        assert_eq!(client.server_certificate(address).await, second.der(), "{file}");
        second.write(server.folder.path(), "server");
    }
    third.write(server.folder.path(), "server");
    server.reload().await;
    assert_eq!(client.server_certificate(address).await, third.der());
    assert_is_serving(&open_channel).await;
}

#[tokio::test]
async fn reloaded_client_authority_applies_to_new_connections() {
    let (old_authority, new_authority) = (Authority::new("before"), Authority::new("after"));
    let (server, address) = start(&old_authority.sign(), Some(&old_authority)).await;
    let old_client = Client::new(&old_authority, Some(&old_authority.sign()), rustls::ALL_VERSIONS);
    let new_client = Client::new(&old_authority, Some(&new_authority.sign()), rustls::ALL_VERSIONS);
    let open_channel = old_client.channel(address).await.unwrap();
    assert_is_serving(&open_channel).await;
    call(&new_client, address).await.unwrap_err();

    std::fs::write(server.folder.path().join("clients.pem"), new_authority.pem()).unwrap();
    server.reload().await;
    call(&new_client, address).await.unwrap();
    // The old client may try to resume its session, which must fail too.
    call(&old_client, address).await.unwrap_err();
    assert_is_serving(&open_channel).await;
}

#[tokio::test]
async fn stalled_handshakes_do_not_block_other_clients() {
    let authority = Authority::new("the authority");
    let (_server, address) = start(&authority.sign(), None).await;
    let client = Client::trusting(&authority);
    let mut silent_peers = Vec::new();
    for _ in 0..300 {
        silent_peers.push(TcpStream::connect(address).await.unwrap());
    }
    call(&client, address).await.unwrap();
    wait_for_handshakes("displaced").await;
    for nonsense in
        [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4096], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let mut peer = TcpStream::connect(address).await.unwrap();
        peer.write_all(nonsense).await.unwrap();
        let mut answer = Vec::new();
        // The stream ends with an alert or with a reset.
        let _ = peer.read_to_end(&mut answer).await;
        assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    }
    let mut peer = TcpStream::connect(address).await.unwrap();
    peer.write_all(&[22, 3, 1, 2, 0, 1]).await.unwrap();
    drop(peer);
    wait_for_handshakes("failed").await;
    call(&client, address).await.unwrap();
    drop(silent_peers);
}

#[tokio::test]
async fn tls_listeners_can_attest_evidence() {
    let authority = Authority::new("the authority");
    let signed = authority.sign();
    for is_attested in [true, false] {
        let change = |config: &mut Config| {
            tls::configure(config, &signed, None);
            let listen: Listen = "grpcs://127.0.0.1:0".parse().unwrap();
            let rule = Attested { listen, peer_uid: None, principal: None, tools: Vec::new() };
            config.evidence.attested.extend(is_attested.then_some(rule));
        };
        let server = TestServer::with(change).await;
        let channel = Client::trusting(&authority).channel(server.tls.unwrap()).await.unwrap();
        let answer = GroundingServiceClient::new(channel).evaluate(request()).await.unwrap();
        let evidence = answer.into_inner().provenance.unwrap().evidence;
        assert_eq!(evidence[0].attested, is_attested);
    }
}
