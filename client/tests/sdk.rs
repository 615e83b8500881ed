//! Tests the SDK against real servers, and against servers that are shut down.

use std::time::{Duration, SystemTime};

use crate::common::{Script, ScriptedServer};
use crate::server_binary::server_binary;
use gsar_client::connection::TemporaryServer;
use gsar_client::{
    Client, ClientError, Draft, EvidenceCapture, Investigation, Item, RunError, TlsFiles,
    WhenUnreachable, v1,
};
use gsar_core::evidence::Lane;
use gsar_core::{Class, Tier};
use tonic::Status;

const PODS: &str =
    "NAME    READY  STATUS   RESTARTS\ncart-1  1/1    Running  4\ncart-2  1/1    Running  0\n";

async fn start_server() -> (TemporaryServer, Client) {
    let binary = server_binary();
    let mut server = TemporaryServer::start(&binary, None).unwrap();
    let client = server.connect().await.unwrap();
    (server, client)
}

fn pods() -> Item {
    Item::text("pods", PODS).tool("kubectl get pods")
}

#[tokio::test]
async fn report_is_checked() {
    let (server, client) = start_server().await;
    let check =
        client.check("Pod cart-1 restarted 4 times.").evidence([pods()]).policy("reference");
    let verdict = check.clone().verdict().await.unwrap();
    assert!(verdict.may_proceed());
    assert_eq!(verdict.tier(), Some(Tier::Proceed));
    assert_eq!(verdict.score().map(|score| score.to_string()), Some("1/1".to_owned()));
    let claim = verdict.claims().next().unwrap();
    assert_eq!(
        (claim.text(), claim.class()),
        ("Pod cart-1 restarted 4 times", Some(Class::Grounded))
    );
    assert!(claim.quotes().any(|(item, quote)| item == "pods" && quote.contains("cart-1")));
    assert!(check.may_proceed(WhenUnreachable::Hold).await.unwrap());

    let false_verdict =
        client.check("Pod cart-1 restarted 9 times.").evidence([pods()]).policy("reference");
    let false_verdict = false_verdict.verdict().await.unwrap();
    assert!(!false_verdict.may_proceed());
    let faults: Vec<_> = false_verdict.faults().map(|claim| claim.text()).collect();
    assert_eq!(faults, ["Pod cart-1 restarted 9 times"]);
    assert!(false_verdict.reasons().next().is_some());
    server.stop().await;
}

#[tokio::test]
async fn interrupted_investigation_is_resumed() {
    let (server, client) = start_server().await;
    let tools = EvidenceCapture::default();
    let mut steps = Vec::new();
    let investigate = async |state: &v1::Investigation| {
        if state.spent.as_ref().is_some_and(|spent| spent.turns > 0) {
            return Ok(None);
        }
        tools
            .call("kubectl", "get pods", async { Ok::<_, ()>(PODS) })
            .await
            .map_err(|()| "kubectl")?;
        Ok(Some(tools.take_turn()))
    };
    let interrupted_run = client
        .investigation("cart")
        .policy("reference")
        .run(async |_: &v1::Investigation| Err::<Draft, _>("no model"), investigate)
        .await;
    assert!(
        matches!(interrupted_run, Err(RunError::Orchestrator("no model"))),
        "{interrupted_run:?}"
    );

    let investigate = async |_: &v1::Investigation| Ok::<_, &str>(None);
    let write = async |state: &v1::Investigation| {
        steps.push(state.step);
        let restarts = if state.trajectory.is_empty() { 9 } else { 4 };
        Ok::<_, &str>(format!("Pod cart-1 restarted {restarts} times."))
    };
    let outcome =
        client.investigation("cart").policy("reference").run(write, investigate).await.unwrap();
    assert!(!outcome.end.degraded, "{:?}", outcome.end);
    assert_eq!(
        outcome.investigation.spent.unwrap().turns,
        1,
        "the turn before the interruption is counted once"
    );
    assert_eq!(steps.len(), 2, "{:?}", outcome.investigation.trajectory);
    server.stop().await;
}

