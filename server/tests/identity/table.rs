//! Calls every method with every invalid credential and with every right, over gRPC and HTTP.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tonic::Code;

use crate::identity::calls::{call, call_empty, methods};
use crate::identity::{TOKENS, configure_principals, digest, start_server, with_token};
use crate::support::tls::{self, Authority, Client};
use crate::support::tokens::{AUDIENCE, ISSUER, Issuer, seconds_ago};
use crate::support::{TestServer, http, rounds};

const REQUIRED_RIGHTS: [(&str, Option<&str>); 33] = [
    ("GroundingService/Evaluate", Some("evaluate")),
    ("GroundingService/EvaluateStream", Some("evaluate")),
    ("GroundingService/SelectBest", Some("evaluate")),
    ("GroundingService/Score", Some("evaluate")),
    ("GroundingService/TryJudges", Some("evaluate")),
    ("GroundingService/Rescore", Some("read")),
    ("GateService/EvaluateGate", None),
    ("GateService/ClassifyVerdict", Some("evaluate")),
    ("GateService/AssembleChain", None),
    ("GateService/CapConfidence", None),
    ("InvestigationService/StartInvestigation", Some("evaluate")),
    ("InvestigationService/RecordTurn", Some("evaluate")),
    ("InvestigationService/SubmitReport", Some("evaluate")),
    ("InvestigationService/GetInvestigation", Some("read")),
    ("InvestigationService/CancelInvestigation", Some("evaluate")),
    ("InvestigationService/LookAtEntity", Some("evaluate")),
    ("InvestigationService/Drive", Some("evaluate")),
    ("PolicyService/ListPolicies", None),
    ("PolicyService/GetPolicy", None),
    ("PolicyService/CheckPolicy", Some("evaluate")),
    ("LedgerService/ListEvaluations", Some("read")),
    ("LedgerService/CountEvaluations", Some("read")),
    ("LedgerService/RescoreEvaluations", Some("read")),
    ("LedgerService/GetEvaluation", Some("read")),
    ("LedgerService/GetEvaluationEvidence", Some("read")),
    ("LedgerService/DeleteEvaluation", Some("delete")),
    ("LedgerService/Grade", Some("grade")),
    ("LedgerService/Export", Some("read")),
    ("EvidenceService/PutEvidence", Some("store")),
    ("EvidenceService/GetSnapshot", Some("search")),
    ("EvidenceService/Search", Some("search")),
    ("EvidenceService/ListCorpora", Some("search")),
    ("EvidenceService/DeleteCorpus", Some("store")),
];

const RIGHT_NAMES: [&str; 8] =
    ["evaluate", "override", "read", "delete", "grade", "store", "search", "audit"];

