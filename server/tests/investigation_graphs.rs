//! Tests investigations over an operational graph: scheduling, beliefs and the frontier.

use crate::support::investigations::{self, finished, submission, tool_call};
use crate::support::{TestServer, codes, invalid_fields, item};
use gsar_proto::v1::{self, BeliefLabel};
use tonic::Code;

const API: &str = "shop/Deployment/api";
const CART: &str = "shop/Deployment/cart";
const DB: &str = "shop/StatefulSet/db";

fn edge(from: &str, to: &str) -> v1::GraphEdge {
    v1::GraphEdge { from: from.to_owned(), to: to.to_owned() }
}

/// Returns a start request with a graph in which the API depends on the cart, and the cart on the database.
fn start(id: &str) -> v1::StartInvestigationRequest {
    let graph = v1::Graph {
        edges: vec![edge(CART, API), edge(DB, CART)],
        aliases: vec![v1::EntityAliases {
            names: vec![DB.to_owned(), "shop/Service/postgres".to_owned()],
        }],
        alerts: vec![API.to_owned()],
        ..Default::default()
    };
    v1::StartInvestigationRequest { graph: Some(graph), ..investigations::start(id) }
}

fn belief(entity: &str, label: BeliefLabel, text: &str, item: &str) -> v1::Belief {
    let citation =
        v1::Citation { evidence_id: item.to_owned(), quote: text.to_owned(), ..Default::default() };
    v1::Belief {
        entity: entity.to_owned(),
        label: label.into(),
        observations: vec![v1::Observation { text: text.to_owned(), citations: vec![citation] }],
        ..Default::default()
    }
}

fn tool_result(id: &str, lane: v1::EvidenceLane, text: &str) -> v1::ToolCall {
    let item = v1::EvidenceItem { lane: lane.into(), ..item(id, text) };
    tool_call("kubectl", id, Some(item))
}

fn turn(
    state: &v1::Investigation,
    tool_calls: Vec<v1::ToolCall>,
    beliefs: Vec<v1::Belief>,
) -> v1::RecordTurnRequest {
    let turn = investigations::turn(&state.investigation_id, state.step, tool_calls);
    v1::RecordTurnRequest { beliefs, ..turn }
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

/// Records a belief about each due entity until no entity is due.
async fn explore(
    server: &TestServer,
    mut state: v1::Investigation,
    mut calls: Vec<v1::ToolCall>,
    mut belief_for: impl FnMut(&str) -> v1::Belief,
) -> v1::Investigation {
    while let Some(look) = graph(&state).due.first() {
        let belief = belief_for(&look.entity);
        let request = turn(&state, std::mem::take(&mut calls), vec![belief]);
        state = server.record_turn(request).await.unwrap();
    }
    state
}

const SLOW: &str = "api: requests to cart take 4000 ms";
const WAITING: &str = "cart: waiting for a connection to db";
const ROLLOUT: &str = "db: max_connections was lowered from 200 to 20 at 14:02";

async fn explore_to_the_origin(server: &TestServer, id: &str) -> v1::Investigation {
    let state = server.begin(start(id)).await;
    assert_eq!(due_entities(&state), [API]);
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API)],
        ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
    };
    let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state = server.record_turn(turn(&state, calls, vec![symptom])).await.unwrap();
    assert_eq!(due_entities(&state), [CART]);
    let [look] = graph(&state).due.as_slice() else { panic!("{state:?}") };
    assert_eq!(look.inbox[0].from, API);
    assert_eq!(look.inbox[0].propagations, [edge(CART, API)]);
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API), edge("shop/Service/postgres", CART)],
        ..belief(CART, BeliefLabel::Symptom, WAITING, "cart-log")
    };
    let calls = vec![tool_result("cart-log", v1::EvidenceLane::Logs, WAITING)];
    let state = server.record_turn(turn(&state, calls, vec![symptom])).await.unwrap();
    let calls = vec![tool_result("db-rollout", v1::EvidenceLane::Change, ROLLOUT)];
    let belief_for = |entity: &str| match entity {
        DB => v1::Belief {
            propagations: vec![edge(DB, CART)],
            ..belief(DB, BeliefLabel::Origin, ROLLOUT, "db-rollout")
        },
        CART => v1::Belief {
            propagations: vec![edge(CART, API), edge(DB, CART)],
            ..belief(CART, BeliefLabel::Symptom, WAITING, "cart-log")
        },
        _ => v1::Belief {
            propagations: vec![edge(CART, API)],
            ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
        },
    };
    explore(server, state, calls, belief_for).await
}

