//! Tests the daily budget that each principal has for chat models.

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

use crate::identity::{Caller, configure_principals, principals_toml, with_token};
use crate::support::TestServer;
use crate::support::chat_models::{HONEST, Models, codes, failure_code, proceeds, request_for};
use crate::support::tokens::Issuer;

const MODEL: &str = "openai:m";
const BUDGET: u64 = 15_000;

fn principals_with_budget(micros: u64) -> String {
    principals_toml().replace("[ben]", &format!("daily_budget = {micros}\n[ben]"))
}

fn write_principals(config: &Config, principals: &str) {
    let file = config.security.principals.as_ref().unwrap();
    std::fs::write(file, principals).unwrap();
}

async fn reload(server: &TestServer, principals: &str) {
    std::fs::write(server.folder.path().join("principals.toml"), principals).unwrap();
    server.reload().await;
}

fn set_prices(model: &mut Model) {
    (model.input_price, model.output_price) = (Some(1_000_000), Some(10_000_000));
    model.max_output_tokens = 1_000;
}

async fn start_server(
    provider: &Server,
    model: impl FnOnce(&mut Model),
    change: impl FnOnce(&mut Config),
) -> TestServer {
    provider.always(ScriptedReply::answer(HONEST));
    let issuer = Issuer::new();
    let models = Models::new().with(MODEL, provider, model);
    let server = models.start(|config| {
        configure_principals(config, &issuer);
        change(config);
    });
    server.await
}

fn caller(server: &TestServer, token: &str) -> Caller {
    with_token(&server.channel, Some(token))
}

async fn evaluate(caller: &Caller, judge: &str) -> v1::EvaluateResponse {
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

/// Evaluates a report repeatedly until the budget is exhausted. Returns the total cost and the last answer.
async fn exhaust_budget(caller: &Caller) -> (u64, v1::EvaluateResponse) {
    let mut spent = 0;
    for _ in 0..200 {
        let answer = evaluate(caller, MODEL).await;
        spent += cost(&answer);
        if !proceeds(&answer) {
            return (spent, answer);
        }
    }
    panic!("the budget was not exhausted after spending {spent}");
}

#[tokio::test]
async fn exhausted_budget_affects_only_its_principal() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, set_prices, |config| {
        write_principals(config, &principals_with_budget(BUDGET))
    })
    .await;
    let [ada, ben] = ["secret-of-ada", "secret-of-ben"].map(|token| caller(&server, token));
    let (adas_spending, refusal) = exhaust_budget(&ada).await;
    assert!((1..=BUDGET).contains(&adas_spending), "{adas_spending}");
    assert_eq!(failure_code(&refusal), "BUDGET_SPENT");
    assert!(detail(&refusal).contains("the daily budget of ada is $0.015"), "{}", detail(&refusal));
    assert!(detail(&refusal).contains("security.principals"), "{}", detail(&refusal));

    let bens_answer = evaluate(&ben, MODEL).await;
    assert!(proceeds(&bens_answer), "{bens_answer:?}");
    let requests = provider.counts().requests;
    // The evaluation falls back to the next judge in the chain, which costs nothing.
    let fallback_answer = evaluate(&ada, "").await;
    assert_eq!(codes(&fallback_answer), ["BUDGET_SPENT", ""]);
    assert_eq!(fallback_answer.outcome(), v1::Outcome::Scored);
    assert_eq!(provider.counts().requests, requests);

    reload(&server, &principals_with_budget(1_000_000)).await;
    let answer = evaluate(&ada, MODEL).await;
    assert!(proceeds(&answer), "{}", detail(&answer));
    let adas_spending = adas_spending + cost(&answer);
    reload(&server, &principals_with_budget(0)).await;
    assert_eq!(failure_code(&evaluate(&ada, MODEL).await), "BUDGET_SPENT");
    reload(&server, &principals_toml()).await;
    let answer = evaluate(&ada, MODEL).await;
    assert!(proceeds(&answer), "{}", detail(&answer));

    let database = Connection::open(server.folder.path().join("data/judgements.sqlite3")).unwrap();
    let total =
        |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs();
    let (adas_spending, bens_spending) = (adas_spending + cost(&answer), cost(&bens_answer));
    let spending_query = |name: &str| {
        format!("SELECT sum(micros) FROM spending_of_principals WHERE principal = '{name}'")
    };
    while total("SELECT sum(micros) FROM spending") != adas_spending + bens_spending {
        tokio::task::yield_now().await;
    }
    assert_eq!(
        (total(&spending_query("ada")), total(&spending_query("ben"))),
        (adas_spending, bens_spending)
    );
}

