//! Tests that the SDK, streams, HTTP and the command line return the same verdicts.

use std::collections::BTreeMap;
use std::path::Path;

use crate::server_binary::server_binary;
use gsar_client::connection::TemporaryServer;
use gsar_client::{Client, Endpoint, evidence, json, v1};
use gsar_datasets::{ReportKind, incidents};
use serde_json::Value;
use tokio::process::Command;

struct Endpoints {
    server: TemporaryServer,
    client: Client,
    gateway: String,
    http: reqwest::Client,
}

impl Endpoints {
    async fn start() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let binary = server_binary();
        let configuration = "judges.chain = [\"rules/2\"]\ngateway.address = \"127.0.0.1:0\"\n";
        let mut server = TemporaryServer::with_config(&binary, configuration).unwrap();
        let client = server.connect().await.unwrap();
        let Endpoint::Unix(socket) = client.endpoint() else { panic!("{}", client.endpoint()) };
        let log = std::fs::read_to_string(socket.with_file_name("stderr")).unwrap();
        let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let listening = lines.find(|line| line["message"] == "listening for HTTP").unwrap();
        let gateway = listening["address"].as_str().unwrap().to_owned();
        Self { server, client, gateway, http: reqwest::Client::new() }
    }

    async fn post(&self, path: &str, document: String) -> Value {
        let request = self.http.post(format!("{}{path}", self.gateway)).body(document);
        let answer = request.header("content-type", "application/json").send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    }

    async fn run_command(&self, arguments: &[&str], input: Option<&Path>) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gsar"));
        let endpoint = self.client.endpoint().to_string();
        command.args(arguments).args(["--output", "json", "--endpoint", &endpoint]);
        if let Some(file) = input {
            command.arg("--request").arg(file);
        }
        String::from_utf8(command.output().await.unwrap().stdout).unwrap()
    }
}

fn verdict(answer: &Value) -> Value {
    let part = |name: &str| answer.get(name).cloned().unwrap_or_default();
    serde_json::json!({
        "decision": part("decision"), "score": part("score"), "guardedScore": part("guardedScore"),
        "claims": part("claims"), "corrections": part("corrections"), "gate": part("gate"), "cap": part("cap"),
    })
}

fn value<T: json::Named + prost::Message>(message: &T) -> Value {
    serde_json::from_str(&json::to_json(message).unwrap()).unwrap()
}

#[tokio::test]
async fn scores_agree_and_match_the_expected_values() {
    let endpoints = Endpoints::start().await;
    let cases = gsar_datasets::cases().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.jsonl");
    let lines: Vec<String> = cases.iter().map(|case| case.request.to_string()).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let command_answer = endpoints.run_command(&["score"], Some(&file)).await;
    let command_answer: Vec<Value> =
        command_answer.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(command_answer.len(), cases.len());
    let mut failed = Vec::new();
    for ((case, document), command_answer) in cases.iter().zip(lines).zip(command_answer) {
        for difference in gsar_datasets::differences(&case.expect, &command_answer) {
            failed.push(format!("{}{difference} ({})", case.name, case.why));
        }
        let request: v1::ScoreRequest = json::from_json(&document).unwrap();
        let sdk_verdict = verdict(&value(&endpoints.client.score(request).await.unwrap()));
        let http_answer = endpoints.post("/v1/score", document).await;
        assert_eq!(verdict(&http_answer), sdk_verdict, "{} over HTTP", case.name);
        assert_eq!(verdict(&command_answer), sdk_verdict, "{} on the command line", case.name);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    endpoints.server.stop().await;
}

#[tokio::test]
async fn evaluations_agree() {
    let endpoints = Endpoints::start().await;
    let mut requests = BTreeMap::new();
    for incident in incidents().unwrap() {
        let items = evidence::load(&[incident.evidence()]).unwrap().items;
        for kind in ReportKind::ALL {
            let file = incident.report(kind);
            let synthesis = std::fs::read_to_string(&file).unwrap();
            let report = v1::Report { synthesis, ..v1::Report::default() };
            let request = v1::EvaluateRequest {
                report: Some(report),
                evidence: items.clone(),
                ..v1::EvaluateRequest::default()
            };
            requests.insert(file.display().to_string(), (request, incident.evidence()));
        }
    }
    let streamed = requests.iter().map(|(name, (request, _))| v1::EvaluateStreamRequest {
        correlation_id: name.clone(),
        request: Some(request.clone()),
    });
    let streamed: Vec<_> = streamed.collect();
    let mut answers =
        endpoints.client.evaluate_stream(futures_util::stream::iter(streamed)).await.unwrap();
    let mut stream_verdicts = BTreeMap::new();
    while let Some(answer) = answers.next().await.unwrap() {
        let Some(v1::evaluate_stream_response::Result::Evaluation(evaluation)) = answer.result
        else {
            panic!("{answer:?}");
        };
        stream_verdicts.insert(answer.correlation_id, verdict(&value(&*evaluation)));
    }
    for (file, (request, folder)) in requests {
        let document = json::to_json(&request).unwrap();
        let sdk_verdict = verdict(&value(&endpoints.client.evaluate(request).await.unwrap()));
        let http_answer = endpoints.post("/v1/evaluate", document).await;
        let folder = folder.display().to_string();
        let command_answer =
            endpoints.run_command(&["evaluate", &file, "--evidence", &folder], None).await;
        let command_answer: Value = serde_json::from_str(&command_answer).unwrap();
        assert_eq!(verdict(&http_answer), sdk_verdict, "{file} over HTTP");
        assert_eq!(stream_verdicts.get(&file), Some(&sdk_verdict), "{file} over a stream");
        assert_eq!(verdict(&command_answer), sdk_verdict, "{file} on the command line");
    }
    endpoints.server.stop().await;
}
