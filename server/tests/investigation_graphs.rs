//! Tests of investigations over an operational graph: scheduling, beliefs and the frontier.

use crate::support::{TestServer, TestServerOptions};
use gsar_proto::v1::{self, BeliefLabel};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const API: &str = "shop/Deployment/api";
const CART: &str = "shop/Deployment/cart";
const DB: &str = "shop/StatefulSet/db";

fn edge(from: &str, to: &str) -> v1::GraphEdge {
    v1::GraphEdge { from: from.to_owned(), to: to.to_owned() }
}

/// Starts an investigation. The API depends on the cart, and the cart on the database.
fn start(id: &str) -> v1::StartInvestigationRequest {
    let graph = v1::Graph {
        edges: vec![edge(CART, API), edge(DB, CART)],
        aliases: vec![v1::EntityAliases {
            names: vec![DB.to_owned(), "shop/Service/postgres".to_owned()],
        }],
        alerts: vec![API.to_owned()],
        ..v1::Graph::default()
    };
    v1::StartInvestigationRequest {
        investigation_id: id.to_owned(),
        policy: "reference".to_owned(),
        graph: Some(graph),
        ..v1::StartInvestigationRequest::default()
    }
}

fn belief(entity: &str, label: BeliefLabel, text: &str, item: &str) -> v1::Belief {
    let citation = v1::Citation {
        evidence_id: item.to_owned(),
        quote: text.to_owned(),
        ..v1::Citation::default()
    };
    v1::Belief {
        entity: entity.to_owned(),
        label: label.into(),
        observations: vec![v1::Observation { text: text.to_owned(), citations: vec![citation] }],
        ..v1::Belief::default()
    }
}

fn result(id: &str, lane: v1::EvidenceLane, text: &str) -> v1::ToolCall {
    let item = v1::EvidenceItem {
        id: id.to_owned(),
        kind: v1::EvidenceKind::ToolOutput.into(),
        lane: lane.into(),
        content: Some(v1::evidence_item::Content::Text(text.to_owned())),
        ..v1::EvidenceItem::default()
    };
    v1::ToolCall { tool: "kubectl".to_owned(), arguments: id.to_owned(), result: Some(item) }
}

fn turn(
    state: &v1::Investigation,
    tool_calls: Vec<v1::ToolCall>,
    beliefs: Vec<v1::Belief>,
) -> v1::RecordTurnRequest {
    v1::RecordTurnRequest {
        investigation_id: state.investigation_id.clone(),
        step: state.step,
        tool_calls,
        beliefs,
        ..v1::RecordTurnRequest::default()
    }
}

async fn begin(server: &TestServer, request: v1::StartInvestigationRequest) -> v1::Investigation {
    let answer = server.investigations().start_investigation(request).await.unwrap();
    answer.into_inner().investigation.unwrap()
}

async fn record_turn(
    server: &TestServer,
    request: v1::RecordTurnRequest,
) -> Result<v1::Investigation, Status> {
    let answer = server.investigations().record_turn(request).await?;
    Ok(answer.into_inner().investigation.unwrap())
}

fn graph(state: &v1::Investigation) -> &v1::GraphState {
    state.graph.as_ref().unwrap()
}

fn due_entities(state: &v1::Investigation) -> Vec<&str> {
    graph(state).due.iter().map(|look| look.entity.as_str()).collect()
}

fn belief_about<'a>(state: &'a v1::Investigation, entity: &str) -> &'a v1::EntityBelief {
    graph(state).entities.iter().find(|entity_belief| entity_belief.entity == entity).unwrap()
}

fn codes(reasons: &[v1::Reason]) -> Vec<&str> {
    reasons.iter().map(|reason| reason.code.as_str()).collect()
}

const SLOW: &str = "api: requests to cart take 4000 ms";
const WAITS: &str = "cart: waiting for a connection to db";
const ROLLED: &str = "db: max_connections was lowered from 200 to 20 at 14:02";