#[tokio::test]
async fn graph_is_explored_to_the_origin() {
    let server = TestServer::start().await;
    let state = explore_to_the_origin(&server, "i1").await;
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

    // The state can be rebuilt from the stored record alone.
    let reread = server.investigation("i1").await;
    assert_eq!(reread.investigation.unwrap().graph, state.graph);
    let resumed = server.begin(start("i1")).await;
    assert_eq!(resumed.graph, state.graph);
}

#[tokio::test]
async fn belief_without_valid_evidence_is_deferred() {
    let server = TestServer::start().await;
    let state = server.begin(start("i2")).await;
    let text = "api: 37 % of requests fail with 503";
    let invented_belief = belief(API, BeliefLabel::Symptom, text, "api-log");
    let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state_after = server.record_turn(turn(&state, calls, vec![invented_belief])).await.unwrap();
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
        // Part of a word does not count as the entity's name.
        ("i3-word", API, "rapid-cache: 37 keys were evicted", false),
        ("i3-name", API, "API_GATEWAY 37 requests refused", true),
        ("i3-alias", DB, "postgres: 412 connections refused", true),
    ] {
        let mut request = start(id);
        request.graph.as_mut().unwrap().alerts = vec![entity.to_owned()];
        let state = server.begin(request).await;
        let calls = vec![tool_result("log", v1::EvidenceLane::Logs, text)];
        let submitted = belief(entity, BeliefLabel::Symptom, text, "log");
        let state_after = server.record_turn(turn(&state, calls, vec![submitted])).await.unwrap();
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
    let state = server.begin(start("i6")).await;
    let first_turn =
        turn(&state, vec![tool_result("first", v1::EvidenceLane::Logs, SLOW)], Vec::new());
    let state = server.record_turn(first_turn).await.unwrap();
    let calls = vec![tool_result("again", v1::EvidenceLane::Logs, SLOW)];
    let repeated_belief = belief(API, BeliefLabel::Symptom, SLOW, "again");
    let hypotheses = vec![v1::TestedHypothesis {
        id: "h1".to_owned(),
        statement: "the api is slow".to_owned(),
        tests: vec![v1::HypothesisTest { evidence_id: "again".to_owned(), ..Default::default() }],
        ..Default::default()
    }];
    let request =
        v1::RecordTurnRequest { hypotheses, ..turn(&state, calls, vec![repeated_belief]) };
    let state_after = server.record_turn(request).await.unwrap();
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
    let state = server.begin(start("early")).await;
    assert_eq!(codes(&state.findings), Vec::<&str>::new());
    let settings = "the connection pool of checkout has 20 connections";
    let settings = tool_result("settings", v1::EvidenceLane::StaticInfra, settings);
    let synthesis = "The connection pool of checkout has 20 connections.";
    let submitted = submission("early", 0, synthesis, settings.result.into_iter().collect());
    let state = server.submit(submitted).await.unwrap().investigation.unwrap();
    assert_eq!(state.trajectory[0].tier(), v1::Tier::Proceed);
    assert_eq!(codes(&state.findings), ["ALERT_UNEXPLAINED", "ENTITY_PENDING"]);
    assert!(state.findings.iter().all(|finding| finding.sentence.contains(API)), "{state:?}");
}

#[tokio::test]
async fn origin_without_a_change_is_a_symptom() {
    let server = TestServer::start().await;
    let state = server.begin(start("i4")).await;
    let origin = belief(API, BeliefLabel::Origin, SLOW, "api-log");
    let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state_after = server.record_turn(turn(&state, calls, vec![origin])).await.unwrap();
    let api = belief_about(&state_after, API);
    assert_eq!(api.label(), BeliefLabel::Symptom);
    assert_eq!(codes(&api.reasons), ["NOTHING_CHANGED"]);
}