/// Runs an investigation whose turn records a change at second 1,000 and a fault signal in the changed service. Returns
/// the id of the cited change, if any.
async fn cited_change(investigation: Investigation, client: &Client) -> Option<String> {
    let result =
        v1::EvidenceItem::from(Item::text("errors", "connection_errors 512").lane(Lane::Metrics));
    let tool_call = v1::ToolCall {
        tool: "promql".to_owned(),
        arguments: "connection_errors{service=\"checkout\"}".to_owned(),
        result: Some(result),
    };
    let hypothesis = v1::TestedHypothesis {
        id: "pool".to_owned(),
        target: "checkout".to_owned(),
        tests: vec![v1::HypothesisTest { evidence_id: "errors".to_owned(), ..Default::default() }],
        ..Default::default()
    };
    let change = v1::ChangeRecord {
        id: "deploy-31".to_owned(),
        at: Some(prost_types::Timestamp { seconds: 1_000, nanos: 0 }),
        target: "checkout".to_owned(),
        ..Default::default()
    };
    let mut turns = vec![v1::RecordTurnRequest {
        tool_calls: vec![tool_call],
        hypotheses: vec![hypothesis],
        changes: vec![change],
        ..Default::default()
    }];
    let write = async |_: &v1::Investigation| Ok::<_, ()>("checkout has 512 connection errors.");
    let plan = async |_: &v1::Investigation| Ok(turns.pop());
    let outcome = investigation.run(write, plan).await.unwrap();
    let evaluation = client.evaluation(&outcome.end.best).await.unwrap().evaluation.unwrap();
    Some(evaluation.chain.unwrap().change?.id)
}

#[tokio::test]
async fn onset_and_request_reach_the_server() {
    let (server, client) = start_server().await;
    let onset = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600);
    let start = |id: &str| client.investigation(id).policy("reference");
    assert_eq!(cited_change(start("no-onset"), &client).await, None);
    for (within, cited) in [(599, None), (600, Some("deploy-31".to_owned()))] {
        let investigation =
            start(&format!("within-{within}")).onset(onset, Duration::from_secs(within));
        assert_eq!(cited_change(investigation, &client).await, cited, "{within}");
    }

    let request = v1::StartInvestigationRequest {
        investigation_id: "ignored".to_owned(),
        budget: Some(v1::InvestigationBudget { cost_micros: 500_000, ..Default::default() }),
        graph: Some(v1::Graph {
            entities: vec!["checkout".to_owned()],
            alerts: vec!["checkout".to_owned()],
            ..Default::default()
        }),
        ..Default::default()
    };
    let write = async |_: &v1::Investigation| Ok::<_, ()>("checkout is down.");
    let plan = async |_: &v1::Investigation| Ok(None);
    let investigation = client.investigation("whole").request(request);
    let state = investigation.run(write, plan).await.unwrap().investigation;
    assert_eq!(state.investigation_id, "whole");
    assert_eq!(state.graph.unwrap().due[0].entity, "checkout");
    server.stop().await;
}

#[tokio::test]
async fn closed_gate_ends_the_turns() {
    let (server, client) = start_server().await;
    let mut turns = 0;
    let plan = async |_: &v1::Investigation| {
        turns += 1;
        let tool_calls = vec![v1::ToolCall {
            tool: "kubectl".to_owned(),
            result: Some(pods().into()),
            ..Default::default()
        }];
        Ok::<_, ()>(Some(v1::RecordTurnRequest { tool_calls, ..Default::default() }))
    };
    let write = async |_: &v1::Investigation| Ok("Pod cart-1 restarted 4 times.");
    let outcome = client.investigation("turns").policy("reference").run(write, plan).await.unwrap();
    assert_eq!(outcome.end.cause, "PROCEED", "{:?}", outcome.end);
    assert!(turns < 20, "{turns}");
    server.stop().await;
}

struct StoppableServer {
    server: ScriptedServer,
    runtime: tokio::runtime::Runtime,
}

impl StoppableServer {
    fn start() -> Self {
        let started = std::thread::spawn(|| {
            let mut runtime = tokio::runtime::Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
            let server = runtime.block_on(ScriptedServer::start(Script::default()));
            Self { server, runtime }
        });
        started.join().unwrap()
    }

    fn calls(&self) -> usize {
        self.server.script.lock().unwrap().metadata.len()
    }

    fn stop(self) {
        // A runtime cannot be dropped in an async context.
        std::thread::spawn(move || drop(self.runtime)).join().unwrap();
    }
}