fn invalid_tokens(issuer: &Issuer) -> Vec<(&'static str, Option<String>)> {
    let token = |changes| Some(issuer.token("ada@example", changes));
    let valid = issuer.token("ada@example", json!({}));
    let (signed, signature) = valid.rsplit_once('.').unwrap();
    let changed_letter = if signature.starts_with('A') { "B" } else { "A" };
    let with_changed_signature =
        format!("{signed}.{changed_letter}{}", signature.get(1..).unwrap());
    let header = |header: Value| {
        let claims = json!({ "sub": "ada@example", "iss": ISSUER, "aud": AUDIENCE, "exp": 4e9 });
        Some(issuer.sign_as(&header, &claims.to_string()))
    };
    let duplicate_claims = format!(
        r#"{{"sub": "eve", "sub": "ada@example", "iss": "{ISSUER}", "aud": "{AUDIENCE}", "exp": 4e9}}"#
    );
    let es256 = json!({ "alg": "ES256", "kid": "one" });
    let deeply_nested = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let mut tokens = vec![
        ("no token", None),
        ("an unknown token", Some("guessed".to_owned())),
        ("the digest of a token", Some(digest(TOKENS[0]))),
        ("a token in the wrong case", Some(TOKENS[0].to_uppercase())),
        ("an expired token", token(json!({ "exp": seconds_ago(120) }))),
        ("a token that is not yet valid", token(json!({ "nbf": seconds_ago(0) + 900 }))),
        ("a token whose start time is not a number", token(json!({ "nbf": "2020-01-01" }))),
        (
            "a token whose end time is out of range",
            Some(issuer.sign_as(&es256, &duplicate_claims.replace("4e9", "1e999"))),
        ),
        ("a token that ended before 1970", token(json!({ "exp": -1 }))),
        ("a token whose end time is a string", token(json!({ "exp": "4000000000" }))),
        ("a token for another audience", token(json!({ "aud": "other" }))),
        ("a token for other audiences", token(json!({ "aud": ["other", "gsar2"] }))),
        ("a token for no audience", token(json!({ "aud": [] }))),
        ("a token whose audience is an object", token(json!({ "aud": { "gsar": true } }))),
        ("a token from another issuer", token(json!({ "iss": "https://other" }))),
        ("a token from several issuers", token(json!({ "iss": [ISSUER, "https://other"] }))),
        ("a token for an unknown subject", Some(issuer.token("eve@example", json!({})))),
        ("a token for a subject in another case", Some(issuer.token("Ada@example", json!({})))),
        ("a token for two subjects", Some(issuer.sign_as(&es256, &duplicate_claims))),
        ("a token for a list of subjects", token(json!({ "sub": ["ada@example"] }))),
        ("a token signed with another key", Some(Issuer::new().token("ada@example", json!({})))),
        ("a token with another key ID", header(json!({ "alg": "ES256", "kid": "two" }))),
        (
            "a token whose key ID is a path",
            header(json!({ "alg": "ES256", "kid": "../../dev/null" })),
        ),
        (
            "a token that contains its own key",
            header(json!({ "alg": "ES256", "kid": "two", "jwk": {} })),
        ),
        ("a token that names another algorithm", header(json!({ "alg": "RS256", "kid": "one" }))),
        (
            "a token with an unsupported critical header",
            header(json!({ "alg": "ES256", "kid": "one", "crit": ["b64"], "b64": false })),
        ),
        ("a token with the algorithm none", header(json!({ "alg": "none", "kid": "one" }))),
        ("a token without a signature", Some(format!("{signed}."))),
        ("a token with only two parts", Some(signed.to_owned())),
        ("a token with a changed signature", Some(with_changed_signature)),
        ("a token with deeply nested claims", Some(issuer.sign_as(&es256, &deeply_nested))),
        ("a token that is too long", Some("a".repeat(12_000))),
        (
            "a token without an end time",
            Some(issuer.sign(&json!({ "sub": "ada@example", "iss": ISSUER, "aud": AUDIENCE }))),
        ),
    ];
    let with_public_key = issuer.signed_with_the_public_key("ada@example");
    tokens.extend(with_public_key.map(|token| ("a token signed with the public key", Some(token))));
    tokens
}

#[tokio::test]
async fn every_call_rejects_invalid_credentials() {
    let issuer = Issuer::new();
    let server = start_server(&issuer).await;
    let invalid_tokens = invalid_tokens(&issuer);
    let valid_token = issuer.token("ada@example", json!({ "aud": ["other", AUDIENCE] }));
    for method in methods() {
        for (case, token) in &invalid_tokens {
            let status = call_empty(with_token(&server.channel, token.as_deref()), &method).await;
            assert_eq!(status.code(), Code::Unauthenticated, "{method} with {case}: {status:?}");
            if let Some(token) = token {
                assert!(!format!("{status:?}").contains(token.as_str()), "{status:?}");
            }
        }
        let status = call_empty(with_token(&server.channel, Some(&valid_token)), &method).await;
        let refusals = [Code::Unauthenticated, Code::PermissionDenied, Code::Internal];
        assert!(!refusals.contains(&status.code()), "{method}: {status:?}");
    }
}

#[tokio::test]
async fn every_call_rejects_unknown_certificates() {
    let (authority, issuer) = (Authority::new("clients"), Issuer::new());
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        tls::configure(config, &authority.sign(), Some(&authority));
    })
    .await;
    let connect_as = async |uri: &str| {
        let signed = authority.sign_for(uri);
        let client = Client::new(&authority, Some(&signed), rustls::ALL_VERSIONS);
        client.channel(server.tls.unwrap()).await.unwrap()
    };
    let ada = connect_as("spiffe://example/ada").await;
    for uri in [
        "spiffe://example/eve",
        "spiffe://example/ada/",
        "spiffe://example/ADA",
        "SPIFFE://example/ada",
        "spiffe://Example/ada",
        "spiffe://example/%61da",
        "spiffe://ada@example/ada",
        "spiffe://example:443/ada",
        "spiffe://example/ada?x",
        "spiffe://example/ada\0",
        "spiffe://example/*",
        "ada.example",
    ] {
        let channel = connect_as(uri).await;
        for method in methods().into_iter().step_by(rounds(8, 1)) {
            let status = call_empty(with_token(&channel, None), &method).await;
            assert_eq!(status.code(), Code::Unauthenticated, "{method} as {uri:?}: {status:?}");
        }
    }
    for method in methods() {
        let status = call_empty(with_token(&ada, None), &method).await;
        assert_ne!(status.code(), Code::Unauthenticated, "{method}: {status:?}");
    }
}