async fn explored(server: &TestServer, id: &str) -> v1::Investigation {
    let state = begin(server, start(id)).await;
    assert_eq!(due_entities(&state), [API]);
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API)],
        ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
    };
    let calls = vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state = record_turn(server, turn(&state, calls, vec![symptom])).await.unwrap();
    assert_eq!(due_entities(&state), [CART]);
    let [look] = graph(&state).due.as_slice() else { panic!("{state:?}") };
    assert_eq!(look.inbox[0].from, API);
    assert_eq!(look.inbox[0].propagations, [edge(CART, API)]);
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API), edge("shop/Service/postgres", CART)],
        ..belief(CART, BeliefLabel::Symptom, WAITS, "cart-log")
    };
    let calls = vec![result("cart-log", v1::EvidenceLane::Logs, WAITS)];
    let mut state = record_turn(server, turn(&state, calls, vec![symptom])).await.unwrap();
    let calls = vec![result("db-rollout", v1::EvidenceLane::Change, ROLLED)];
    let mut calls = Some(calls);
    while let Some(look) = graph(&state).due.first() {
        let answer = match look.entity.as_str() {
            DB => v1::Belief {
                propagations: vec![edge(DB, CART)],
                ..belief(DB, BeliefLabel::Origin, ROLLED, "db-rollout")
            },
            CART => v1::Belief {
                propagations: vec![edge(CART, API), edge(DB, CART)],
                ..belief(CART, BeliefLabel::Symptom, WAITS, "cart-log")
            },
            _ => v1::Belief {
                propagations: vec![edge(CART, API)],
                ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
            },
        };
        let request = turn(&state, calls.take().unwrap_or_default(), vec![answer]);
        state = record_turn(server, request).await.unwrap();
    }
    state
}

#[tokio::test]
async fn graph_is_explored_to_the_origin() {
    let server = TestServer::start().await;
    let state = explored(&server, "i1").await;
    let graph = graph(&state);
    assert_eq!(graph.frontier, [DB]);
    assert!(graph.candidates.is_empty() && graph.pending.is_empty() && graph.ties.is_empty());
    let [alert] = graph.alerts.as_slice() else { panic!("{graph:?}") };
    assert_eq!((alert.entity.as_str(), alert.by.as_slice()), (API, &[DB.to_owned()][..]));
    assert_eq!(alert.path, [API, CART, DB]);
    let db = belief_about(&state, DB);
    assert_eq!(db.label(), BeliefLabel::Origin);
    assert_eq!(db.evidence_ids, ["db-rollout"]);
    assert!(db.reasons.is_empty());

    // The record alone determines the state.
    let request =
        v1::GetInvestigationRequest { investigation_id: "i1".to_owned(), with_events: true };
    let reread = server.investigations().get_investigation(request).await.unwrap().into_inner();
    assert_eq!(reread.investigation.unwrap().graph, state.graph);
    let resumed = begin(&server, start("i1")).await;
    assert_eq!(resumed.graph, state.graph);
}

#[tokio::test]
async fn belief_without_valid_evidence_is_deferred() {
    let server = TestServer::start().await;
    let state = begin(&server, start("i2")).await;
    let text = "api: 37 % of requests fail with 503";
    let invented_belief = belief(API, BeliefLabel::Symptom, text, "api-log");
    let calls = vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state_after =
        record_turn(&server, turn(&state, calls, vec![invented_belief])).await.unwrap();
    let api = belief_about(&state_after, API);
    assert_eq!(api.label(), BeliefLabel::Defer);
    assert_eq!(codes(&api.reasons), ["OBSERVATION_NOT_SHOWN", "NO_OBSERVATION"]);
    assert!(graph(&state_after).frontier.is_empty());
    assert_eq!(graph(&state_after).candidates[0].entity, API);
}

