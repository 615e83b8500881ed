//! Tests looking at an entity in a graph: the passages about it, and a chat model's belief about it.

use crate::support::chat_models::Models;
use crate::support::investigations::{self, turn};
use crate::support::{TestServer, codes, item};
use gsar_chat_wire::{ScriptedReply, Server};
use gsar_proto::v1::{self, BeliefLabel, EvidenceLane};
use gsar_server::config::Model;
use serde_json::json;
use tonic::{Code, Status};

const NAME: &str = "openai:looker-1";
const CART: &str = "shop/Deployment/cart";
const DB: &str = "shop/StatefulSet/db";

/// Returns a start request with an alert on the database. The onset is at 1000 s, in a window from 500 s to 1500 s.
fn start(id: &str) -> v1::StartInvestigationRequest {
    v1::StartInvestigationRequest {
        onset: Some(timestamp(1_000)),
        onset_window: Some(v1::TimeWindow {
            start: Some(timestamp(500)),
            end: Some(timestamp(1_500)),
        }),
        graph: Some(v1::Graph {
            edges: vec![v1::GraphEdge { from: DB.to_owned(), to: CART.to_owned() }],
            aliases: vec![v1::EntityAliases {
                names: vec![DB.to_owned(), "shop/Service/postgres".to_owned()],
            }],
            alerts: vec![DB.to_owned()],
            ..Default::default()
        }),
        ..investigations::start(id)
    }
}

fn timestamp(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 0 }
}

fn tool_call(id: &str, lane: EvidenceLane, seconds: i64, text: &str) -> v1::ToolCall {
    let item = v1::EvidenceItem {
        lane: lane.into(),
        collected_at: Some(timestamp(seconds)),
        ..item(id, text)
    };
    investigations::tool_call("kubectl", id, Some(item))
}

/// Returns three changes to the database with long texts, newest first.
fn long_changes(repeats: usize) -> Vec<v1::ToolCall> {
    let changes = [("one", 990), ("two", 980), ("three", 970)].map(|(id, seconds)| {
        let text = format!("db {id}: {}", "set ".repeat(repeats));
        tool_call(id, EvidenceLane::Change, seconds, &text)
    });
    changes.to_vec()
}

async fn begin(server: &TestServer, id: &str, tool_calls: Vec<v1::ToolCall>) {
    server.begin(start(id)).await;
    server.record_turn(turn(id, 0, tool_calls)).await.unwrap();
}

fn request(id: &str, entity: &str) -> v1::LookAtEntityRequest {
    v1::LookAtEntityRequest {
        investigation_id: id.to_owned(),
        entity: entity.to_owned(),
        ..Default::default()
    }
}

async fn look(
    server: &TestServer,
    request: v1::LookAtEntityRequest,
) -> Result<v1::LookAtEntityResponse, Status> {
    Ok(server.investigations().look_at_entity(request).await?.into_inner())
}

fn items(answer: &v1::LookAtEntityResponse) -> Vec<&str> {
    let hits = answer.passages.iter().map(|passage| passage.hit.as_ref().unwrap());
    hits.map(|hit| hit.evidence_id.as_str()).collect()
}

/// Starts a server with a model that is only used to look at entities.
async fn start_server(provider: &Server, change: impl FnOnce(&mut Model)) -> TestServer {
    let models = Models::new().with(NAME, provider, |model| {
        model.canary = true;
        change(model);
    });
    models
        .start(|config| {
            config.judges.look = Some(NAME.to_owned());
            config.judges.chain = vec!["rules/2".to_owned()];
        })
        .await
}

fn answer(label: &str, observations: &[(&str, &str, &str)]) -> String {
    let observations: Vec<_> = observations
        .iter()
        .map(|(text, evidence, quote)| {
            let citation = json!({ "evidence": evidence, "field_path": null, "quote": quote });
            json!({ "text": text, "citations": [citation] })
        })
        .collect();
    let propagations = json!([{ "from": DB, "to": CART }, { "from": CART, "to": "nobody" }]);
    json!({
        "label": label, "observations": observations,
        "propagations": propagations, "suspects": [CART, "nobody"],
    })
    .to_string()
}