fn joined_codes(answer: &v1::EvaluateResponse) -> String {
    codes(answer).join(" ")
}

async fn evaluate_on_every_path(caller: &Caller) -> [(&'static str, String); 6] {
    let mut grounding = GroundingServiceClient::new(caller.clone());
    let request = v1::EvaluateStreamRequest {
        correlation_id: "1".to_owned(),
        request: Some(request_for(MODEL)),
    };
    let mut answers =
        grounding.evaluate_stream(tokio_stream::iter([request])).await.unwrap().into_inner();
    let streamed_answer = evaluation_in(answers.message().await.unwrap().unwrap());

    let v1::EvaluateRequest { report, evidence, policy, options, .. } = request_for(MODEL);
    let select = v1::SelectBestRequest {
        candidates: report.into_iter().collect(),
        evidence,
        policy,
        options,
        ..Default::default()
    };
    let mut ranking = grounding.select_best(select).await.unwrap().into_inner().ranking;
    let selected_answer = match ranking.remove(0).result.unwrap() {
        v1::ranked_candidate::Result::Evaluation(answer) => answer,
        v1::ranked_candidate::Result::Error(error) => panic!("{error:?}"),
    };

    let request = v1::TryJudgesRequest { judge: MODEL.to_owned() };
    let trials = grounding.try_judges(request).await.unwrap().into_inner().trials;
    [
        ("Evaluate", joined_codes(&evaluate(caller, MODEL).await)),
        ("EvaluateStream", joined_codes(&streamed_answer)),
        ("SelectBest", joined_codes(&selected_answer)),
        ("TryJudges", trials.into_iter().map(|trial| trial.link.unwrap().code).collect()),
        ("SubmitReport", joined_codes(&submit_report(caller).await)),
        ("Drive", joined_codes(&drive_report(caller).await)),
    ]
}

fn start(id: &str) -> v1::StartInvestigationRequest {
    let v1::EvaluateRequest { policy, options, .. } = request_for(MODEL);
    let investigation_id = id.to_owned();
    v1::StartInvestigationRequest { investigation_id, policy, options, ..Default::default() }
}

fn submission(investigation: v1::Investigation) -> v1::SubmitReportRequest {
    let v1::Investigation { investigation_id, step, .. } = investigation;
    let v1::EvaluateRequest { report, evidence, .. } = request_for(MODEL);
    v1::SubmitReportRequest { investigation_id, step, report, evidence }
}

async fn submit_report(caller: &Caller) -> v1::EvaluateResponse {
    let mut client = InvestigationServiceClient::new(caller.clone());
    let started = client.start_investigation(start("one by one")).await.unwrap().into_inner();
    let report = submission(started.investigation.unwrap());
    client.submit_report(report).await.unwrap().into_inner().evaluation.unwrap()
}

async fn drive_report(caller: &Caller) -> v1::EvaluateResponse {
    let message = |message| v1::DriveRequest { request: Some(message) };
    let (send, messages) = mpsc::channel(1);
    let mut client = InvestigationServiceClient::new(caller.clone());
    let mut answers = client.drive(ReceiverStream::new(messages)).await.unwrap().into_inner();
    send.send(message(Message::Start(Box::new(start("driven"))))).await.unwrap();
    let started = answers.message().await.unwrap().unwrap().investigation.unwrap();
    send.send(message(Message::Report(submission(started)))).await.unwrap();
    answers.message().await.unwrap().unwrap().evaluation.unwrap()
}

fn evaluation_in(answer: v1::EvaluateStreamResponse) -> v1::EvaluateResponse {
    match answer.result.unwrap() {
        v1::evaluate_stream_response::Result::Evaluation(answer) => *answer,
        v1::evaluate_stream_response::Result::Error(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn every_model_call_counts_towards_the_budget() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, set_prices, |config| {
        write_principals(config, &principals_with_budget(0))
    })
    .await;
    for (path, code) in evaluate_on_every_path(&caller(&server, "secret-of-ada")).await {
        assert_eq!(code, "BUDGET_SPENT", "{path}");
    }
    assert_eq!(provider.counts().requests, 0);
    for (path, code) in evaluate_on_every_path(&caller(&server, "secret-of-ben")).await {
        assert_ne!(code, "BUDGET_SPENT", "{path}");
    }
    assert!(provider.counts().requests >= 6, "a path did not call the model");
}

#[tokio::test]
async fn streams_use_the_reloaded_budget() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, set_prices, |config| {
        write_principals(config, &principals_with_budget(0))
    })
    .await;
    let (send, messages) = mpsc::channel(1);
    let mut client = GroundingServiceClient::new(caller(&server, "secret-of-ada"));
    let answers = client.evaluate_stream(ReceiverStream::new(messages)).await.unwrap();
    let mut answers = answers.into_inner();
    for (budget, code) in [(0, "BUDGET_SPENT"), (1_000_000, ""), (1, "BUDGET_SPENT")] {
        reload(&server, &principals_with_budget(budget)).await;
        let correlation_id = budget.to_string();
        let request =
            v1::EvaluateStreamRequest { correlation_id, request: Some(request_for(MODEL)) };
        send.send(request).await.unwrap();
        let answer = evaluation_in(answers.message().await.unwrap().unwrap());
        assert_eq!(codes(&answer), [code], "{budget}");
    }
}