#[tokio::test]
async fn evidence_about_another_entity_does_not_count() {
    let server = TestServer::start().await;
    for (id, entity, text, is_about_entity) in [
        ("i3", API, "node-7: disk is full", false),
        // A part of a word is not a name.
        ("i3-word", API, "rapid-cache: 37 keys were evicted", false),
        ("i3-name", API, "API_GATEWAY 37 requests refused", true),
        ("i3-alias", DB, "postgres: 412 connections refused", true),
    ] {
        let mut request = start(id);
        request.graph.as_mut().unwrap().alerts = vec![entity.to_owned()];
        let state = begin(&server, request).await;
        let calls = vec![result("log", v1::EvidenceLane::Logs, text)];
        let submitted = belief(entity, BeliefLabel::Symptom, text, "log");
        let state_after = record_turn(&server, turn(&state, calls, vec![submitted])).await.unwrap();
        let recorded_belief = belief_about(&state_after, entity);
        if is_about_entity {
            assert_eq!(
                recorded_belief.label(),
                BeliefLabel::Symptom,
                "{text}: {:?}",
                recorded_belief.reasons
            );
        } else {
            assert_eq!(recorded_belief.label(), BeliefLabel::Defer, "{text}");
            let expected = ["OBSERVATION_OF_ANOTHER_ENTITY", "NO_OBSERVATION"];
            assert_eq!(codes(&recorded_belief.reasons), expected, "{text}");
        }
    }
}

#[tokio::test]
async fn repeated_tool_result_is_cited_by_its_new_id() {
    let server = TestServer::start().await;
    let state = begin(&server, start("i6")).await;
    let first_turn = turn(&state, vec![result("first", v1::EvidenceLane::Logs, SLOW)], Vec::new());
    let state = record_turn(&server, first_turn).await.unwrap();
    let calls = vec![result("again", v1::EvidenceLane::Logs, SLOW)];
    let repeated_belief = belief(API, BeliefLabel::Symptom, SLOW, "again");
    let hypotheses = vec![v1::TestedHypothesis {
        id: "h1".to_owned(),
        statement: "the api is slow".to_owned(),
        tests: vec![v1::HypothesisTest { evidence_id: "again".to_owned(), ..Default::default() }],
        ..Default::default()
    }];
    let request =
        v1::RecordTurnRequest { hypotheses, ..turn(&state, calls, vec![repeated_belief]) };
    let state_after = record_turn(&server, request).await.unwrap();
    let api = belief_about(&state_after, API);
    assert_eq!(
        (api.label(), &api.evidence_ids[..]),
        (BeliefLabel::Symptom, &["first".to_owned()][..]),
        "{:?}",
        api.reasons
    );
}

#[tokio::test]
async fn report_that_proceeds_with_an_unexplained_alert_has_a_finding() {
    let server = TestServer::start().await;
    let state = begin(&server, start("early")).await;
    assert_eq!(codes(&state.findings), Vec::<&str>::new());
    let settings = "the connection pool of checkout has 20 connections";
    let settings = result("settings", v1::EvidenceLane::StaticInfra, settings);
    let submitted = v1::SubmitReportRequest {
        investigation_id: "early".to_owned(),
        step: 0,
        report: Some(v1::Report {
            synthesis: "The connection pool of checkout has 20 connections.".to_owned(),
            ..v1::Report::default()
        }),
        evidence: settings.result.into_iter().collect(),
    };
    let answer = server.investigations().submit_report(submitted).await.unwrap().into_inner();
    let state = answer.investigation.unwrap();
    assert_eq!(state.trajectory[0].tier(), v1::Tier::Proceed);
    assert_eq!(codes(&state.findings), ["ALERT_UNEXPLAINED", "ENTITY_PENDING"]);
    assert!(state.findings.iter().all(|finding| finding.sentence.contains(API)), "{state:?}");
}

#[tokio::test]
async fn origin_without_a_change_is_a_symptom() {
    let server = TestServer::start().await;
    let state = begin(&server, start("i4")).await;
    let origin = belief(API, BeliefLabel::Origin, SLOW, "api-log");
    let calls = vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state_after = record_turn(&server, turn(&state, calls, vec![origin])).await.unwrap();
    let api = belief_about(&state_after, API);
    assert_eq!(api.label(), BeliefLabel::Symptom);
    assert_eq!(codes(&api.reasons), ["NOTHING_CHANGED"]);
}