#[tokio::test]
async fn calls_rotate_and_skip_unreachable_servers() {
    let servers = [StoppableServer::start(), StoppableServer::start()];
    let [first, second] =
        [0, 1].map(|index: usize| servers[index].server.endpoint().parse().unwrap());
    let unreachable = "unix:///nowhere/gsar.sock".parse().unwrap();
    let client =
        Client::connect_to_any(&unreachable, &[first, second], &TlsFiles::default()).await.unwrap();
    for _ in 0..4 {
        client.list_policies().await.unwrap();
    }
    assert_eq!((servers[0].calls(), servers[1].calls()), (2, 2));

    let [stopped, remaining] = servers;
    stopped.stop();
    for _ in 0..4 {
        client.list_policies().await.unwrap();
    }
    assert_eq!(remaining.calls(), 6);
    remaining.stop();

    let result = Client::connect_to_any(&unreachable, &[], &TlsFiles::default()).await;
    assert!(matches!(result, Err(ClientError::Unreachable { .. })));
}

#[tokio::test]
async fn unreachable_server_holds_the_report_by_default() {
    let server = StoppableServer::start();
    let client = Client::connect(&server.server.endpoint().parse().unwrap()).await.unwrap();
    server.stop();
    let result = client.check("x").may_proceed(WhenUnreachable::default()).await;
    assert!(matches!(result, Err(ClientError::Unreachable { .. })), "{result:?}");
    assert!(client.check("x").may_proceed(WhenUnreachable::Proceed).await.unwrap());
}

#[tokio::test]
async fn rejected_request_is_an_error() {
    let refusal = Err(Status::invalid_argument("report: is missing"));
    let script = Script { evaluations: [refusal].into(), ..Script::default() };
    let server = ScriptedServer::start(script).await;
    let client = Client::connect(&server.endpoint().parse().unwrap()).await.unwrap();
    client.check("").may_proceed(WhenUnreachable::Proceed).await.unwrap_err();
}

#[tokio::test]
async fn futures_of_calls_and_investigations_are_send() {
    let (server, client) = start_server().await;
    let (first, second, third) = (client.clone(), client.clone(), client);
    let score_call = tokio::spawn(async move { first.score(v1::ScoreRequest::default()).await });
    let check_call = tokio::spawn(async move {
        second.check("Pod cart-1 restarted 4 times.").evidence([pods()]).verdict().await
    });
    let investigation_call = tokio::spawn(async move {
        let write = async |_: &v1::Investigation| Ok::<_, String>("Pod cart-1 restarted 4 times.");
        let plan = async |_: &v1::Investigation| Ok(None);
        third.investigation("spawned").run(write, plan).await
    });
    assert!(score_call.await.unwrap().unwrap_err().refusal().is_some());
    check_call.await.unwrap().unwrap();
    investigation_call.await.unwrap().unwrap();
    server.stop().await;
}

#[tokio::test]
async fn calls_send_the_trace_context() {
    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let server = ScriptedServer::start(Script::default()).await;
    let client = Client::connect(&server.endpoint().parse().unwrap()).await.unwrap();
    client.clone().with_trace(|| Some(TRACE.to_owned())).check("x").verdict().await.unwrap();
    client.with_trace(|| None).check("x").verdict().await.unwrap();
    let script = server.script.lock().unwrap();
    let trace_headers: Vec<_> =
        script.metadata.iter().map(|metadata| metadata.get("traceparent")).collect();
    assert_eq!(trace_headers, [Some(&TRACE.parse().unwrap()), None]);
}

#[tokio::test]
async fn evaluates_reports_over_a_stream() {
    let (server, client) = start_server().await;
    let reports = ["Pod cart-1 restarted 4 times.", "", "Pod cart-1 restarted 9 times."];
    let requests: Vec<_> = reports
        .iter()
        .enumerate()
        .map(|(index, report)| v1::EvaluateStreamRequest {
            correlation_id: index.to_string(),
            request: Some(client.check(*report).evidence([pods()]).into_request()),
        })
        .collect();
    let mut answers = client.evaluate_stream(futures_util::stream::iter(requests)).await.unwrap();
    let mut tiers = std::collections::BTreeMap::new();
    while let Some(answer) = answers.next().await.unwrap() {
        let tier = match answer.result.unwrap() {
            v1::evaluate_stream_response::Result::Evaluation(evaluation) => {
                Some(evaluation.decision.unwrap().tier())
            }
            v1::evaluate_stream_response::Result::Error(_) => None,
        };
        tiers.insert(answer.correlation_id, tier);
    }
    assert_eq!(tiers.len(), 3);
    assert_eq!((tiers["0"], tiers["1"]), (Some(v1::Tier::Proceed), None));
    assert_ne!(tiers["2"], Some(v1::Tier::Proceed));
    server.stop().await;
}