#[tokio::test]
async fn total_spending_is_not_disclosed_to_principals() {
    let provider = Server::start().await.unwrap();
    let server =
        start_server(&provider, set_prices, |config| config.judges.daily_budget = Some(BUDGET))
            .await;
    let (spent, _) = exhaust_budget(&caller(&server, "secret-of-ben")).await;
    let requests = provider.counts().requests;
    let refusal = evaluate(&caller(&server, "secret-of-ada"), MODEL).await;
    assert_eq!(failure_code(&refusal), "BUDGET_SPENT");
    assert_eq!(provider.counts().requests, requests);
    let message = detail(&refusal);
    assert!(
        message
            .contains("the daily budget of all callers is $0.015000, of which too little is left"),
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
    let server = start_server(&provider, |_| {}, |_| {}).await;
    let [ada, ben] = ["secret-of-ada", "secret-of-ben"].map(|token| caller(&server, token));
    assert!(proceeds(&evaluate(&ada, MODEL).await));
    reload(&server, &principals_with_budget(1_000_000)).await;
    let refusal = evaluate(&ada, MODEL).await;
    assert_eq!(failure_code(&refusal), "BUDGET_UNAVAILABLE");
    assert!(detail(&refusal).contains("set input_price and output_price"), "{}", detail(&refusal));
    assert!(proceeds(&evaluate(&ben, MODEL).await));

    let folder = tempfile::tempdir().unwrap();
    let mut config = Config { data_dir: folder.path().join("data"), ..Config::default() };
    config.judges.chain = vec!["ollama:m".to_owned()];
    configure_principals(&mut config, &Issuer::new());
    write_principals(&config, &principals_with_budget(1));
    let problems = CheckedConfig::check(config, Vec::new(), Problems::default()).unwrap_err();
    let message = problems.to_string();
    let problem = "judges.models.\"ollama:m\".input_price: is missing, but the daily budget of ada in security.principals";
    assert!(message.contains(problem), "{message}");
}