/// Each of S1 to S4 depends on the previous one.
#[tokio::test]
async fn first_of_four_chained_services_is_the_frontier() {
    let server = TestServer::start().await;
    let request = v1::StartInvestigationRequest {
        graph: Some(v1::Graph {
            edges: vec![edge("S1", "S2"), edge("S2", "S3"), edge("S3", "S4")],
            alerts: ["S1", "S2", "S3", "S4"].map(str::to_owned).to_vec(),
            changed: vec!["S1".to_owned()],
            ..v1::Graph::default()
        }),
        ..start("row")
    };
    let mut state = begin(&server, request).await;
    let lines: Vec<String> =
        (1..5).map(|service| format!("S{service}: errors at 14:0{service}")).collect();
    let mut calls: Vec<v1::ToolCall> = (1..)
        .zip(&lines)
        .map(|(service, line)| result(&format!("log-{service}"), v1::EvidenceLane::Logs, line))
        .collect();
    while let Some(look) = graph(&state).due.first() {
        let service: usize = look.entity.trim_start_matches('S').parse().unwrap();
        let label = if service == 1 { BeliefLabel::Origin } else { BeliefLabel::Symptom };
        let propagations = (service.max(2) - 1..service.min(3) + 1)
            .map(|from| edge(&format!("S{from}"), &format!("S{}", from + 1)));
        let answer = v1::Belief {
            propagations: propagations.collect(),
            ..belief(&look.entity, label, &lines[service - 1], &format!("log-{service}"))
        };
        let request = turn(&state, std::mem::take(&mut calls), vec![answer]);
        state = record_turn(&server, request).await.unwrap();
    }
    assert_eq!(graph(&state).frontier, ["S1"]);
    assert!(graph(&state).alerts.iter().all(|alert| alert.by == ["S1"]));
}

/// Exploring a graph over stored evidence takes more turns than the gate allows without new evidence.
#[tokio::test]
async fn long_chains_are_explored_to_their_origin() {
    let server = TestServerOptions::default()
        .start(|config| config.policies.allowed = vec!["paper".to_owned()])
        .await;
    for policy in ["reference", "paper"] {
        let name = |number: usize| format!("S{number:02}");
        let request = v1::StartInvestigationRequest {
            policy: policy.to_owned(),
            graph: Some(v1::Graph {
                edges: (1..12).map(|number| edge(&name(number), &name(number + 1))).collect(),
                alerts: vec![name(12)],
                changed: vec![name(1)],
                ..v1::Graph::default()
            }),
            ..start(policy)
        };
        let mut state = begin(&server, request).await;
        let lines: Vec<String> =
            (1..13).map(|number| format!("{}: errors at 14:{number:02}", name(number))).collect();
        let log = |number: usize| {
            result(&format!("log-{number}"), v1::EvidenceLane::Logs, &lines[number - 1])
        };
        let mut calls: Vec<v1::ToolCall> = (1..13).map(log).collect();
        let mut turns = 0;
        while let Some(look) = graph(&state).due.first() {
            let number: usize = look.entity.trim_start_matches('S').parse().unwrap();
            let label = if number == 1 { BeliefLabel::Origin } else { BeliefLabel::Symptom };
            let text = &lines[number - 1];
            let propagations = match number {
                1 => Vec::new(),
                number => vec![edge(&name(number - 1), &name(number))],
            };
            let answer = v1::Belief {
                propagations,
                ..belief(&look.entity, label, text, &format!("log-{number}"))
            };
            let request = turn(&state, std::mem::take(&mut calls), vec![answer]);
            state = record_turn(&server, request).await.unwrap();
            turns += 1;
        }
        assert!(turns >= 12, "{policy}: {turns}");
        assert_eq!(graph(&state).frontier, [name(1)], "{policy}");
    }
}

