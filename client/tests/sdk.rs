//! The SDK with real servers, and with servers that are shut down.

use crate::common::{Script, ScriptedServer};
use crate::server_binary::server_binary;
use gsar_client::connection::TemporaryServer;
use gsar_client::{
    Client, ClientError, Draft, EvidenceCapture, Item, RunError, TlsFiles, WhenUnreachable, v1,
};
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

    let wrong =
        client.check("Pod cart-1 restarted 9 times.").evidence([pods()]).policy("reference");
    let wrong = wrong.verdict().await.unwrap();
    assert!(!wrong.may_proceed());
    let faults: Vec<_> = wrong.faults().map(|claim| claim.text()).collect();
    assert_eq!(faults, ["Pod cart-1 restarted 9 times"]);
    assert!(wrong.reasons().next().is_some());
    server.stop().await;
}

#[tokio::test]
async fn interrupted_investigation_is_resumed() {
    let (server, client) = start_server().await;
    let tools = EvidenceCapture::default();
    let mut steps = Vec::new();
    let investigate = async |at: &v1::Investigation| {
        if at.spent.as_ref().is_some_and(|spent| spent.turns > 0) {
            return Ok(None);
        }
        tools
            .call("kubectl", "get pods", async { Ok::<_, ()>(PODS) })
            .await
            .map_err(|()| "kubectl")?;
        Ok(Some(tools.take_turn()))
    };
    let cut_off = client
        .investigation("cart")
        .policy("reference")
        .run(async |_: &v1::Investigation| Err::<Draft, _>("no model"), investigate)
        .await;
    assert!(matches!(cut_off, Err(RunError::Orchestrator("no model"))), "{cut_off:?}");

    let investigate = async |_: &v1::Investigation| Ok::<_, &str>(None);
    let write = async |at: &v1::Investigation| {
        steps.push(at.step);
        let restarts = if at.trajectory.is_empty() { 9 } else { 4 };
        Ok::<_, &str>(format!("Pod cart-1 restarted {restarts} times."))
    };
    let ended =
        client.investigation("cart").policy("reference").run(write, investigate).await.unwrap();
    assert!(!ended.end.degraded, "{:?}", ended.end);
    assert_eq!(
        ended.investigation.spent.unwrap().turns,
        1,
        "the turn before the interruption is counted once"
    );
    assert_eq!(steps.len(), 2, "{:?}", ended.investigation.trajectory);
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
    let [first, second] = [0, 1].map(|at: usize| servers[at].server.endpoint().parse().unwrap());
    let nobody = "unix:///nowhere/gsar.sock".parse().unwrap();
    let client =
        Client::connect_to_any(&nobody, &[first, second], &TlsFiles::default()).await.unwrap();
    for _ in 0..4 {
        client.list_policies().await.unwrap();
    }
    assert_eq!((servers[0].calls(), servers[1].calls()), (2, 2));

    let [gone, left] = servers;
    gone.stop();
    for _ in 0..4 {
        client.list_policies().await.unwrap();
    }
    assert_eq!(left.calls(), 6);
    left.stop();

    let none = Client::connect_to_any(&nobody, &[], &TlsFiles::default()).await;
    assert!(matches!(none, Err(ClientError::Unreachable { .. })));
}

#[tokio::test]
async fn unreachable_server_holds_the_report_by_default() {
    let server = StoppableServer::start();
    let client = Client::connect(&server.server.endpoint().parse().unwrap()).await.unwrap();
    server.stop();
    let held = client.check("x").may_proceed(WhenUnreachable::default()).await;
    assert!(matches!(held, Err(ClientError::Unreachable { .. })), "{held:?}");
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
async fn calls_and_investigations_are_send() {
    let (server, client) = start_server().await;
    let (first, second, third) = (client.clone(), client.clone(), client);
    let scored = tokio::spawn(async move { first.score(v1::ScoreRequest::default()).await });
    let checked = tokio::spawn(async move {
        second.check("Pod cart-1 restarted 4 times.").evidence([pods()]).verdict().await
    });
    let driven = tokio::spawn(async move {
        let write = async |_: &v1::Investigation| Ok::<_, String>("Pod cart-1 restarted 4 times.");
        let plan = async |_: &v1::Investigation| Ok(None);
        third.investigation("spawned").run(write, plan).await
    });
    assert!(scored.await.unwrap().unwrap_err().refusal().is_some());
    checked.await.unwrap().unwrap();
    driven.await.unwrap().unwrap();
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
    let sent: Vec<_> = script.metadata.iter().map(|metadata| metadata.get("traceparent")).collect();
    assert_eq!(sent, [Some(&TRACE.parse().unwrap()), None]);
}

#[tokio::test]
async fn evaluates_reports_over_a_stream() {
    let (server, client) = start_server().await;
    let reports = ["Pod cart-1 restarted 4 times.", "", "Pod cart-1 restarted 9 times."];
    let requests: Vec<_> = reports
        .iter()
        .enumerate()
        .map(|(number, report)| v1::EvaluateStreamRequest {
            correlation_id: number.to_string(),
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
