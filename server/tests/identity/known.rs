//! Tests the ways to identify a principal, and the attestation, limits and rights that depend on the principal.

use gsar_proto::v1;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::ledger_service_client::LedgerServiceClient;
use gsar_server::config::Attested;
use serde_json::json;
use tonic::Code;
use tonic_types::StatusExt as _;

use crate::identity::{code, configure_principals, principals_toml, with_token};
use crate::support::tls::{self, Authority, Client};
use crate::support::tokens::Issuer;
use crate::support::{TestServer, http, request};

#[tokio::test]
async fn clients_are_identified_by_certificate() {
    let (authority, issuer) = (Authority::new("clients"), Issuer::new());
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        tls::configure(config, &authority.sign(), Some(&authority));
    })
    .await;
    let versions = rustls::ALL_VERSIONS;
    let ada = authority.sign_for("spiffe://example/ada");
    let eve = authority.sign_for("spiffe://example/eve");
    let [ada, eve] = [ada, eve].map(|signed| Client::new(&authority, Some(&signed), versions));
    let address = server.tls.unwrap();
    let list = async |client: &Client, token: Option<&str>| {
        let channel = client.channel(address).await.unwrap();
        let list = v1::ListEvaluationsRequest::default();
        LedgerServiceClient::new(with_token(&channel, token)).list_evaluations(list).await
    };
    assert_eq!(code(list(&ada, None).await), Code::Ok);
    let error = list(&eve, None).await.unwrap_err();
    assert_eq!(error.code(), Code::Unauthenticated);
    assert!(error.message().contains("spiffe://example/eve"), "{error:?}");
    // A token takes precedence over a certificate, and an invalid token is an error.
    assert_eq!(code(list(&eve, Some("secret-of-ben")).await), Code::Ok);
    assert_eq!(code(list(&ada, Some("guessed")).await), Code::Unauthenticated);

    let file = server.folder.path().join("principals.toml");
    std::fs::write(&file, principals_toml().replace("/ada\"", "/eve\"")).unwrap();
    server.reload().await;
    while code(list(&eve, None).await) != Code::Ok {
        tokio::task::yield_now().await;
    }
    assert_eq!(code(list(&ada, None).await), Code::Unauthenticated);
}

#[tokio::test]
async fn attestation_depends_on_the_principal() {
    let issuer = Issuer::new();
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        let listen = config.listen[0].clone();
        let principal = Some("ada".to_owned());
        let rule = Attested { listen, peer_uid: None, principal, tools: Vec::new() };
        config.evidence.attested = vec![rule];
    })
    .await;
    for (token, expected) in [("secret-of-ada", true), ("secret-of-ben", false)] {
        let mut caller = GroundingServiceClient::new(with_token(&server.channel, Some(token)));
        let answer = caller.evaluate(request()).await.unwrap().into_inner();
        assert_eq!(answer.provenance.unwrap().evidence[0].attested, expected, "{token}");
    }
}

#[tokio::test]
async fn socket_users_are_identified_and_rate_limited() {
    use std::os::unix::fs::MetadataExt as _;
    let server = TestServer::with(|config| {
        let file = config.data_dir.parent().unwrap().join("principals.toml");
        let uid = std::fs::metadata(file.parent().unwrap()).unwrap().uid();
        let text = format!("[me]\nuids = [{uid}]\nmay = [\"read\"]\ncalls_per_minute = 2\n");
        std::fs::write(&file, text).unwrap();
        config.security.principals = Some(file);
    })
    .await;
    let mut ledger = server.ledger();
    for _ in 0..2 {
        ledger.list_evaluations(v1::ListEvaluationsRequest::default()).await.unwrap();
    }
    let error = ledger.list_evaluations(v1::ListEvaluationsRequest::default()).await.unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted);
    let retry = error.get_details_retry_info().unwrap().retry_delay.unwrap();
    assert!(retry > std::time::Duration::from_secs(1), "{error:?}");
}

#[tokio::test]
async fn concurrent_calls_are_limited_per_principal() {
    use std::os::unix::fs::MetadataExt as _;
    let server = TestServer::with(|config| {
        let file = config.data_dir.parent().unwrap().join("principals.toml");
        let uid = std::fs::metadata(file.parent().unwrap()).unwrap().uid();
        let may = "may = [\"read\", \"evaluate\"]\ncalls_in_flight = 1\n";
        std::fs::write(&file, format!("[me]\nuids = [{uid}]\n{may}")).unwrap();
        config.security.principals = Some(file);
    })
    .await;
    let list =
        async || server.ledger().list_evaluations(v1::ListEvaluationsRequest::default()).await;
    list().await.unwrap();
    // Parsing this report takes a minute in a debug build.
    let report = v1::Report { synthesis: "1,".repeat(1 << 21), ..Default::default() };
    let long_request = v1::EvaluateRequest { report: Some(report), ..request() };
    let mut grounding = server.grounding();
    let long_call = tokio::spawn(async move {
        // A list call may be holding the only permit.
        while let Err(error) = grounding.evaluate(long_request.clone()).await {
            assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
        }
    });
    let error = loop {
        if let Err(error) = list().await {
            break error;
        }
        assert!(!long_call.is_finished(), "the report was read without a permit");
    };
    assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
    let quota = error.get_details_quota_failure().unwrap().violations.remove(0);
    assert_eq!(quota.subject, "calls_in_flight");
    long_call.abort();
    while let Err(error) = list().await {
        assert_eq!(error.code(), Code::ResourceExhausted, "{error:?}");
    }
}

#[tokio::test]
async fn valid_token_permits_writing_over_http() {
    let issuer = Issuer::new();
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        config.security.require = false;
        config.gateway.address = Some("0.0.0.0:0".parse().unwrap());
    })
    .await;
    let port = server.gateway.unwrap().port();
    let http = http::client();
    let post = async |path: &str, token: Option<&str>, document: serde_json::Value| {
        let mut request = http
            .post(format!("http://127.0.0.1:{port}/v1/{path}"))
            .header("content-type", "application/json")
            .header("host", "gsar.internal")
            .body(document.to_string());
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        request.send().await.unwrap()
    };
    let mut ada = GroundingServiceClient::new(with_token(&server.channel, Some("secret-of-ada")));
    let id = ada.evaluate(request()).await.unwrap().into_inner().evaluation_id;
    let delete = || json!({ "evaluationId": id });
    for (token, status) in [
        (None, 401),
        (Some("guessed"), 401),
        (Some("secret-of-a-reader"), 403),
        (Some("secret-of-ben"), 404),
        (Some("secret-of-ada"), 200),
        (Some("secret-of-ada"), 404),
    ] {
        let answer = post("delete-evaluation", token, delete()).await;
        assert_eq!(answer.status().as_u16(), status, "{token:?}");
    }
    for (token, status) in [(None, 401), (Some("secret-of-ada"), 400)] {
        assert_eq!(post("evaluate", token, json!("no message")).await.status(), status);
    }
    let start = json!({ "investigationId": "over-http" });
    assert_eq!(post("start-investigation", Some("secret-of-ada"), start).await.status(), 200);
}