#[tokio::test]
async fn flipping_labels_are_deferred_and_entities_cool_down() {
    let server = TestServer::start().await;
    let mut request = start("flips");
    request.graph.as_mut().unwrap().limits =
        Some(v1::ExplorationLimits { max_flips: Some(1), cooldown: Some(2), ..Default::default() });
    let mut state = begin(&server, request).await;
    let mut calls = vec![
        result("api-log", v1::EvidenceLane::Logs, SLOW),
        result("cart-log", v1::EvidenceLane::Logs, WAITS),
        result("db-rollout", v1::EvidenceLane::Change, ROLLED),
    ];
    let mut looks: Vec<String> = Vec::new();
    while let Some(look) = graph(&state).due.first() {
        let look_count = looks.iter().filter(|entity| **entity == look.entity).count();
        let label = if look_count % 2 == 0 { BeliefLabel::Symptom } else { BeliefLabel::Healthy };
        let (text, item) = match look.entity.as_str() {
            API => (SLOW, "api-log"),
            CART => (WAITS, "cart-log"),
            _ => (ROLLED, "db-rollout"),
        };
        let answer = v1::Belief {
            suspects: vec![CART.to_owned(), DB.to_owned()],
            ..belief(&look.entity, label, text, item)
        };
        looks.push(look.entity.clone());
        let request = turn(&state, std::mem::take(&mut calls), vec![answer]);
        state = record_turn(&server, request).await.unwrap();
    }
    assert!(
        looks.windows(2).all(|pair| pair[0] != pair[1]),
        "an entity cools down after a look: {looks:?}"
    );
    let is_deferred = |entity: &&str| {
        let entity_belief = belief_about(&state, entity);
        entity_belief.label() == BeliefLabel::Defer
            && codes(&entity_belief.reasons).contains(&"LABEL_CHANGED_TOO_OFTEN")
    };
    assert!([API, CART, DB].iter().any(is_deferred), "{:?}", graph(&state).entities);
    let times_looked = |entity: &&str| looks.iter().filter(|looked_at| looked_at == entity).count();
    assert!([API, CART, DB].iter().all(|entity| times_looked(entity) <= 5), "{looks:?}");
}

#[tokio::test]
async fn root_cause_is_on_the_frontier() {
    let server = TestServer::start().await;
    let state = explored(&server, "i5").await;
    let turn_with_hypothesis = |target: &str| {
        let hypothesis = v1::TestedHypothesis {
            id: "h1".to_owned(),
            statement: "the database refuses connections".to_owned(),
            target: target.to_owned(),
            tests: vec![v1::HypothesisTest {
                evidence_id: "refused".to_owned(),
                ..v1::HypothesisTest::default()
            }],
        };
        let text = "connections_refused_errors: 412";
        let mut call = result("refused", v1::EvidenceLane::Metrics, text);
        call.arguments = "connections_refused_errors{from=\"api\",to=\"db\"}".to_owned();
        v1::RecordTurnRequest { hypotheses: vec![hypothesis], ..turn(&state, vec![call], vec![]) }
    };
    let mut state = record_turn(&server, turn_with_hypothesis(API)).await.unwrap();
    let gate = state.gate.as_ref().unwrap();
    assert_eq!(
        (gate.exit(), gate.root_cause.as_str()),
        (v1::GateExit::Unspecified, ""),
        "{gate:?}"
    );
    assert!(codes(&gate.reasons).contains(&"ROOT_CAUSE_OUTSIDE_SUSPECTS"));
    assert!(codes(&state.findings).contains(&"ROOT_CAUSE_OUTSIDE_SUSPECTS"));
    for target in ["db", " db "] {
        let second_turn =
            v1::RecordTurnRequest { step: state.step, ..turn_with_hypothesis(target) };
        state = record_turn(&server, second_turn).await.unwrap();
        let gate = state.gate.as_ref().unwrap();
        assert_eq!((gate.exit(), gate.root_cause.as_str()), (v1::GateExit::Confident, "h1"));
        assert!(!codes(&state.findings).contains(&"ROOT_CAUSE_OUTSIDE_SUSPECTS"));
    }
}

async fn fields(server: &TestServer, request: v1::RecordTurnRequest) -> Vec<String> {
    let error = record_turn(server, request).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error:?}");
    let details = error.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    violations.iter().map(|violation| violation.field.clone()).collect()
}

