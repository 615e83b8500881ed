//! Explores graphs against a real server with a fake chat model.

use std::path::Path;

use gsar_chat_wire::{ScriptedReply, Server};
use gsar_client::connection::TemporaryServer;
use gsar_client::{ActiveInvestigation, Client, Item, v1};
use gsar_core::evidence::Lane;
use serde_json::json;
use v1::BeliefLabel;

use crate::machine::{Machine, stderr, stdout};
use crate::server_binary::server_binary;

const API: &str = "shop/Deployment/api";
const DB: &str = "shop/StatefulSet/db";
const API_LOG: &str = "api: requests to db take 4000 ms";
const DB_CHANGE: &str = "db: max_connections was lowered from 200 to 20";

/// Returns a server configuration in which a fake model looks at entities. The model's API key is written to `folder`.
fn configuration(provider: &Server, folder: &Path) -> String {
    let name = "openai-compatible:looker";
    let model = provider.model_table(name, folder).unwrap();
    format!(
        "[judges]\nchain = [\"rules/2\"]\nlook = \"{name}\"\n[evidence]\nembeddings = \"off\"\n\
         {model}attempts = 1\n"
    )
}

fn answer(label: &str, text: &str) -> ScriptedReply {
    let citation = json!({ "evidence": "E1", "field_path": null, "quote": text });
    let answer = json!({
        "label": label,
        "observations": [{ "text": text, "citations": [citation] }],
        "propagations": [{ "from": DB, "to": API }],
        "suspects": [],
    });
    ScriptedReply::answer(&answer.to_string())
}

/// Lets the provider respond according to the evidence in the prompt.
fn answer_by_evidence(provider: &Server) {
    provider.answer_with(|request| match request.body.to_string().contains(DB_CHANGE) {
        true => answer("origin", DB_CHANGE),
        false => answer("symptom", API_LOG),
    });
}

async fn start(provider: &Server) -> (TemporaryServer, ActiveInvestigation) {
    let folder = tempfile::tempdir().unwrap();
    let configuration = configuration(provider, folder.path());
    let mut server = TemporaryServer::with_config(&server_binary(), &configuration).unwrap();
    let client = server.connect().await.unwrap();
    let investigation = begin(&client).await;
    (server, investigation)
}

async fn begin(client: &Client) -> ActiveInvestigation {
    let request = v1::StartInvestigationRequest {
        investigation_id: "inc".to_owned(),
        graph: Some(v1::Graph {
            edges: vec![v1::GraphEdge { from: DB.to_owned(), to: API.to_owned() }],
            alerts: vec![API.to_owned()],
            ..Default::default()
        }),
        ..Default::default()
    };
    ActiveInvestigation::start(client, request).await.unwrap()
}

async fn record(investigation: &mut ActiveInvestigation, items: &[(&str, Lane, &str)]) {
    let call = |(id, lane, text): &(&str, Lane, &str)| v1::ToolCall {
        tool: (*id).to_owned(),
        result: Some(Item::text(*id, *text).lane(*lane).into()),
        ..Default::default()
    };
    let tool_calls = items.iter().map(call).collect();
    let turn = v1::RecordTurnRequest { tool_calls, ..Default::default() };
    investigation.record_turn(turn).await.unwrap();
}

fn labels(investigation: &ActiveInvestigation) -> Vec<(&str, BeliefLabel)> {
    let graph = investigation.state().graph.as_ref().unwrap();
    graph.entities.iter().map(|belief| (belief.entity.as_str(), belief.label())).collect()
}

#[tokio::test]
async fn model_finds_the_origin() {
    let provider = Server::start().await.unwrap();
    answer_by_evidence(&provider);
    let (server, mut investigation) = start(&provider).await;
    // Nothing is stored yet.
    investigation.explore().await.unwrap();
    assert_eq!((provider.counts().requests, investigation.state().step), (0, 0));

    let evidence = [("api-log", Lane::Logs, API_LOG), ("rollout", Lane::Change, DB_CHANGE)];
    record(&mut investigation, &evidence).await;
    investigation.explore().await.unwrap();
    assert_eq!(labels(&investigation), [(API, BeliefLabel::Symptom), (DB, BeliefLabel::Origin)]);
    let graph = investigation.state().graph.as_ref().unwrap();
    assert_eq!((graph.frontier.as_slice(), graph.due.len()), (&[DB.to_owned()][..], 0));
    let spent = investigation.state().spent.as_ref().unwrap();
    assert!(spent.tokens > 0, "{spent:?}");
    server.stop().await;
}

