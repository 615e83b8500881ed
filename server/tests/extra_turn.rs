//! The extra turn: a model of whose quotes none stands in the evidence is asked for others, over real HTTP, and what its
//! answer may and may not change.

use crate::support::chat_models::{Models, request, verdict};
use crate::support::{Running, item};
use gsar_chat_wire::{Play, Server};
use gsar_proto::v1;

const NAME: &str = "openai:judge-1";
const LOG: &str = "workers busy 4 of 8";
const PEAK: &str = "connection pool of orders exhausted";

struct Asked {
    answer: v1::EvaluateResponse,
    purposes: Vec<String>,
    prompts: Vec<String>,
}

async fn server(provider: &Server) -> Running {
    Models::new().with(NAME, provider, |_| {}).start(|_| {}).await
}

fn report(judge: &str) -> v1::EvaluateRequest {
    let mut asked = request(
        &[
            ("c1", "The connection pool of orders was exhausted."),
            ("c2", "The workers were busy 4 of 8."),
        ],
        vec![item("log", LOG), item("peak", PEAK)],
    );
    asked.options.as_mut().unwrap().judge = judge.to_owned();
    asked
}

/// The first answer: a quote that stands nowhere.
fn first() -> String {
    verdict(&[
        ("c1", "grounded", "E1", "the pool of orders ran out"),
        ("c2", "grounded", "E1", "workers busy 4 of 8"),
    ])
}

async fn played(second: Play) -> Asked {
    let provider = Server::start().await.unwrap();
    let server = server(&provider).await;
    provider.next([Play::answer(&first()), second]);
    let answer = server.grounding().evaluate(report(NAME)).await.unwrap().into_inner();
    let calls = &answer.provenance.as_ref().unwrap().judges[0].calls;
    Asked {
        purposes: calls.iter().map(|call| call.purpose.clone()).collect(),
        prompts: provider.seen().iter().map(|seen| seen.body.to_string()).collect(),
        answer,
    }
}

fn tier(answer: &v1::EvaluateResponse) -> v1::Tier {
    answer.decision.as_ref().unwrap().tier()
}

fn outcomes(answer: &v1::EvaluateResponse) -> Vec<(&str, v1::CorrectionOutcome)> {
    answer.corrections.iter().map(|found| (found.code.as_str(), found.outcome())).collect()
}

fn codes(answer: &v1::EvaluateResponse) -> Vec<&str> {
    let decision = answer.decision.as_ref().unwrap();
    decision.reasons.iter().map(|reason| reason.code.as_str()).collect()
}

#[tokio::test]
async fn a_quote_that_stands_nowhere_twice_shows_nothing() {
    let again = verdict(&[("c1", "grounded", "E1", "the pool of orders ran out")]);
    let Asked { answer, purposes, prompts } = played(Play::answer(&again)).await;
    assert_ne!(tier(&answer), v1::Tier::Proceed);
    assert_eq!(
        outcomes(&answer),
        [
            ("QUOTE_NOT_FOUND", v1::CorrectionOutcome::Corrected),
            ("NO_VALID_CITATION", v1::CorrectionOutcome::Corrected),
        ]
    );
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Ungrounded);
    assert!(!answer.claims[0].disputed);
    assert_eq!(purposes, ["judge", "reconsider"]);
    assert!(prompts[1].contains("does not contain"), "{}", prompts[1]);
    assert!(
        !prompts[1].contains("The workers were busy"),
        "only what lost its quotes is asked about"
    );
}

#[tokio::test]
async fn a_quote_that_stands_is_taken() {
    let second = verdict(&[("c1", "grounded", "E2", "connection pool of orders exhausted")]);
    let Asked { answer, .. } = played(Play::answer(&second)).await;
    assert_eq!(tier(&answer), v1::Tier::Proceed, "{:?}", answer.corrections);
    assert_eq!(outcomes(&answer), [("QUOTE_NOT_FOUND", v1::CorrectionOutcome::Corrected)]);
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Grounded);
    assert_eq!(answer.claims[0].citations.len(), 1);
}