/// Each of S2 to S4 depends on the previous service.
#[tokio::test]
async fn first_of_four_chained_services_is_the_frontier() {
    let server = TestServer::start().await;
    let request = v1::StartInvestigationRequest {
        graph: Some(v1::Graph {
            edges: vec![edge("S1", "S2"), edge("S2", "S3"), edge("S3", "S4")],
            alerts: ["S1", "S2", "S3", "S4"].map(str::to_owned).to_vec(),
            changed: vec!["S1".to_owned()],
            ..Default::default()
        }),
        ..start("row")
    };
    let state = server.begin(request).await;
    let lines: Vec<String> =
        (1..5).map(|service| format!("S{service}: errors at 14:0{service}")).collect();
    let calls: Vec<v1::ToolCall> = (1..)
        .zip(&lines)
        .map(|(service, line)| tool_result(&format!("log-{service}"), v1::EvidenceLane::Logs, line))
        .collect();
    let belief_for = |entity: &str| {
        let service: usize = entity.trim_start_matches('S').parse().unwrap();
        let label = if service == 1 { BeliefLabel::Origin } else { BeliefLabel::Symptom };
        let propagations = (service.max(2) - 1..service.min(3) + 1)
            .map(|from| edge(&format!("S{from}"), &format!("S{}", from + 1)));
        v1::Belief {
            propagations: propagations.collect(),
            ..belief(entity, label, &lines[service - 1], &format!("log-{service}"))
        }
    };
    let state = explore(&server, state, calls, belief_for).await;
    assert_eq!(graph(&state).frontier, ["S1"]);
    assert!(graph(&state).alerts.iter().all(|alert| alert.by == ["S1"]));
}

/// All evidence is recorded in the first turn. Exploring the graph takes more turns than the gate usually allows
/// without new evidence.
#[tokio::test]
async fn long_chains_are_explored_to_their_origin() {
    let server =
        TestServer::with(|config| config.policies.allowed = vec!["paper".to_owned()]).await;
    for policy in ["reference", "paper"] {
        let name = |number: usize| format!("S{number:02}");
        let request = v1::StartInvestigationRequest {
            policy: policy.to_owned(),
            graph: Some(v1::Graph {
                edges: (1..12).map(|number| edge(&name(number), &name(number + 1))).collect(),
                alerts: vec![name(12)],
                changed: vec![name(1)],
                ..Default::default()
            }),
            ..start(policy)
        };
        let state = server.begin(request).await;
        let lines: Vec<String> =
            (1..13).map(|number| format!("{}: errors at 14:{number:02}", name(number))).collect();
        let log = |number: usize| {
            tool_result(&format!("log-{number}"), v1::EvidenceLane::Logs, &lines[number - 1])
        };
        let calls: Vec<v1::ToolCall> = (1..13).map(log).collect();
        let mut turns = 0;
        let belief_for = |entity: &str| {
            turns += 1;
            let number: usize = entity.trim_start_matches('S').parse().unwrap();
            let label = if number == 1 { BeliefLabel::Origin } else { BeliefLabel::Symptom };
            let propagations = match number {
                1 => Vec::new(),
                number => vec![edge(&name(number - 1), &name(number))],
            };
            v1::Belief {
                propagations,
                ..belief(entity, label, &lines[number - 1], &format!("log-{number}"))
            }
        };
        let state = explore(&server, state, calls, belief_for).await;
        assert!(turns >= 12, "{policy}: {turns}");
        assert_eq!(graph(&state).frontier, [name(1)], "{policy}");
    }
}