#[tokio::test]
async fn changes_come_first_and_other_entities_are_excluded() {
    let server = TestServer::start().await;
    let calls = vec![
        tool_call("quiet", EvidenceLane::Logs, 1_020, "db db db: checkpoint complete"),
        tool_call("log", EvidenceLane::Logs, 1_010, "db: connections refused"),
        tool_call("after", EvidenceLane::Change, 1_200, "db: limit raised"),
        tool_call("early", EvidenceLane::Change, 600, "db: image v1 rolled out"),
        tool_call("late", EvidenceLane::Change, 990, "postgres: max_connections lowered to 20"),
        tool_call("stale", EvidenceLane::Logs, 100, "db: started"),
        tool_call("other", EvidenceLane::Logs, 1_010, "cart: waits for a connection"),
    ];
    begin(&server, "inc", calls).await;
    let answer = look(&server, request("inc", "shop/Service/postgres")).await.unwrap();
    assert_eq!(items(&answer), ["late", "early", "after", "log", "quiet"]);
    assert_eq!((answer.left_out, &answer.belief), (0, &None));
    let look = answer.look.unwrap();
    assert_eq!((look.entity.as_str(), look.neighbours[0].entity.as_str()), (DB, CART));
    assert_eq!(answer.passages[0].lane(), EvidenceLane::Change);
    assert_eq!(answer.passages[0].collected_at, Some(timestamp(990)));
}

#[tokio::test]
async fn passages_are_limited_in_bytes() {
    let server = TestServer::start().await;
    begin(&server, "inc", long_changes(150)).await;
    let bounded_request = v1::LookAtEntityRequest { max_bytes: 1_300, ..request("inc", DB) };
    let answer = look(&server, bounded_request.clone()).await.unwrap();
    assert_eq!((items(&answer), answer.left_out), (vec!["one", "two"], 1));
    let next_request = v1::LookAtEntityRequest { skip: 2, ..bounded_request.clone() };
    let answer = look(&server, next_request).await.unwrap();
    assert_eq!((items(&answer), answer.left_out), (vec!["three"], 0));
    // Smaller passages do not overtake one that does not fit, and each page contains at least one passage.
    let large = tool_call("large", EvidenceLane::Change, 995, &format!("db {}", "x".repeat(1_200)));
    let small = tool_call("small", EvidenceLane::Change, 960, "db small");
    begin(&server, "mixed", vec![large, small]).await;
    for (skip, expected, left_out) in [(0, "large", 1), (1, "small", 0)] {
        let request = v1::LookAtEntityRequest { max_bytes: 1_024, skip, ..request("mixed", DB) };
        let answer = look(&server, request).await.unwrap();
        assert_eq!((items(&answer), answer.left_out), (vec![expected], left_out));
    }
    for max_bytes in [1, (1 << 20) + 1] {
        let invalid_request = v1::LookAtEntityRequest { max_bytes, ..bounded_request.clone() };
        let status = look(&server, invalid_request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("expected 1024 to 1048576"), "{}", status.message());
    }
}

#[tokio::test]
async fn rejects_invalid_look_requests() {
    let server = TestServer::start().await;
    begin(&server, "inc", Vec::new()).await;
    let code = async |request| look(&server, request).await.unwrap_err().code();
    assert_eq!(code(request("none", DB)).await, Code::NotFound);
    assert_eq!(code(request("inc", "nobody")).await, Code::InvalidArgument);
    assert_eq!(code(request("inc", CART)).await, Code::FailedPrecondition);
    let with_model = v1::LookAtEntityRequest { ask_model: true, ..request("inc", DB) };
    let status = look(&server, with_model).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("judges.look"), "{}", status.message());
    let without_graph = v1::StartInvestigationRequest { graph: None, ..start("plain") };
    server.begin(without_graph).await;
    assert_eq!(code(request("plain", DB)).await, Code::InvalidArgument);
    let answer = look(&server, request("inc", DB)).await.unwrap();
    assert!(answer.passages.is_empty() && answer.belief.is_none());
}

#[tokio::test]
async fn model_beliefs_are_verified() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, |model| {
        model.hide = Some(true);
        (model.input_price, model.output_price) = (Some(150_000), Some(600_000));
    })
    .await;
    let change_text = "db: max_connections was lowered from 200 to 20 by mail@shop.example";
    begin(&server, "inc", vec![tool_call("rollout", EvidenceLane::Change, 990, change_text)]).await;
    let true_observation =
        ("max_connections of db was lowered from 200 to 20", "E1", "lowered from 200 to 20");
    let invented_observation = ("db lost its disk", "E1", "lost its disk");
    provider.always(ScriptedReply::answer(&answer(
        "origin",
        &[true_observation, invented_observation],
    )));
    let with_model = v1::LookAtEntityRequest { ask_model: true, ..request("inc", DB) };
    let answer = look(&server, with_model).await.unwrap();
    let prompt = provider.requests().last().unwrap().body.to_string();
    assert!(prompt.contains("max_connections was lowered") && prompt.contains(CART), "{prompt}");
    assert!(!prompt.contains("mail@shop.example"), "{prompt}");
    let [call] = answer.calls.as_slice() else { panic!("{:?}", answer.calls) };
    assert_eq!((call.purpose.as_str(), call.judge.as_str()), ("look", NAME));
    assert!(call.cost_micros.is_some() && call.prompt.len() == 64);
    let belief = answer.belief.unwrap();
    assert_eq!((belief.label(), belief.observations.len()), (BeliefLabel::Origin, 2));
    assert_eq!(belief.observations[0].citations[0].evidence_id, "rollout");
    // Propagations and suspects outside the graph are dropped.
    assert_eq!(belief.propagations, [v1::GraphEdge { from: DB.to_owned(), to: CART.to_owned() }]);
    assert_eq!(belief.suspects, [CART]);
    assert_eq!(codes(&answer.reasons), ["PROPAGATION_UNKNOWN", "SUSPECT_UNKNOWN"]);
    let turn = v1::RecordTurnRequest { beliefs: vec![belief], ..turn("inc", 1, Vec::new()) };
    let graph = server.record_turn(turn).await.unwrap().graph.unwrap();
    let belief_about_db = graph.entities.iter().find(|belief| belief.entity == DB).unwrap();
    assert_eq!(
        (belief_about_db.label(), belief_about_db.evidence_ids.as_slice()),
        (BeliefLabel::Origin, &["rollout".to_owned()][..])
    );
    assert_eq!(codes(&belief_about_db.reasons), ["OBSERVATION_NOT_SHOWN"]);
}