#[tokio::test]
async fn rejects_invalid_beliefs_by_field() {
    let server = TestServer::start().await;
    let state = begin(&server, start("i6")).await;
    let calls = || vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let turn_with_belief = |belief| turn(&state, calls(), vec![belief]);
    let valid_belief = || belief(API, BeliefLabel::Symptom, SLOW, "api-log");
    let not_due = belief(DB, BeliefLabel::Healthy, SLOW, "api-log");
    assert_eq!(fields(&server, turn_with_belief(not_due)).await, ["beliefs[0]"]);
    let unconnected = v1::Belief { propagations: vec![edge(DB, API)], ..valid_belief() };
    assert_eq!(fields(&server, turn_with_belief(unconnected)).await, ["beliefs[0]"]);
    let unknown = v1::Belief {
        label: 9,
        entity: "shop/Deployment/mail".to_owned(),
        suspects: vec!["cache".to_owned()],
        ..valid_belief()
    };
    assert_eq!(
        fields(&server, turn_with_belief(unknown)).await,
        ["beliefs[0].entity", "beliefs[0].label", "beliefs[0].suspects[0]"]
    );
    let without_citations = v1::Observation { text: String::new(), citations: Vec::new() };
    let without_citations = v1::Belief { observations: vec![without_citations], ..valid_belief() };
    assert_eq!(
        fields(&server, turn_with_belief(without_citations)).await,
        ["beliefs[0].observations[0].text", "beliefs[0].observations[0].citations"]
    );
    assert_eq!(
        due_entities(&record_turn(&server, turn_with_belief(valid_belief())).await.unwrap()),
        [CART]
    );

    let mut without_graph = start("i7");
    without_graph.graph = None;
    let state = begin(&server, without_graph).await;
    assert_eq!(state.graph, None);
    assert_eq!(fields(&server, turn(&state, calls(), vec![valid_belief()])).await, ["beliefs"]);

    let mut invalid_start = start("i8");
    invalid_start.graph = Some(v1::Graph {
        edges: vec![edge("a b", "c")],
        limits: Some(v1::ExplorationLimits {
            max_visits: Some(0),
            ..v1::ExplorationLimits::default()
        }),
        ..v1::Graph::default()
    });
    let error = server.investigations().start_investigation(invalid_start).await.unwrap_err();
    let details = error.get_error_details();
    let invalid_fields = details.bad_request().unwrap().field_violations.iter();
    let invalid_fields: Vec<&str> =
        invalid_fields.map(|violation| violation.field.as_str()).collect();
    assert_eq!(invalid_fields, ["graph.edges[0].from", "graph.limits.max_visits"]);
}

/// The edge from db to cart is unknown at first, and so is db, whose aliases were given at the start.
#[tokio::test]
async fn edge_added_during_the_exploration_leads_to_the_origin() {
    let server = TestServer::start().await;
    let mut request = start("added");
    let given = request.graph.as_mut().unwrap();
    given.edges = vec![edge(CART, API)];
    let state = begin(&server, request).await;
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API)],
        ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
    };
    let calls = vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state = record_turn(&server, turn(&state, calls, vec![symptom])).await.unwrap();
    let waits = || v1::Belief {
        propagations: vec![edge(CART, API), edge(DB, CART)],
        ..belief(CART, BeliefLabel::Symptom, WAITS, "cart-log")
    };
    let calls = vec![result("cart-log", v1::EvidenceLane::Logs, WAITS)];
    let without_edge = record_turn(&server, turn(&state, calls.clone(), vec![waits()])).await;
    assert_eq!(without_edge.unwrap_err().code(), Code::InvalidArgument);

    let with_edge = v1::RecordTurnRequest {
        graph_additions: Some(v1::GraphAdditions {
            // An alias that was given at the start.
            edges: vec![edge("shop/Service/postgres", CART)],
            ..v1::GraphAdditions::default()
        }),
        ..turn(&state, calls, vec![waits()])
    };
    let state = record_turn(&server, with_edge).await.unwrap();
    assert_eq!(due_entities(&state), [DB]);
    let origin = v1::Belief {
        propagations: vec![edge(DB, CART)],
        ..belief(DB, BeliefLabel::Origin, ROLLED, "db-rollout")
    };
    let calls = vec![result("db-rollout", v1::EvidenceLane::Change, ROLLED)];
    let state = record_turn(&server, turn(&state, calls, vec![origin])).await.unwrap();
    assert_eq!(graph(&state).frontier, [DB]);
    assert_eq!(graph(&state).alerts[0].path, [API, CART, DB]);
    let request = v1::GetInvestigationRequest {
        investigation_id: "added".to_owned(),
        ..v1::GetInvestigationRequest::default()
    };
    let reread = server.investigations().get_investigation(request).await.unwrap().into_inner();
    assert_eq!(reread.investigation.unwrap().graph, state.graph);
}