#[tokio::test]
async fn entities_with_flipping_labels_are_deferred_and_cool_down() {
    let server = TestServer::start().await;
    let mut request = start("flips");
    request.graph.as_mut().unwrap().limits =
        Some(v1::ExplorationLimits { max_flips: Some(1), cooldown: Some(2), ..Default::default() });
    let state = server.begin(request).await;
    let calls = vec![
        tool_result("api-log", v1::EvidenceLane::Logs, SLOW),
        tool_result("cart-log", v1::EvidenceLane::Logs, WAITING),
        tool_result("db-rollout", v1::EvidenceLane::Change, ROLLOUT),
    ];
    let mut looks: Vec<String> = Vec::new();
    let belief_for = |entity: &str| {
        let look_count = looks.iter().filter(|looked_at| *looked_at == entity).count();
        let label = if look_count % 2 == 0 { BeliefLabel::Symptom } else { BeliefLabel::Healthy };
        let (text, item) = match entity {
            API => (SLOW, "api-log"),
            CART => (WAITING, "cart-log"),
            _ => (ROLLOUT, "db-rollout"),
        };
        looks.push(entity.to_owned());
        v1::Belief {
            suspects: vec![CART.to_owned(), DB.to_owned()],
            ..belief(entity, label, text, item)
        }
    };
    let state = explore(&server, state, calls, belief_for).await;
    assert!(
        looks.windows(2).all(|pair| pair[0] != pair[1]),
        "an entity must cool down after a look: {looks:?}"
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
async fn root_cause_must_be_on_the_frontier() {
    let server = TestServer::start().await;
    let state = explore_to_the_origin(&server, "i5").await;
    let turn_with_hypothesis = |target: &str| {
        let hypothesis = v1::TestedHypothesis {
            id: "h1".to_owned(),
            statement: "the database refuses connections".to_owned(),
            target: target.to_owned(),
            tests: vec![v1::HypothesisTest {
                evidence_id: "refused".to_owned(),
                ..Default::default()
            }],
        };
        let text = "connections_refused_errors: 412";
        let mut call = tool_result("refused", v1::EvidenceLane::Metrics, text);
        call.arguments = "connections_refused_errors{from=\"api\",to=\"db\"}".to_owned();
        v1::RecordTurnRequest { hypotheses: vec![hypothesis], ..turn(&state, vec![call], vec![]) }
    };
    let mut state = server.record_turn(turn_with_hypothesis(API)).await.unwrap();
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
        state = server.record_turn(second_turn).await.unwrap();
        let gate = state.gate.as_ref().unwrap();
        assert_eq!((gate.exit(), gate.root_cause.as_str()), (v1::GateExit::Confident, "h1"));
        assert!(!codes(&state.findings).contains(&"ROOT_CAUSE_OUTSIDE_SUSPECTS"));
    }
}

async fn rejected_fields(server: &TestServer, request: v1::RecordTurnRequest) -> Vec<String> {
    let error = server.record_turn(request).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument, "{error:?}");
    invalid_fields(&error)
}

#[tokio::test]
async fn rejection_of_a_belief_names_the_invalid_fields() {
    let server = TestServer::start().await;
    let state = server.begin(start("i6")).await;
    let calls = || vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let turn_with_belief = |belief| turn(&state, calls(), vec![belief]);
    let valid_belief = || belief(API, BeliefLabel::Symptom, SLOW, "api-log");
    let not_due = belief(DB, BeliefLabel::Healthy, SLOW, "api-log");
    assert_eq!(rejected_fields(&server, turn_with_belief(not_due)).await, ["beliefs[0]"]);
    let unconnected = v1::Belief { propagations: vec![edge(DB, API)], ..valid_belief() };
    assert_eq!(rejected_fields(&server, turn_with_belief(unconnected)).await, ["beliefs[0]"]);
    let unknown = v1::Belief {
        label: 9,
        entity: "shop/Deployment/mail".to_owned(),
        suspects: vec!["cache".to_owned()],
        ..valid_belief()
    };
    assert_eq!(
        rejected_fields(&server, turn_with_belief(unknown)).await,
        ["beliefs[0].entity", "beliefs[0].label", "beliefs[0].suspects[0]"]
    );
    let without_citations = v1::Observation { text: String::new(), citations: Vec::new() };
    let without_citations = v1::Belief { observations: vec![without_citations], ..valid_belief() };
    assert_eq!(
        rejected_fields(&server, turn_with_belief(without_citations)).await,
        ["beliefs[0].observations[0].text", "beliefs[0].observations[0].citations"]
    );
    assert_eq!(
        due_entities(&server.record_turn(turn_with_belief(valid_belief())).await.unwrap()),
        [CART]
    );

    let mut without_graph = start("i7");
    without_graph.graph = None;
    let state = server.begin(without_graph).await;
    assert_eq!(state.graph, None);
    assert_eq!(
        rejected_fields(&server, turn(&state, calls(), vec![valid_belief()])).await,
        ["beliefs"]
    );

    let mut invalid_start = start("i8");
    invalid_start.graph = Some(v1::Graph {
        edges: vec![edge("a b", "c")],
        limits: Some(v1::ExplorationLimits { max_visits: Some(0), ..Default::default() }),
        ..Default::default()
    });
    let error = server.investigations().start_investigation(invalid_start).await.unwrap_err();
    assert_eq!(invalid_fields(&error), ["graph.edges[0].from", "graph.limits.max_visits"]);
}

