//! The second opinion: what the local model finds of claims that a chat model grounds, with the shipped model, the real
//! ONNX Runtime and a provider on loopback.

use std::path::PathBuf;

use crate::support::chat_models::{Models, request, verdict};
use crate::support::item;
use gsar_chat_wire::{Play, Server};
use gsar_proto::v1;
use gsar_server::config::{Config, Problems};
use gsar_server::evaluate::CheckedConfig;

const NAME: &str = "openai:judge-1";
const LOG: &str = "connection pool of orders exhausted\nworkers busy 4 of 8";
const CLAIM: &str = "The workers were busy because the vendor's mail relay was misconfigured.";

fn report() -> v1::EvaluateRequest {
    let mut asked = request(
        &[("c1", "The connection pool of orders was exhausted."), ("c2", CLAIM)],
        vec![item("log", LOG)],
    );
    asked.options.as_mut().unwrap().judge = NAME.to_owned();
    asked
}

fn grounded() -> Play {
    Play::answer(&verdict(&[
        ("c1", "grounded", "E1", "connection pool of orders exhausted"),
        ("c2", "grounded", "E1", "workers busy 4 of 8"),
    ]))
}

/// The answer and how often the model was asked; nothing where ONNX Runtime is not at hand.
async fn evaluated(
    plays: impl IntoIterator<Item = Play>,
    change: impl FnOnce(&mut Config),
) -> Option<(v1::EvaluateResponse, usize)> {
    if let Err(error) = gsar_embedding::Runtime::load(None) {
        println!("skipped: {error}");
        return None;
    }
    let provider = Server::start().await.unwrap();
    let server = Models::new().with(NAME, &provider, |_| {}).start(change).await;
    provider.next(plays);
    let answer = server.grounding().evaluate(report()).await.unwrap().into_inner();
    Some((answer, provider.seen().len()))
}

fn codes(answer: &v1::EvaluateResponse) -> Vec<&str> {
    answer.corrections.iter().map(|found| found.code.as_str()).collect()
}

#[tokio::test]
async fn a_claim_that_nothing_shows_is_asked_about_and_blocks() {
    let on = |config: &mut Config| config.judges.second_opinion = true;
    let Some((answer, asked)) = evaluated([grounded(), grounded()], on).await else { return };
    assert_eq!(codes(&answer), ["SECOND_OPINION"]);
    assert_eq!(answer.corrections[0].claim_id, "c2");
    assert_eq!(answer.decision.as_ref().unwrap().tier(), v1::Tier::Regenerate);
    assert_eq!((answer.claims[0].disputed, answer.claims[1].disputed), (false, true));
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn a_judge_that_takes_its_verdict_back_is_believed() {
    let on = |config: &mut Config| config.judges.second_opinion = true;
    let second = Play::answer(&verdict(&[("c2", "ungrounded", "E1", "workers busy 4 of 8")]));
    let Some((answer, _)) = evaluated([grounded(), second], on).await else { return };
    assert_eq!(answer.claims[1].class(), v1::ClaimClass::Ungrounded);
    assert_eq!(answer.corrections[0].outcome(), v1::CorrectionOutcome::Corrected);
}

#[tokio::test]
async fn nobody_is_asked_unless_it_is_configured() {
    let Some((answer, asked)) = evaluated([grounded()], |_| {}).await else { return };
    assert_eq!(codes(&answer), Vec::<&str>::new());
    assert_eq!(answer.decision.as_ref().unwrap().tier(), v1::Tier::Proceed);
    assert_eq!(asked, 1);
}

#[test]
fn a_model_that_is_not_there_is_a_fault_of_the_configuration() {
    let mut config = Config::default();
    config.ledger.enabled = false;
    config.evidence.enabled = false;
    config.judges.chain = vec!["rules/2".to_owned()];
    config.judges.second_opinion = true;
    config.judges.local.model = Some(PathBuf::from("/no/such/model"));
    let problems = CheckedConfig::check(config, Vec::new(), Problems::default()).unwrap_err();
    assert!(problems.to_string().contains("judges.local"), "{problems}");
}