#[tokio::test]
async fn invalid_graph_additions_are_rejected() {
    let server = TestServer::start().await;
    let state = begin(&server, start("additions")).await;
    let with = |state: &v1::Investigation, additions: v1::GraphAdditions| v1::RecordTurnRequest {
        graph_additions: Some(additions),
        ..turn(state, Vec::new(), Vec::new())
    };
    for (additions, field) in [
        (
            v1::GraphAdditions { edges: vec![edge("", API)], ..Default::default() },
            "graph_additions.edges[0].from",
        ),
        (
            v1::GraphAdditions { alerts: vec!["queue".to_owned()], ..Default::default() },
            "graph_additions.alerts[0]",
        ),
        (
            v1::GraphAdditions {
                entities: (0..2_000).map(|number| format!("e{number}")).collect(),
                ..Default::default()
            },
            "graph_additions",
        ),
    ] {
        let status = record_turn(&server, with(&state, additions)).await.unwrap_err();
        let fields = status.get_details_bad_request().unwrap().field_violations;
        assert_eq!(fields[0].field, field, "{status:?}");
    }
    let plain = v1::StartInvestigationRequest { graph: None, ..start("plain") };
    let state = begin(&server, plain).await;
    let status = record_turn(&server, with(&state, v1::GraphAdditions::default())).await;
    assert!(status.unwrap_err().message().contains("has no graph"));
}

/// A traffic peak shown by a log is a change of the entity, if the agent records it as one.
#[tokio::test]
async fn recorded_change_of_load_makes_an_origin() {
    const PEAK: &str = "api: 9400 requests/s since 14:00, flash sale";
    let server = TestServer::start().await;
    for (id, kind, target, expected) in [
        ("load", v1::ChangeKind::Load, API, Ok(BeliefLabel::Origin)),
        ("deployment", v1::ChangeKind::Unspecified, API, Err(Code::InvalidArgument)),
        // The log names another entity.
        ("other", v1::ChangeKind::Load, DB, Err(Code::InvalidArgument)),
    ] {
        let state = begin(&server, start(id)).await;
        let change = v1::ChangeRecord {
            id: "flash-sale".to_owned(),
            at: Some(prost_types::Timestamp { seconds: 1_000, nanos: 0 }),
            target: target.to_owned(),
            evidence_id: "api-log".to_owned(),
            kind: kind.into(),
            ..v1::ChangeRecord::default()
        };
        let calls = vec![result("api-log", v1::EvidenceLane::Logs, PEAK)];
        let origin = belief(API, BeliefLabel::Origin, PEAK, "api-log");
        let request =
            v1::RecordTurnRequest { changes: vec![change], ..turn(&state, calls, vec![origin]) };
        let label =
            record_turn(&server, request).await.map(|state| belief_about(&state, API).label());
        assert_eq!(label.map_err(|status| status.code()), expected, "{id}");
    }
}

#[tokio::test]
async fn graph_without_an_origin_fails_at_stage_localize() {
    let server = TestServer::start().await;
    let state = begin(&server, start("nowhere")).await;
    let calls = vec![result("api-log", v1::EvidenceLane::Logs, SLOW)];
    record_turn(&server, turn(&state, calls, Vec::new())).await.unwrap();
    let cancel = v1::CancelInvestigationRequest { investigation_id: "nowhere".to_owned() };
    let ended = server.investigations().cancel_investigation(cancel).await.unwrap().into_inner();
    let instruction = ended.investigation.unwrap().instruction.unwrap().due.unwrap();
    let v1::instruction::Due::Finished(end) = instruction else { panic!("{instruction:?}") };
    assert_eq!(end.failed_stage, "LOCALIZE");
}