/// The initial graph has aliases for the database, but neither the database itself nor its edge to the cart.
#[tokio::test]
async fn edge_added_during_the_exploration_leads_to_the_origin() {
    let server = TestServer::start().await;
    let mut request = start("added");
    let initial_graph = request.graph.as_mut().unwrap();
    initial_graph.edges = vec![edge(CART, API)];
    let state = server.begin(request).await;
    let symptom = v1::Belief {
        propagations: vec![edge(CART, API)],
        ..belief(API, BeliefLabel::Symptom, SLOW, "api-log")
    };
    let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    let state = server.record_turn(turn(&state, calls, vec![symptom])).await.unwrap();
    let waits = || v1::Belief {
        propagations: vec![edge(CART, API), edge(DB, CART)],
        ..belief(CART, BeliefLabel::Symptom, WAITING, "cart-log")
    };
    let calls = vec![tool_result("cart-log", v1::EvidenceLane::Logs, WAITING)];
    let without_edge = server.record_turn(turn(&state, calls.clone(), vec![waits()])).await;
    assert_eq!(without_edge.unwrap_err().code(), Code::InvalidArgument);

    let with_edge = v1::RecordTurnRequest {
        graph_additions: Some(v1::GraphAdditions {
            // Refers to the database by an alias from the start request.
            edges: vec![edge("shop/Service/postgres", CART)],
            ..Default::default()
        }),
        ..turn(&state, calls, vec![waits()])
    };
    let state = server.record_turn(with_edge).await.unwrap();
    assert_eq!(due_entities(&state), [DB]);
    let origin = v1::Belief {
        propagations: vec![edge(DB, CART)],
        ..belief(DB, BeliefLabel::Origin, ROLLOUT, "db-rollout")
    };
    let calls = vec![tool_result("db-rollout", v1::EvidenceLane::Change, ROLLOUT)];
    let state = server.record_turn(turn(&state, calls, vec![origin])).await.unwrap();
    assert_eq!(graph(&state).frontier, [DB]);
    assert_eq!(graph(&state).alerts[0].path, [API, CART, DB]);
    let reread = server.investigation("added").await;
    assert_eq!(reread.investigation.unwrap().graph, state.graph);
}

#[tokio::test]
async fn rejects_invalid_graph_additions() {
    let server = TestServer::start().await;
    let state = server.begin(start("additions")).await;
    let turn_with =
        |state: &v1::Investigation, additions: v1::GraphAdditions| v1::RecordTurnRequest {
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
        let status = server.record_turn(turn_with(&state, additions)).await.unwrap_err();
        assert_eq!(invalid_fields(&status)[0], field, "{status:?}");
    }
    let plain = v1::StartInvestigationRequest { graph: None, ..start("plain") };
    let state = server.begin(plain).await;
    let status = server.record_turn(turn_with(&state, v1::GraphAdditions::default())).await;
    assert!(status.unwrap_err().message().contains("has no graph"));
}

/// A traffic peak that appears in a log counts as a change to the entity if the agent records it as a load change.
#[tokio::test]
async fn recorded_load_change_makes_an_entity_an_origin() {
    const PEAK: &str = "api: 9400 requests/s since 14:00, flash sale";
    let server = TestServer::start().await;
    for (id, kind, target, expected) in [
        ("load", v1::ChangeKind::Load, API, Ok(BeliefLabel::Origin)),
        ("deployment", v1::ChangeKind::Unspecified, API, Err(Code::InvalidArgument)),
        // The log names a different entity.
        ("other", v1::ChangeKind::Load, DB, Err(Code::InvalidArgument)),
    ] {
        let state = server.begin(start(id)).await;
        let change = v1::ChangeRecord {
            id: "flash-sale".to_owned(),
            at: Some(prost_types::Timestamp { seconds: 1_000, nanos: 0 }),
            target: target.to_owned(),
            evidence_id: "api-log".to_owned(),
            kind: kind.into(),
            ..Default::default()
        };
        let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, PEAK)];
        let origin = belief(API, BeliefLabel::Origin, PEAK, "api-log");
        let request =
            v1::RecordTurnRequest { changes: vec![change], ..turn(&state, calls, vec![origin]) };
        let label =
            server.record_turn(request).await.map(|state| belief_about(&state, API).label());
        assert_eq!(label.map_err(|status| status.code()), expected, "{id}");
    }
}