#[tokio::test]
async fn a_stricter_class_is_taken_and_a_better_one_is_not() {
    let second = verdict(&[
        ("c1", "contradicted", "E2", "connection pool of orders exhausted"),
        ("c2", "contradicted", "E1", "workers busy 4 of 8"),
    ]);
    let Asked { answer, .. } = played(Play::answer(&second)).await;
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Contradicted);
    assert_eq!(answer.claims[1].class(), v1::ClaimClass::Grounded, "nobody asked about it");
    assert_eq!(codes(&answer), ["SCORE_BELOW_REGENERATE", "GUARDED_SCORE", "CONTRADICTED_CLAIMS"]);
}

#[tokio::test]
async fn a_turn_that_fails_leaves_the_correction_as_it_is() {
    for play in [Play::answer("I cannot say."), Play::Status(500)] {
        let Asked { answer, .. } = played(play).await;
        assert_ne!(tier(&answer), v1::Tier::Proceed);
        assert_eq!(answer.claims[0].class(), v1::ClaimClass::Ungrounded);
        assert!(answer.warnings.iter().any(|warning| warning.code == "EXTRA_TURN_FAILED"));
    }
}

#[tokio::test]
async fn the_turn_is_remembered_with_its_question() {
    let provider = Server::start().await.unwrap();
    let server = server(&provider).await;
    let second = verdict(&[("c1", "grounded", "E2", "connection pool of orders exhausted")]);
    provider.next([Play::answer(&first()), Play::answer(&second)]);
    let mut asked = report(NAME);
    asked.options.as_mut().unwrap().bypass_cache = false;
    for from_cache in [false, true] {
        let answer = server.grounding().evaluate(asked.clone()).await.unwrap().into_inner();
        assert_eq!(tier(&answer), v1::Tier::Proceed);
        let calls = &answer.provenance.as_ref().unwrap().judges[0].calls;
        assert_eq!(calls.len(), 2);
        assert!(calls.iter().all(|call| call.from_cache == from_cache));
    }
    assert_eq!(provider.seen().len(), 2);
}

#[tokio::test]
async fn under_paper_nothing_is_asked() {
    let provider = Server::start().await.unwrap();
    let server = Models::new()
        .with(NAME, &provider, |_| {})
        .start(|config| config.policies.allowed = vec!["paper".to_owned()])
        .await;
    provider.always(Play::answer(&first()));
    let mut asked = report(NAME);
    asked.policy = "paper".to_owned();
    let answer = server.grounding().evaluate(asked).await.unwrap().into_inner();
    assert_eq!(tier(&answer), v1::Tier::Proceed);
    assert_eq!(outcomes(&answer)[0], ("QUOTE_NOT_FOUND", v1::CorrectionOutcome::Noted));
    assert_eq!(provider.seen().len(), 1);
}

#[tokio::test]
async fn only_members_of_a_panel_that_voted_so_are_asked() {
    let (one, other) = (Server::start().await.unwrap(), Server::start().await.unwrap());
    let member = |judge: &str| gsar_server::config::Member {
        judge: judge.to_owned(),
        weight: 2,
        refutes: false,
    };
    let names = ["openai:judge-1", "openai:judge-2"];
    let server = Models::new()
        .with(names[0], &one, |_| {})
        .with(names[1], &other, |_| {})
        .start(|config| {
            let members = vec![
                gsar_server::config::Member { weight: 3, ..member(names[0]) },
                member(names[1]),
            ];
            config.judges.panels.insert("p".to_owned(), gsar_server::config::Panel { members });
            config.judges.chain = vec!["panel:p".to_owned()];
        })
        .await;
    let second = verdict(&[("c1", "ungrounded", "", "")]);
    one.next([Play::answer(&first()), Play::answer(&second)]);
    other.always(Play::answer(&verdict(&[
        ("c1", "ungrounded", "", ""),
        ("c2", "grounded", "E1", "workers busy 4 of 8"),
    ])));
    let answer = server.grounding().evaluate(report("panel:p")).await.unwrap().into_inner();
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Ungrounded, "{:?}", answer.corrections);
    assert_eq!((one.seen().len(), other.seen().len()), (2, 1));
}