#[tokio::test]
async fn earlier_investigations_of_an_alert_are_listed() {
    let server = TestServer::start().await;
    explored(&server, "inc-1").await;
    let other = v1::Graph {
        entities: vec![DB.to_owned()],
        alerts: vec![DB.to_owned()],
        ..Default::default()
    };
    let other = v1::StartInvestigationRequest { graph: Some(other), ..start("other") };
    assert!(begin(&server, other).await.earlier.is_empty());
    let plain = v1::StartInvestigationRequest { graph: None, ..start("plain") };
    assert!(begin(&server, plain).await.earlier.is_empty());
    let state = begin(&server, start("inc-2")).await;
    let [earlier] = state.earlier.as_slice() else { panic!("{:?}", state.earlier) };
    assert_eq!((earlier.investigation_id.as_str(), earlier.cause.as_str()), ("inc-1", ""));
    assert_eq!(
        (earlier.shared_alerts.as_slice(), earlier.origins.as_slice()),
        (&[API.to_owned()][..], &[DB.to_owned()][..])
    );
}

/// Under a policy that requires attestation, an agent cannot mark an entity as changed by its own word.
#[tokio::test]
async fn unattested_changes_make_no_origin_under_strict() {
    let server = TestServer::start().await;
    let strict =
        |id: &str| v1::StartInvestigationRequest { policy: "strict".to_owned(), ..start(id) };
    let state = begin(&server, strict("word")).await;
    let calls = vec![result("api-rollout", v1::EvidenceLane::Change, "api: rolled out at 14:02")];
    let additions = v1::GraphAdditions { changed: vec![API.to_owned()], ..Default::default() };
    let by_word = v1::RecordTurnRequest {
        graph_additions: Some(additions),
        ..turn(&state, calls.clone(), Vec::new())
    };
    let status = record_turn(&server, by_word).await.unwrap_err();
    assert!(status.message().contains("attested"), "{status:?}");
    let origin = belief(API, BeliefLabel::Origin, "api: rolled out at 14:02", "api-rollout");
    let state = record_turn(&server, turn(&state, calls, vec![origin])).await.unwrap();
    assert_eq!(belief_about(&state, API).label(), BeliefLabel::Symptom);
}

#[tokio::test]
async fn recorded_change_counts_for_an_entity_that_is_added_later() {
    let server = TestServer::start().await;
    let mut request = start("later");
    request.graph.as_mut().unwrap().edges = vec![edge(CART, API)];
    let state = begin(&server, request).await;
    let change = v1::ChangeRecord {
        id: "rollout".to_owned(),
        at: Some(prost_types::Timestamp { seconds: 1_000, nanos: 0 }),
        target: DB.to_owned(),
        evidence_id: "db-rollout".to_owned(),
        ..v1::ChangeRecord::default()
    };
    let calls = vec![result("db-rollout", v1::EvidenceLane::Change, ROLLED)];
    let first = v1::RecordTurnRequest { changes: vec![change], ..turn(&state, calls, Vec::new()) };
    let state = record_turn(&server, first).await.unwrap();
    let additions = v1::GraphAdditions {
        edges: vec![edge(DB, API)],
        alerts: vec![DB.to_owned()],
        ..Default::default()
    };
    let second = v1::RecordTurnRequest {
        graph_additions: Some(additions),
        ..turn(&state, Vec::new(), Vec::new())
    };
    let mut state = record_turn(&server, second).await.unwrap();
    for (entity, label) in [(API, BeliefLabel::Defer), (DB, BeliefLabel::Origin)] {
        let answer = match label {
            BeliefLabel::Defer => v1::Belief {
                entity: entity.to_owned(),
                label: label.into(),
                ..v1::Belief::default()
            },
            _ => belief(entity, label, ROLLED, "db-rollout"),
        };
        state = record_turn(&server, turn(&state, Vec::new(), vec![answer])).await.unwrap();
    }
    assert_eq!(graph(&state).frontier, [DB]);
}