#[tokio::test]
async fn investigation_without_an_origin_fails_at_the_localize_stage() {
    let server = TestServer::start().await;
    let state = server.begin(start("nowhere")).await;
    let calls = vec![tool_result("api-log", v1::EvidenceLane::Logs, SLOW)];
    server.record_turn(turn(&state, calls, Vec::new())).await.unwrap();
    assert_eq!(finished(&server.cancel("nowhere").await).failed_stage, "LOCALIZE");
}

#[tokio::test]
async fn earlier_investigations_of_an_alert_are_listed() {
    let server = TestServer::start().await;
    explore_to_the_origin(&server, "inc-1").await;
    let other = v1::Graph {
        entities: vec![DB.to_owned()],
        alerts: vec![DB.to_owned()],
        ..Default::default()
    };
    let other = v1::StartInvestigationRequest { graph: Some(other), ..start("other") };
    assert!(server.begin(other).await.earlier.is_empty());
    let plain = v1::StartInvestigationRequest { graph: None, ..start("plain") };
    assert!(server.begin(plain).await.earlier.is_empty());
    let state = server.begin(start("inc-2")).await;
    let [earlier] = state.earlier.as_slice() else { panic!("{:?}", state.earlier) };
    assert_eq!((earlier.investigation_id.as_str(), earlier.cause.as_str()), ("inc-1", ""));
    assert_eq!(
        (earlier.shared_alerts.as_slice(), earlier.origins.as_slice()),
        (&[API.to_owned()][..], &[DB.to_owned()][..])
    );
}

/// Under a policy that requires attestation, an agent's word alone cannot mark an entity as changed.
#[tokio::test]
async fn unattested_change_makes_no_origin_under_the_strict_policy() {
    let server = TestServer::start().await;
    let strict =
        |id: &str| v1::StartInvestigationRequest { policy: "strict".to_owned(), ..start(id) };
    let state = server.begin(strict("word")).await;
    let calls =
        vec![tool_result("api-rollout", v1::EvidenceLane::Change, "api: rolled out at 14:02")];
    let additions = v1::GraphAdditions { changed: vec![API.to_owned()], ..Default::default() };
    let unattested_addition = v1::RecordTurnRequest {
        graph_additions: Some(additions),
        ..turn(&state, calls.clone(), Vec::new())
    };
    let status = server.record_turn(unattested_addition).await.unwrap_err();
    assert!(status.message().contains("attested"), "{status:?}");
    let origin = belief(API, BeliefLabel::Origin, "api: rolled out at 14:02", "api-rollout");
    let state = server.record_turn(turn(&state, calls, vec![origin])).await.unwrap();
    assert_eq!(belief_about(&state, API).label(), BeliefLabel::Symptom);
}

#[tokio::test]
async fn recorded_change_counts_for_an_entity_added_later() {
    let server = TestServer::start().await;
    let mut request = start("later");
    request.graph.as_mut().unwrap().edges = vec![edge(CART, API)];
    let state = server.begin(request).await;
    let change = v1::ChangeRecord {
        id: "rollout".to_owned(),
        at: Some(prost_types::Timestamp { seconds: 1_000, nanos: 0 }),
        target: DB.to_owned(),
        evidence_id: "db-rollout".to_owned(),
        ..Default::default()
    };
    let calls = vec![tool_result("db-rollout", v1::EvidenceLane::Change, ROLLOUT)];
    let first = v1::RecordTurnRequest { changes: vec![change], ..turn(&state, calls, Vec::new()) };
    let state = server.record_turn(first).await.unwrap();
    let additions = v1::GraphAdditions {
        edges: vec![edge(DB, API)],
        alerts: vec![DB.to_owned()],
        ..Default::default()
    };
    let second = v1::RecordTurnRequest {
        graph_additions: Some(additions),
        ..turn(&state, Vec::new(), Vec::new())
    };
    let mut state = server.record_turn(second).await.unwrap();
    for (entity, label) in [(API, BeliefLabel::Defer), (DB, BeliefLabel::Origin)] {
        let next_belief = match label {
            BeliefLabel::Defer => {
                v1::Belief { entity: entity.to_owned(), label: label.into(), ..Default::default() }
            }
            _ => belief(entity, label, ROLLOUT, "db-rollout"),
        };
        state = server.record_turn(turn(&state, Vec::new(), vec![next_belief])).await.unwrap();
    }
    assert_eq!(graph(&state).frontier, [DB]);
}