#[tokio::test]
async fn unusable_answers_defer_an_entity() {
    let oversized = answer("symptom", &"long ".repeat(100_000));
    for (reply, has_belief) in
        [(ScriptedReply::answer("It is the origin."), false), (oversized, true)]
    {
        let provider = Server::start().await.unwrap();
        provider.always(reply);
        let (server, mut investigation) = start(&provider).await;
        record(&mut investigation, &[("api-log", Lane::Logs, API_LOG)]).await;
        let look = investigation.explore_next().await.unwrap().unwrap();
        assert_eq!((look.look.unwrap().entity.as_str(), look.belief.is_some()), (API, has_belief));
        investigation.explore().await.unwrap();
        assert_eq!(labels(&investigation)[0], (API, BeliefLabel::Defer));
        server.stop().await;
    }
}

#[tokio::test]
async fn entity_stays_due_if_the_model_does_not_answer() {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::Status(401));
    let (server, mut investigation) = start(&provider).await;
    record(&mut investigation, &[("api-log", Lane::Logs, API_LOG)]).await;
    investigation.explore().await.unwrap();
    let due = &investigation.state().graph.as_ref().unwrap().due;
    assert_eq!((due[0].entity.as_str(), provider.counts().requests), (API, 1));

    answer_by_evidence(&provider);
    assert_eq!(investigation.explore_next().await.unwrap(), None);
    record(&mut investigation, &[("rollout", Lane::Change, DB_CHANGE)]).await;
    investigation.explore().await.unwrap();
    assert_eq!(labels(&investigation), [(API, BeliefLabel::Symptom), (DB, BeliefLabel::Origin)]);
    server.stop().await;
}

#[tokio::test]
async fn closed_gate_ends_the_exploration() {
    let provider = Server::start().await.unwrap();
    answer_by_evidence(&provider);
    let (server, mut investigation) = start(&provider).await;
    record(&mut investigation, &[("api-log", Lane::Logs, API_LOG)]).await;
    // The fourth turn without new evidence closes the gate.
    for _ in 0..4 {
        investigation.record_turn(v1::RecordTurnRequest::default()).await.unwrap();
    }
    let step = investigation.state().step;
    investigation.explore().await.unwrap();
    assert_eq!((provider.counts().requests, investigation.state().step), (0, step));
    assert!(!investigation.is_finished());
    server.stop().await;
}

/// Sends evidence in the first turn, and cancels when no entity is due.
const ORCHESTRATOR: &str = r#"
import json, sys
sys.stdin.readline()
item = lambda id, lane, text: {"tool": id, "result": {"id": id, "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": lane, "text": text}}
calls = [item("api-log", "EVIDENCE_LANE_LOGS", sys.argv[1]), item("rollout", "EVIDENCE_LANE_CHANGE", sys.argv[2])]
print(json.dumps({"turn": {"toolCalls": calls}}), flush=True)
assert json.loads(sys.stdin.readline())["graph"].get("due", []) == []
print(json.dumps({"cancel": {}}), flush=True)
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn command_explores_between_responses_of_the_orchestrator() {
    let provider = Server::start().await.unwrap();
    answer_by_evidence(&provider);
    let machine = Machine::new();
    let path = |name: &str| machine.folder.path().join(name).to_str().unwrap().to_owned();
    let (config, graph) = (path("gsar.toml"), path("graph.json"));
    std::fs::write(&config, configuration(&provider, machine.folder.path())).unwrap();
    let edges = json!({ "edges": [{ "from": DB, "to": API }], "alerts": [API] });
    std::fs::write(&graph, edges.to_string()).unwrap();
    let command = ["drive", "--id", "inc", "--graph", &graph, "--explore", "--"];
    let orchestrator = ["/usr/bin/env", "python3", "-c", ORCHESTRATOR, API_LOG, DB_CHANGE];
    let output = machine
        .command(&[&command[..], &orchestrator].concat())
        .env("GSAR_CONFIG", &config)
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(11), "{}", stderr(&output));
    assert!(!stdout(&output).contains("unchanged report"), "the investigation was cancelled");
    let looks: Vec<&str> =
        stdout(&output).lines().filter(|line| line.starts_with("  look")).collect();
    assert_eq!(
        looks,
        [
            "  look   unseen   shop/Deployment/api (no stored evidence mentions it)",
            "  look   symptom  shop/Deployment/api",
            "  look   origin   shop/StatefulSet/db",
            // The entity has news from its neighbour, so the model looks at it again.
            "  look   symptom  shop/Deployment/api",
        ]
    );
}