#[tokio::test]
async fn long_packets_are_split_into_overlapping_chunks() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, |model| model.max_evidence.0 = 2_048).await;
    begin(&server, "inc", long_changes(200)).await;
    let healthy = answer("healthy", &[("db one is set", "E1", "db one")]);
    let origin = answer("origin", &[("db three is set", "E2", "db three")]);
    provider.answer_with(move |request| {
        let is_last_chunk = request.body.to_string().contains("db three");
        ScriptedReply::answer(if is_last_chunk { &origin } else { &healthy })
    });
    let with_model = v1::LookAtEntityRequest { ask_model: true, ..request("inc", DB) };
    let answer = look(&server, with_model).await.unwrap();
    let prompts: Vec<String> =
        provider.requests().iter().map(|request| request.body.to_string()).collect();
    let passages_in =
        |prompt: &String| ["db one", "db two", "db three"].map(|text| prompt.contains(text));
    let mut passages: Vec<[bool; 3]> = prompts.iter().map(passages_in).collect();
    passages.sort_unstable();
    assert_eq!(passages, [[false, true, true], [true, true, false]]);
    let belief = answer.belief.unwrap();
    assert_eq!((belief.label(), answer.calls.len()), (BeliefLabel::Origin, 2));
    let texts: Vec<&str> =
        belief.observations.iter().map(|observation| observation.text.as_str()).collect();
    assert_eq!(texts, ["db three is set"]);
}

#[tokio::test]
async fn failed_look_returns_the_passages_and_the_failure() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, |_| {}).await;
    let calls = vec![tool_call("log", EvidenceLane::Logs, 1_010, "db: connections refused")];
    begin(&server, "inc", calls).await;
    let with_model = v1::LookAtEntityRequest { ask_model: true, ..request("inc", DB) };
    let unknown_label = r#"{"label": "broken", "observations": []}"#;
    for (model_reply, code, calls) in [
        (ScriptedReply::Status(401), "KEY_REFUSED", 1),
        (ScriptedReply::answer("It is the origin."), "ANSWER_UNREADABLE", 2),
        (ScriptedReply::answer(unknown_label), "ANSWER_UNREADABLE", 2),
    ] {
        provider.always(model_reply);
        let answer = look(&server, with_model.clone()).await.unwrap();
        assert_eq!((items(&answer), &answer.belief), (vec!["log"], &None));
        let [reason] = answer.reasons.as_slice() else { panic!("{:?}", answer.reasons) };
        assert_eq!((reason.code.as_str(), answer.calls.len()), (code, calls));
    }
}

#[tokio::test]
async fn unreadable_belief_is_requested_again_once() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, |_| {}).await;
    let calls = vec![tool_call("log", EvidenceLane::Logs, 1_010, "db: connections refused")];
    begin(&server, "inc", calls).await;
    let symptom = answer("symptom", &[("db refuses connections", "E1", "connections refused")]);
    provider.answer_with(move |request| {
        let is_repair = request.body.to_string().contains("cannot be used");
        ScriptedReply::answer(if is_repair { &symptom } else { "It is a symptom." })
    });
    let with_model = v1::LookAtEntityRequest { ask_model: true, ..request("inc", DB) };
    let answer = look(&server, with_model).await.unwrap();
    assert_eq!(answer.belief.unwrap().label(), BeliefLabel::Symptom);
    let purposes: Vec<&str> = answer.calls.iter().map(|call| call.purpose.as_str()).collect();
    assert_eq!(purposes, ["look", "repair"]);
}
