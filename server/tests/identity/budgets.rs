//! Tests of the daily budget for chat models per principal.

use gsar_chat_wire::{ScriptedReply, Server};
use gsar_proto::v1;
use gsar_proto::v1::drive_request::Request as Message;
use gsar_proto::v1::grounding_service_client::GroundingServiceClient;
use gsar_proto::v1::investigation_service_client::InvestigationServiceClient;
use gsar_server::assembly::CheckedConfig;
use gsar_server::config::{Config, Model, Problems};
use rusqlite::Connection;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::identity::{As, principals, with, with_principals};
use crate::support::TestServer;
use crate::support::chat_models::{HONEST, Models, codes, failed_with, proceeds, request_for};
use crate::support::tokens::Issuer;

const NAME: &str = "openai:m";
const BUDGET: u64 = 15_000;

fn with_budget(micros: u64) -> String {
    principals().replace("[ben]", &format!("daily_budget = {micros}\n[ben]"))
}

fn write_principals(config: &Config, principals: &str) {
    let file = config.security.principals.as_ref().unwrap();
    std::fs::write(file, principals).unwrap();
}

async fn reload(server: &TestServer, principals: &str) {
    std::fs::write(server.folder.path().join("principals.toml"), principals).unwrap();
    server.reload().await;
}

fn with_price(model: &mut Model) {
    (model.input_price, model.output_price) = (Some(1_000_000), Some(10_000_000));
    model.max_output_tokens = 1_000;
}

async fn started(
    provider: &Server,
    model: impl FnOnce(&mut Model),
    change: impl FnOnce(&mut Config),
) -> TestServer {
    provider.always(ScriptedReply::answer(HONEST));
    let issuer = Issuer::new();
    let models = Models::new().with(NAME, provider, model);
    let started = models.start(|config| {
        with_principals(config, &issuer);
        change(config);
    });
    started.await
}

fn caller(server: &TestServer, token: &str) -> As {
    with(&server.channel, Some(token))
}

async fn evaluate(caller: &As, judge: &str) -> v1::EvaluateResponse {
    let mut client = GroundingServiceClient::new(caller.clone());
    client.evaluate(request_for(judge)).await.unwrap().into_inner()
}

fn detail(answer: &v1::EvaluateResponse) -> &str {
    &answer.provenance.as_ref().unwrap().judges.first().unwrap().detail
}

fn cost(answer: &v1::EvaluateResponse) -> u64 {
    let links = &answer.provenance.as_ref().unwrap().judges;
    links.iter().flat_map(|link| &link.calls).map(v1::ModelCall::cost_micros).sum()
}

/// Evaluates until the budget is exhausted. Returns the total cost and the last answer.
async fn exhaust_budget(caller: &As) -> (u64, v1::EvaluateResponse) {
    let mut spent = 0;
    for _ in 0..200 {
        let answer = evaluate(caller, NAME).await;
        spent += cost(&answer);
        if !proceeds(&answer) {
            return (spent, answer);
        }
    }
    panic!("{spent} were spent without reaching the budget");
}

#[tokio::test]
async fn exhausted_budget_affects_only_its_principal() {
    let provider = Server::start().await.unwrap();
    let server =
        started(&provider, with_price, |config| write_principals(config, &with_budget(BUDGET)))
            .await;
    let [ada, ben] = ["secret-of-ada", "secret-of-ben"].map(|token| caller(&server, token));
    let (adas_spending, refusal) = exhaust_budget(&ada).await;
    assert!((1..=BUDGET).contains(&adas_spending), "{adas_spending}");
    assert_eq!(failed_with(&refusal), "BUDGET_SPENT");
    assert!(detail(&refusal).contains("the daily budget of ada is $0.015"), "{}", detail(&refusal));
    assert!(detail(&refusal).contains("security.principals"), "{}", detail(&refusal));

    let bens_answer = evaluate(&ben, NAME).await;
    assert!(proceeds(&bens_answer), "{bens_answer:?}");
    let requests = provider.counts().requests;
    // The next judge in the chain costs nothing.
    let fallen_back = evaluate(&ada, "").await;
    assert_eq!(codes(&fallen_back), ["BUDGET_SPENT", ""]);
    assert_eq!(fallen_back.outcome(), v1::Outcome::Scored);
    assert_eq!(provider.counts().requests, requests);

    reload(&server, &with_budget(1_000_000)).await;
    let answer = evaluate(&ada, NAME).await;
    assert!(proceeds(&answer), "{}", detail(&answer));
    let adas_spending = adas_spending + cost(&answer);
    reload(&server, &with_budget(0)).await;
    assert_eq!(failed_with(&evaluate(&ada, NAME).await), "BUDGET_SPENT");
    reload(&server, &principals()).await;
    let answer = evaluate(&ada, NAME).await;
    assert!(proceeds(&answer), "{}", detail(&answer));

    let database = Connection::open(server.folder.path().join("data/judgements.sqlite3")).unwrap();
    let total =
        |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs();
    let (adas_spending, bens_spending) = (adas_spending + cost(&answer), cost(&bens_answer));
    let sql_of = |name: &str| {
        format!("SELECT sum(micros) FROM spending_of_principals WHERE principal = '{name}'")
    };
    while total("SELECT sum(micros) FROM spending") != adas_spending + bens_spending {
        tokio::task::yield_now().await;
    }
    assert_eq!((total(&sql_of("ada")), total(&sql_of("ben"))), (adas_spending, bens_spending));
}

