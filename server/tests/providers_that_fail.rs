//! Tests of every fault of a chat provider through the real server.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::chat_models::{HONEST, Models, evaluate, failed_with, proceeds, request_for};
use crate::support::{TestServer, connect, rounds};
use futures_util::future::join_all;
use gsar_chat_wire::{Play, Server};
use gsar_server::config::Model;
use tonic::transport::Channel;

/// Too few consecutive failures to open the circuit.
const IN_A_ROW: usize = 4;
const LANES: usize = 2;

/// Faults that end without a timeout, with their codes.
fn ending() -> Vec<(Vec<Play>, &'static str)> {
    let other_schema = || Play::answer(r#"{"verdict": "fine", "confidence": 1.0}"#);
    let once = |play, code| (vec![play], code);
    vec![
        once(Play::RateLimited("30"), "RATE_LIMITED"),
        once(Play::Status(500), "PROVIDER_UNAVAILABLE"),
        once(Play::Reset, "CONNECTION_LOST"),
        once(Play::CutJson, "ANSWER_NOT_JSON"),
        once(Play::OtherShape, "ANSWER_WRONG_SHAPE"),
        // An unusable answer is retried once.
        (vec![other_schema(), other_schema()], "ANSWER_UNREADABLE"),
        once(Play::Refusal, "MODEL_REFUSED"),
        once(Play::ContentFilter, "CONTENT_FILTERED"),
        once(Play::EmptyChoice, "ANSWER_EMPTY"),
        once(Play::ErrorInAnswer, "ERROR_IN_ANSWER"),
        once(Play::Html, "WRONG_CONTENT_TYPE"),
        once(Play::Endless(100 << 20), "ANSWER_TOO_LARGE"),
    ]
}

/// Faults that end by the model's timeout, with their codes.
const ENDLESS: [(&str, Play, &str); 2] = [
    ("openai:hangs", Play::Hang, "FIRST_BYTE_TIMEOUT"),
    ("openai:dribbles", Play::Dribble, "TOTAL_TIMEOUT"),
];

/// A model with a fault between honest answers.
struct Lane {
    name: String,
    provider: Server,
    fault: Vec<Play>,
    code: &'static str,
}

impl Lane {
    async fn all() -> Vec<Self> {
        let mut lanes = Vec::new();
        for (fault, code) in ending() {
            for lane in 0..LANES {
                let provider = Server::start().await.unwrap();
                provider.forget_requests();
                provider.always(Play::answer(HONEST));
                let name = format!("openai:{code}-{lane}");
                lanes.push(Self { name, provider, fault: fault.clone(), code });
            }
        }
        lanes
    }

    async fn run(&self, channel: &Channel, times: usize) -> usize {
        let mut honest = 0;
        for time in 1..=times {
            self.provider.next(self.fault.clone());
            let answer = evaluate(channel, request_for(&self.name)).await.unwrap();
            assert_eq!(failed_with(&answer), self.code);
            if time % IN_A_ROW == 0 || time == times {
                let answer = evaluate(channel, request_for(&self.name)).await.unwrap();
                assert!(proceeds(&answer), "{}: {answer:?}", self.code);
                honest += 1;
            }
        }
        honest
    }
}

async fn endless(server: &TestServer, name: &str, calls: usize) -> Vec<String> {
    let asking = (0..calls).map(|_| async {
        let answer = evaluate(&server.channel, request_for(name)).await.unwrap();
        failed_with(&answer).to_owned()
    });
    join_all(asking).await
}

async fn every_fault(each: usize) {
    let lanes = Lane::all().await;
    let mut models = Models::new();
    for lane in &lanes {
        models = models.with(&lane.name, &lane.provider, |_| {});
    }
    // Long enough to admit all calls before the first timeout.
    let timeout =
        Duration::from_millis(2_500) + Duration::from_millis(40) * u32::try_from(each).unwrap();
    let waits = |model: &mut Model| (model.max_concurrent, model.timeout.0) = (each, timeout);
    let providers = [Server::start().await.unwrap(), Server::start().await.unwrap()];
    for ((name, play, _), provider) in ENDLESS.iter().zip(&providers) {
        provider.forget_requests();
        provider.always(play.clone());
        models = models.with(name, provider, waits);
    }
    let server = models
        .start(|config| {
            config.limits.calls_in_flight = 2 * each + 2 * lanes.len();
            config.limits.default_deadline.0 = config.limits.max_deadline.0;
        })
        .await;

    let hanging = ENDLESS.iter().map(|(name, _, _)| endless(&server, name, each));
    let channel = connect(&server.socket()).await;
    let others = async {
        // The other faults run while these calls hang.
        for provider in &providers {
            provider.until(|counts| counts.answering == each as u64).await;
        }
        let answer = evaluate(&channel, request_for("rules/2")).await.unwrap();
        assert!(proceeds(&answer));
        join_all(lanes.iter().map(|lane| lane.run(&channel, each / LANES))).await
    };
    let (ended, honest) = tokio::join!(join_all(hanging), others);
    for ((name, _, code), codes) in ENDLESS.iter().zip(ended) {
        assert_eq!(codes.len(), each);
        assert!(codes.iter().all(|reported| reported == code), "{name}: {codes:?}");
    }
    assert_eq!(honest.iter().sum::<usize>(), lanes.len() * (each / LANES).div_ceil(IN_A_ROW));
    for provider in &providers {
        provider.until(|counts| counts.open == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn provider_faults_never_proceed() {
    every_fault(rounds(12, 100)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes"]
async fn provider_faults_never_proceed_in_a_thousand_runs() {
    every_fault(1_000).await;
}

/// Returns `true` if the documentation has the code in backticks. `…` is a wildcard.
fn is_documented(code: &str) -> bool {
    let documented = include_str!("../../docs/JUDGES.md").split('`').skip(1).step_by(2);
    documented.into_iter().any(|word| match word.split_once('…') {
        None => word == code,
        Some(("", end)) => code.ends_with(end),
        Some((begin, end)) => code.starts_with(begin) && code.ends_with(end),
    })
}

#[test]
fn every_fault_code_is_unique_and_documented() {
    let codes = ending().into_iter().map(|(_, code)| code);
    let codes: Vec<&str> = codes.chain(ENDLESS.map(|(_, _, code)| code)).collect();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    for code in codes {
        assert!(is_documented(code), "{code}");
    }
    assert!(!is_documented("PROVIDER_ASLEEP"));
}

#[tokio::test]
async fn open_circuit_skips_only_the_failing_provider() {
    let (down, up) = (Server::start().await.unwrap(), Server::start().await.unwrap());
    down.always(Play::Status(500));
    up.always(Play::answer(HONEST));
    let models = Models::new().with("openai:down", &down, |_| {}).with("openai:up", &up, |_| {});
    let server = models.start(|_| {}).await;
    for call in 0..50 {
        let answer = evaluate(&server.channel, request_for("openai:down")).await.unwrap();
        let code = if call <= IN_A_ROW { "PROVIDER_UNAVAILABLE" } else { "CIRCUIT_OPEN" };
        assert_eq!(failed_with(&answer), code);
        assert!(proceeds(&evaluate(&server.channel, request_for("openai:up")).await.unwrap()));
    }
    assert_eq!(down.counts().requests, IN_A_ROW as u64 + 1);
}
