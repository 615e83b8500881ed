//! Tests every fault of a chat provider against the real server.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::chat_models::{HONEST, Models, evaluate, failure_code, proceeds, request_for};
use crate::support::{TestServer, connect, rounds};
use futures_util::future::join_all;
use gsar_chat_wire::{ScriptedReply, Server};
use gsar_server::config::Model;
use tonic::transport::Channel;

/// A number of consecutive failures that is too small to open the circuit.
const CONSECUTIVE_FAILURES: usize = 4;
const LANES_PER_FAULT: usize = 2;

/// Faults that end without a timeout, with their codes.
fn finite_faults() -> Vec<(Vec<ScriptedReply>, &'static str)> {
    let other_schema = || ScriptedReply::answer(r#"{"verdict": "fine", "confidence": 1.0}"#);
    let single_reply = |reply, code| (vec![reply], code);
    vec![
        single_reply(ScriptedReply::RateLimited("30"), "RATE_LIMITED"),
        single_reply(ScriptedReply::Status(500), "PROVIDER_UNAVAILABLE"),
        single_reply(ScriptedReply::Status(401), "KEY_REFUSED"),
        single_reply(ScriptedReply::Status(404), "MODEL_NOT_FOUND"),
        single_reply(ScriptedReply::Redirect, "REDIRECTED"),
        single_reply(ScriptedReply::Reset, "CONNECTION_LOST"),
        single_reply(ScriptedReply::TruncatedJson, "ANSWER_NOT_JSON"),
        single_reply(ScriptedReply::OtherShape, "ANSWER_WRONG_SHAPE"),
        // An unusable answer is retried once.
        (vec![other_schema(), other_schema()], "ANSWER_UNREADABLE"),
        single_reply(ScriptedReply::Refusal, "MODEL_REFUSED"),
        single_reply(ScriptedReply::ContentFilter, "CONTENT_FILTERED"),
        single_reply(ScriptedReply::EmptyChoice, "ANSWER_EMPTY"),
        single_reply(ScriptedReply::ErrorInAnswer, "ERROR_IN_ANSWER"),
        single_reply(ScriptedReply::Html, "WRONG_CONTENT_TYPE"),
        single_reply(ScriptedReply::Endless(100 << 20), "ANSWER_TOO_LARGE"),
    ]
}

/// Faults that last until the model's timeout, with their codes.
const ENDLESS: [(&str, ScriptedReply, &str); 2] = [
    ("openai:hangs", ScriptedReply::Hang, "FIRST_BYTE_TIMEOUT"),
    ("openai:dribbles", ScriptedReply::Dribble, "TOTAL_TIMEOUT"),
];

/// A model whose provider gives honest answers between faults.
struct Lane {
    name: String,
    provider: Server,
    fault: Vec<ScriptedReply>,
    code: &'static str,
}

impl Lane {
    async fn start_all() -> Vec<Self> {
        let mut lanes = Vec::new();
        for (fault, code) in finite_faults() {
            for lane in 0..LANES_PER_FAULT {
                let provider = Server::start().await.unwrap();
                provider.forget_requests();
                provider.always(ScriptedReply::answer(HONEST));
                let name = format!("openai:{code}-{lane}");
                lanes.push(Self { name, provider, fault: fault.clone(), code });
            }
        }
        lanes
    }

    async fn run(&self, channel: &Channel, call_count: usize) -> usize {
        let mut proceeded = 0;
        for call_number in 1..=call_count {
            self.provider.enqueue(self.fault.clone());
            let answer = evaluate(channel, request_for(&self.name)).await.unwrap();
            assert_eq!(failure_code(&answer), self.code);
            if call_number % CONSECUTIVE_FAILURES == 0 || call_number == call_count {
                let answer = evaluate(channel, request_for(&self.name)).await.unwrap();
                assert!(proceeds(&answer), "{}: {answer:?}", self.code);
                proceeded += 1;
            }
        }
        proceeded
    }
}

async fn run_endless_calls(server: &TestServer, name: &str, calls: usize) -> Vec<String> {
    let evaluations = (0..calls).map(|_| async {
        let answer = evaluate(&server.channel, request_for(name)).await.unwrap();
        failure_code(&answer).to_owned()
    });
    join_all(evaluations).await
}

async fn run_every_fault(calls_per_fault: usize) {
    let lanes = Lane::start_all().await;
    let mut models = Models::new();
    for lane in &lanes {
        models = models.with(&lane.name, &lane.provider, |_| {});
    }
    // Long enough to admit all calls before the first timeout.
    let timeout = Duration::from_millis(2_500)
        + Duration::from_millis(40) * u32::try_from(calls_per_fault).unwrap();
    let configure =
        |model: &mut Model| (model.max_concurrent, model.timeout.0) = (calls_per_fault, timeout);
    let providers = [Server::start().await.unwrap(), Server::start().await.unwrap()];
    for ((name, reply, _), provider) in ENDLESS.iter().zip(&providers) {
        provider.forget_requests();
        provider.always(reply.clone());
        models = models.with(name, provider, configure);
    }
    let server = models
        .start(|config| {
            config.limits.calls_in_flight = 2 * calls_per_fault + 2 * lanes.len();
            config.limits.default_deadline.0 = config.limits.max_deadline.0;
        })
        .await;

    let endless_calls =
        ENDLESS.iter().map(|(name, _, _)| run_endless_calls(&server, name, calls_per_fault));
    let channel = connect(&server.socket()).await;
    let finite_calls = async {
        // The other faults run while these calls hang.
        for provider in &providers {
            provider.wait_until(|counts| counts.answering == calls_per_fault as u64).await;
        }
        let answer = evaluate(&channel, request_for("rules/2")).await.unwrap();
        assert!(proceeds(&answer));
        join_all(lanes.iter().map(|lane| lane.run(&channel, calls_per_fault / LANES_PER_FAULT)))
            .await
    };
    let (endless_codes, proceeded) = tokio::join!(join_all(endless_calls), finite_calls);
    for ((name, _, code), codes) in ENDLESS.iter().zip(endless_codes) {
        assert_eq!(codes.len(), calls_per_fault);
        assert!(codes.iter().all(|reported| reported == code), "{name}: {codes:?}");
    }
    assert_eq!(
        proceeded.iter().sum::<usize>(),
        lanes.len() * (calls_per_fault / LANES_PER_FAULT).div_ceil(CONSECUTIVE_FAILURES)
    );
    for provider in &providers {
        provider.wait_until(|counts| counts.open == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_never_proceed_after_provider_faults() {
    run_every_fault(rounds(12, 100)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes"]
async fn reports_never_proceed_after_a_thousand_provider_faults() {
    run_every_fault(1_000).await;
}

/// Returns `true` if the documentation contains the code in backticks. In the documentation, `…` is a wildcard.
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
    let codes = finite_faults().into_iter().map(|(_, code)| code);
    let codes: Vec<&str> = codes.chain(ENDLESS.map(|(_, _, code)| code)).collect();
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    for code in codes {
        assert!(is_documented(code), "{code}");
    }
    assert!(!is_documented("PROVIDER_ASLEEP"));
}

#[tokio::test]
async fn open_circuit_skips_only_the_failing_provider() {
    let (failing, working) = (Server::start().await.unwrap(), Server::start().await.unwrap());
    failing.always(ScriptedReply::Status(500));
    working.always(ScriptedReply::answer(HONEST));
    let models =
        Models::new().with("openai:down", &failing, |_| {}).with("openai:up", &working, |_| {});
    let server = models.start(|_| {}).await;
    for call in 0..50 {
        let answer = evaluate(&server.channel, request_for("openai:down")).await.unwrap();
        let code =
            if call <= CONSECUTIVE_FAILURES { "PROVIDER_UNAVAILABLE" } else { "CIRCUIT_OPEN" };
        assert_eq!(failure_code(&answer), code);
        assert!(proceeds(&evaluate(&server.channel, request_for("openai:up")).await.unwrap()));
    }
    assert_eq!(failing.counts().requests, CONSECUTIVE_FAILURES as u64 + 1);
}