fn code(answer: &v1::EvaluateResponse) -> String {
    codes(answer).join(" ")
}

async fn codes_of_every_path(caller: &As) -> [(&'static str, String); 6] {
    let mut grounding = GroundingServiceClient::new(caller.clone());
    let request = v1::EvaluateStreamRequest {
        correlation_id: "1".to_owned(),
        request: Some(request_for(NAME)),
    };
    let mut answers =
        grounding.evaluate_stream(tokio_stream::iter([request])).await.unwrap().into_inner();
    let streamed = stream_report(answers.message().await.unwrap().unwrap());

    let v1::EvaluateRequest { report, evidence, policy, options, .. } = request_for(NAME);
    let select = v1::SelectBestRequest {
        candidates: report.into_iter().collect(),
        evidence,
        policy,
        options,
        ..v1::SelectBestRequest::default()
    };
    let mut ranking = grounding.select_best(select).await.unwrap().into_inner().ranking;
    let selected = match ranking.remove(0).result.unwrap() {
        v1::ranked_candidate::Result::Evaluation(answer) => answer,
        v1::ranked_candidate::Result::Error(error) => panic!("{error:?}"),
    };

    let request = v1::TryJudgesRequest { judge: NAME.to_owned() };
    let trials = grounding.try_judges(request).await.unwrap().into_inner().trials;
    [
        ("Evaluate", code(&evaluate(caller, NAME).await)),
        ("EvaluateStream", code(&streamed)),
        ("SelectBest", code(&selected)),
        ("TryJudges", trials.into_iter().map(|trial| trial.link.unwrap().code).collect()),
        ("SubmitReport", code(&submit_report(caller).await)),
        ("Drive", code(&drive_report(caller).await)),
    ]
}

fn start(id: &str) -> v1::StartInvestigationRequest {
    let v1::EvaluateRequest { policy, options, .. } = request_for(NAME);
    let investigation_id = id.to_owned();
    v1::StartInvestigationRequest { investigation_id, policy, options, ..Default::default() }
}

fn submit(started: v1::Investigation) -> v1::SubmitReportRequest {
    let v1::Investigation { investigation_id, step, .. } = started;
    let v1::EvaluateRequest { report, evidence, .. } = request_for(NAME);
    v1::SubmitReportRequest { investigation_id, step, report, evidence }
}

async fn submit_report(caller: &As) -> v1::EvaluateResponse {
    let mut client = InvestigationServiceClient::new(caller.clone());
    let started = client.start_investigation(start("one by one")).await.unwrap().into_inner();
    let report = submit(started.investigation.unwrap());
    client.submit_report(report).await.unwrap().into_inner().evaluation.unwrap()
}

async fn drive_report(caller: &As) -> v1::EvaluateResponse {
    let message = |message| v1::DriveRequest { request: Some(message) };
    let (send, messages) = mpsc::channel(1);
    let mut client = InvestigationServiceClient::new(caller.clone());
    let mut answers = client.drive(ReceiverStream::new(messages)).await.unwrap().into_inner();
    send.send(message(Message::Start(Box::new(start("driven"))))).await.unwrap();
    let started = answers.message().await.unwrap().unwrap().investigation.unwrap();
    send.send(message(Message::Report(submit(started)))).await.unwrap();
    answers.message().await.unwrap().unwrap().evaluation.unwrap()
}

fn stream_report(answer: v1::EvaluateStreamResponse) -> v1::EvaluateResponse {
    match answer.result.unwrap() {
        v1::evaluate_stream_response::Result::Evaluation(answer) => *answer,
        v1::evaluate_stream_response::Result::Error(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn every_model_call_counts_towards_the_budget() {
    let provider = Server::start().await.unwrap();
    let server =
        started(&provider, with_price, |config| write_principals(config, &with_budget(0))).await;
    for (path, code) in codes_of_every_path(&caller(&server, "secret-of-ada")).await {
        assert_eq!(code, "BUDGET_SPENT", "{path}");
    }
    assert_eq!(provider.counts().requests, 0);
    for (path, code) in codes_of_every_path(&caller(&server, "secret-of-ben")).await {
        assert_ne!(code, "BUDGET_SPENT", "{path}");
    }
    assert!(provider.counts().requests >= 6, "each path asks the model");
}

#[tokio::test]
async fn streams_use_the_reloaded_budget() {
    let provider = Server::start().await.unwrap();
    let server =
        started(&provider, with_price, |config| write_principals(config, &with_budget(0))).await;
    let (send, messages) = mpsc::channel(1);
    let mut client = GroundingServiceClient::new(caller(&server, "secret-of-ada"));
    let answers = client.evaluate_stream(ReceiverStream::new(messages)).await.unwrap();
    let mut answers = answers.into_inner();
    for (budget, code) in [(0, "BUDGET_SPENT"), (1_000_000, ""), (1, "BUDGET_SPENT")] {
        reload(&server, &with_budget(budget)).await;
        let correlation_id = budget.to_string();
        let request =
            v1::EvaluateStreamRequest { correlation_id, request: Some(request_for(NAME)) };
        send.send(request).await.unwrap();
        let answer = stream_report(answers.message().await.unwrap().unwrap());
        assert_eq!(codes(&answer), [code], "{budget}");
    }
}

#[tokio::test]
async fn total_spending_is_not_disclosed_to_principals() {
    let provider = Server::start().await.unwrap();
    let server =
        started(&provider, with_price, |config| config.judges.daily_budget = Some(BUDGET)).await;
    let (spent, _) = exhaust_budget(&caller(&server, "secret-of-ben")).await;
    let refusal = evaluate(&caller(&server, "secret-of-ada"), NAME).await;
    assert_eq!(failed_with(&refusal), "BUDGET_SPENT");
    let message = detail(&refusal);
    assert!(
        message.contains("of all callers is $0.015000, of which too little is left"),
        "{message}"
    );
    assert!(
        !message.contains(&format!("{spent:06}")) && !message.contains("are spent"),
        "{message}"
    );
}

#[tokio::test]
async fn budget_requires_prices() {
    let provider = Server::start().await.unwrap();
    let server = started(&provider, |_| {}, |_| {}).await;
    let [ada, ben] = ["secret-of-ada", "secret-of-ben"].map(|token| caller(&server, token));
    assert!(proceeds(&evaluate(&ada, NAME).await));
    reload(&server, &with_budget(1_000_000)).await;
    let refusal = evaluate(&ada, NAME).await;
    assert_eq!(failed_with(&refusal), "BUDGET_UNAVAILABLE");
    assert!(detail(&refusal).contains("set input_price and output_price"), "{}", detail(&refusal));
    assert!(proceeds(&evaluate(&ben, NAME).await));

    let folder = tempfile::tempdir().unwrap();
    let mut config = Config { data_dir: folder.path().join("data"), ..Config::default() };
    config.judges.chain = vec!["ollama:m".to_owned()];
    with_principals(&mut config, &Issuer::new());
    write_principals(&config, &with_budget(1));
    let problems = CheckedConfig::check(config, Vec::new(), Problems::default()).unwrap_err();
    let message = problems.to_string();
    let problem = "judges.models.\"ollama:m\".input_price: is missing, but the daily budget of ada in security.principals";
    assert!(message.contains(problem), "{message}");
}