#[tokio::test]
async fn every_call_requires_exactly_its_right() {
    let server = TestServer::with(|config| {
        let file = config.data_dir.parent().unwrap().join("principals.toml");
        let table = |right: &str| {
            format!("[only-{right}]\ntokens = [\"{}\"]\nmay = [\"{right}\"]\n", digest(right))
        };
        std::fs::write(&file, RIGHT_NAMES.map(table).concat()).unwrap();
        config.security.principals = Some(file);
    })
    .await;
    let listed_methods: BTreeSet<String> =
        REQUIRED_RIGHTS.iter().map(|(method, _)| (*method).to_owned()).collect();
    let methods = methods().into_iter().collect();
    assert_eq!(listed_methods, methods, "REQUIRED_RIGHTS must list every method");
    for (method, required) in REQUIRED_RIGHTS {
        for right in RIGHT_NAMES {
            let status = call_empty(with_token(&server.channel, Some(right)), method).await;
            let is_denied = status.code() == Code::PermissionDenied;
            let is_permitted = required.is_none_or(|required| required == right);
            assert_eq!(is_denied, !is_permitted, "{method} with {right}: {status:?}");
            if is_denied {
                let message = format!("only-{right} may not {}", required.unwrap());
                assert!(status.message().starts_with(&message), "{status:?}");
            }
        }
    }
}

#[tokio::test]
async fn policy_overrides_require_their_own_right() {
    let server = start_server(&Issuer::new()).await;
    let report = r#""report": {"synthesis": "The pool size is 20."}, "evidence": [{"id": "a",
        "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_LOGS", "text": "pool size is 20"}]"#;
    let overrides = r#""policyOverrides": {}"#;
    let evaluate = format!("{{{report}, {overrides}}}");
    let (_, evidence) = report.split_once(", ").unwrap();
    let candidates =
        r#""candidates": [{"synthesis": "The pool size is 20."}, {"synthesis": "It is 30."}]"#;
    for (method, document) in [
        ("GroundingService/Evaluate", evaluate.clone()),
        (
            "GroundingService/EvaluateStream",
            format!("{{\"correlationId\": \"a\", \"request\": {evaluate}}}"),
        ),
        ("GroundingService/SelectBest", format!("{{{candidates}, {evidence}, {overrides}}}")),
        (
            "InvestigationService/StartInvestigation",
            format!("{{\"investigationId\": \"a\", {overrides}}}"),
        ),
        (
            "InvestigationService/Drive",
            format!("{{\"start\": {{\"investigationId\": \"b\", {overrides}}}}}"),
        ),
    ] {
        for (token, is_permitted) in [("secret-of-ada", true), ("secret-of-a-caller", false)] {
            let answer =
                call(with_token(&server.channel, Some(token)), method, &[document.as_str()]).await;
            let is_denied = answer.code() == Code::PermissionDenied
                || answer.documents.concat().contains("PERMISSION_DENIED");
            assert_eq!(is_denied, !is_permitted, "{method}: {answer:?}");
            assert!(is_denied || answer.code() == Code::Ok, "{method}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn every_http_path_rejects_invalid_credentials() {
    let issuer = Issuer::new();
    let server = TestServer::with(|config| {
        configure_principals(config, &issuer);
        config.gateway.address = Some("127.0.0.1:0".parse().unwrap());
    })
    .await;
    let http = http::client();
    let base = format!("http://{}", server.gateway.unwrap());
    let openapi = http.get(format!("{base}/openapi.json")).send().await.unwrap();
    let openapi: Value = serde_json::from_str(&openapi.text().await.unwrap()).unwrap();
    let paths: Vec<String> = openapi["paths"].as_object().unwrap().keys().cloned().collect();
    let protected_paths: Vec<&String> =
        paths.iter().filter(|path| path.as_str() != "/v1/health").collect();
    assert!(protected_paths.len() >= 25, "{paths:?}");

    let post = async |path: &str, tokens: &[&str]| {
        let mut request = http
            .post(format!("{base}{path}"))
            .header("content-type", "application/json")
            .body("{}");
        for token in tokens {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let invalid_tokens = invalid_tokens(&issuer);
    let two_tokens = [TOKENS[0], TOKENS[1]];
    for path in &protected_paths {
        for (case, token) in &invalid_tokens {
            let tokens: Vec<&str> = token.iter().map(String::as_str).collect();
            let (status, text) = post(path, &tokens).await;
            assert_eq!(status, 401, "{path} with {case}: {text}");
        }
        let (status, text) = post(path, &two_tokens).await;
        assert_eq!(status, 401, "{path} with two tokens: {text}");
        let (status, text) = post(path, &[TOKENS[0]]).await;
        assert!(![401, 403, 500].contains(&status), "{path}: {text}");
    }
}
