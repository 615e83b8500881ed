//! Tests the HTTP gateway, partly by comparing its responses with those over gRPC.

use crate::support::{self, TestServer, http};
use gsar_proto::json;
use gsar_proto::v1;
use gsar_server::config::Config;
use reqwest::{RequestBuilder, StatusCode};
use serde_json::Value;

async fn start_server(change: impl FnOnce(&mut Config)) -> TestServer {
    let with_gateway = |config: &mut Config| {
        config.gateway.address = Some("127.0.0.1:0".parse().unwrap());
        change(config);
    };
    TestServer::with(with_gateway).await
}

fn url(server: &TestServer, path: &str) -> String {
    format!("http://{}{path}", server.gateway.unwrap())
}

fn post(server: &TestServer, path: &str, document: &str) -> RequestBuilder {
    let request = http::client().post(url(server, path)).body(document.to_owned());
    request.header("content-type", "application/json")
}

async fn problem(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    (answer.status(), serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

fn without_id_and_times(answer: v1::EvaluateResponse) -> v1::EvaluateResponse {
    let provenance = answer.provenance.map(|provenance| v1::Provenance {
        evaluated_at: None,
        timings: Vec::new(),
        ..provenance
    });
    v1::EvaluateResponse { evaluation_id: String::new(), provenance, ..answer }
}

#[tokio::test]
async fn http_answer_equals_grpc_answer() {
    let server = start_server(|_| {}).await;
    let request = support::request();
    let grpc_answer = server.grounding().evaluate(request.clone()).await.unwrap().into_inner();
    let answer = post(&server, "/v1/evaluate", &json::to_json(&request).unwrap()).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    let document = answer.text().await.unwrap();
    let http_answer: v1::EvaluateResponse = json::from_json(document.trim()).unwrap();
    assert_eq!(without_id_and_times(http_answer), without_id_and_times(grpc_answer));

    let score = r#"{"counts": {"counts": [{"class": "CLAIM_CLASS_GROUNDED", "type": "EVIDENCE_TYPE_TOOL_MATCH", "count": 3}]}}"#;
    let score_answer =
        post(&server, "/v1/score", score).send().await.unwrap().text().await.unwrap();
    let score_answer: v1::ScoreResponse = json::from_json(score_answer.trim()).unwrap();
    assert_eq!(score_answer.decision.unwrap().tier(), v1::Tier::Proceed);
    let list_answer = post(&server, "/v1/evaluations", "{}").send().await.unwrap();
    let list_answer: v1::ListEvaluationsResponse =
        json::from_json(list_answer.text().await.unwrap().trim()).unwrap();
    assert_eq!(list_answer.evaluations.len(), 2);
}

#[tokio::test]
async fn compact_answer_omits_default_values() {
    let server = start_server(|_| {}).await;
    let request = json::to_json(&support::request()).unwrap();
    let answer = async |query: &str| {
        let path = format!("/v1/evaluate{query}");
        post(&server, &path, &request).send().await.unwrap().text().await.unwrap()
    };
    let full_answer = answer("").await;
    assert!(full_answer.contains("\"gaps\":[]"), "{full_answer}");
    for query in ["?compact", "?compact=true", "?x=y&compact=1"] {
        let compact_answer = answer(query).await;
        assert!(
            compact_answer.len() < full_answer.len(),
            "{} bytes, compared with {}",
            compact_answer.len(),
            full_answer.len()
        );
        for default_value in ["[]", ":\"\"", ":false", "_UNSPECIFIED", ":null"] {
            assert!(
                !compact_answer.contains(default_value),
                "{default_value} is in {compact_answer}"
            );
        }
        let compact_response: v1::EvaluateResponse =
            json::from_json(compact_answer.trim()).unwrap();
        let full_answer: v1::EvaluateResponse = json::from_json(full_answer.trim()).unwrap();
        assert_eq!(without_id_and_times(compact_response), without_id_and_times(full_answer));
    }
    assert!(answer("?compact=false").await.contains("\"gaps\":[]"));
}

#[tokio::test]
async fn errors_are_problem_documents_that_name_the_cause() {
    let server = start_server(|config| config.limits.message.0 = 64 << 10).await;
    let (status, body) =
        problem(post(&server, "/v1/evaluation", "{\"evaluationId\": \"none\"}")).await;
    assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &"NOT_FOUND".into()), "{body}");
    let (status, body) = problem(post(&server, "/v1/evaluate", "{}")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(body["violations"][0]["field"], "report", "{body}");
    for (document, part) in [
        ("", "EOF"),
        ("{\"reports\": {}}", "reports"),
        ("{\"report\": 3}", "column 12"),
        ("{} {}", "trailing"),
    ] {
        let (status, body) = problem(post(&server, "/v1/evaluate", document)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{document}");
        assert!(body["detail"].as_str().unwrap().contains(part), "{document}: {body}");
    }
    let long_key = format!("{{\"idempotencyKey\": \"{}\"}}", "x".repeat(65 << 10));
    let (status, _) = problem(post(&server, "/v1/evaluate", &long_key)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let plain_text = http::client().post(url(&server, "/v1/evaluate")).body("{}");
    assert_eq!(problem(plain_text).await.0, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let get_request = http::client().get(url(&server, "/v1/evaluate"));
    assert_eq!(problem(get_request).await.0, StatusCode::METHOD_NOT_ALLOWED);
    let request_with_short_deadline =
        post(&server, "/v1/evaluate", &json::to_json(&support::request()).unwrap());
    let (status, body) = problem(request_with_short_deadline.header("grpc-timeout", "1n")).await;
    assert_eq!(
        (status, &body["reason"]),
        (StatusCode::GATEWAY_TIMEOUT, &"DEADLINE_EXCEEDED".into())
    );
}

#[tokio::test]
async fn unfinished_requests_count_as_calls() {
    use tokio::io::AsyncWriteExt as _;
    let server = start_server(|config| config.limits.calls_in_flight = 2).await;
    let head = "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                content-length: 100\r\n\r\n{";
    let mut open_streams = Vec::new();
    for _ in 0..2 {
        let mut stream = tokio::net::TcpStream::connect(server.gateway.unwrap()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open_streams.push(stream);
    }
    // Further requests are rejected once the server is reading both bodies.
    let rejected = loop {
        let (status, body) = problem(post(&server, "/v1/evaluate", "{}")).await;
        if status != StatusCode::BAD_REQUEST {
            break (status, body);
        }
    };
    assert_eq!(rejected.0, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(rejected.1["reason"], "TOO_MANY_CALLS", "{}", rejected.1);
    drop(open_streams);
    let status = loop {
        let (status, _) = problem(post(&server, "/v1/evaluate", "{}")).await;
        if status != StatusCode::TOO_MANY_REQUESTS {
            break status;
        }
    };
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn http_cannot_store_grade_or_delete() {
    let server = start_server(|_| {}).await;
    for path in [
        "/v1/grade",
        "/gsar.v1.LedgerService/Grade",
        "/gsar.v1.LedgerService/DeleteEvaluation",
        "/gsar.v1.EvidenceService/PutEvidence",
        "/gsar.v1.EvidenceService/DeleteCorpus",
        "/gsar.v1.InvestigationService/StartInvestigation",
    ] {
        assert_eq!(problem(post(&server, path, "{}")).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn rejects_foreign_origins_and_hosts() {
    let console = "http://localhost:5173";
    let server =
        start_server(|config| config.gateway.allowed_origins = vec![console.to_owned()]).await;
    let evaluate = || post(&server, "/v1/evaluate", "{}");
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("host", "evil.example"),
        ("host", "127.0.0.1.evil.example"),
    ] {
        let (status, body) = problem(evaluate().header(name, value)).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{name}: {value}: {body}");
    }
    let health = http::client().get(url(&server, "/v1/health")).header("host", "evil.example");
    assert_eq!(problem(health).await.0, StatusCode::FORBIDDEN);

    let request = http::client()
        .request(reqwest::Method::OPTIONS, url(&server, "/v1/evaluate"))
        .header("origin", console)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let allowed = request.send().await.unwrap();
    assert_eq!(allowed.headers()["access-control-allow-origin"], console);
    let response = evaluate().header("origin", console).send().await.unwrap();
    assert_eq!(response.headers()["access-control-allow-origin"], console);
}

#[tokio::test]
async fn serves_health_and_the_api_description() {
    let mut server = start_server(|_| {}).await;
    let health = http::client().get(url(&server, "/v1/health")).send().await.unwrap();
    assert_eq!(health.text().await.unwrap().trim(), r#"{"status":"SERVING"}"#);
    let description = http::client().get(url(&server, "/openapi.json")).send().await.unwrap();
    let description: Value = serde_json::from_str(&description.text().await.unwrap()).unwrap();
    let evaluate = &description["paths"]["/v1/evaluate"]["post"];
    assert_eq!(
        evaluate["requestBody"]["content"]["application/json"]["schema"]["$ref"],
        "#/components/schemas/EvaluateRequest"
    );
    server.begin_shutdown();
    server.wait_until_stopped().await.unwrap();
}

/// If `GSAR_WRITE` is set, this test first writes the file.
#[test]
fn committed_api_description_is_current() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../proto/openapi.json");
    let current = gsar_server::gateway::document().unwrap() + "\n";
    if std::env::var_os("GSAR_WRITE").is_some() {
        std::fs::write(&file, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == current, "proto/openapi.json is stale; run `make openapi`");
}
