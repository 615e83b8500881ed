//! Tests panels and samples: votes, refuters and failures.

use crate::support::chat_models::{Models, reply, request, verdict};
use crate::support::{TestServer, item};
use gsar_chat_wire::{ScriptedReply, Server, Wire};
use gsar_proto::v1;
use gsar_server::config::{Config, Member, Panel};
use tonic::Code;

const FIRST: &str = "openai:first";
const SECOND: &str = "anthropic:second";
const THIRD: &str = "gemini:third";

struct Providers {
    first: Server,
    second: Server,
    third: Server,
}

impl Providers {
    async fn start() -> Self {
        let (first, second, third) =
            tokio::try_join!(Server::start(), Server::start(), Server::start()).unwrap();
        Self { first, second, third }
    }

    async fn start_panel(
        &self,
        members: Vec<Member>,
        change: impl FnOnce(&mut Config),
    ) -> TestServer {
        let is_used = |name: &str| match members.as_slice() {
            [] => name == FIRST,
            members => members.iter().any(|member| member.judge == name),
        };
        let mut models = Models::new();
        for (name, provider, wire) in [
            (FIRST, &self.first, Wire::OpenAi),
            (SECOND, &self.second, Wire::Anthropic),
            (THIRD, &self.third, Wire::Gemini),
        ] {
            if is_used(name) {
                models = models.with_wire(name, provider, wire, |_| {});
            }
        }
        let start = models.start(|config| {
            config.judges.chain = vec![FIRST.to_owned()];
            if !members.is_empty() {
                config.judges.chain = vec!["panel:scripted".to_owned()];
                config.judges.panels.insert("scripted".to_owned(), Panel { members });
            }
            change(config);
        });
        start.await
    }
}

fn member(judge: &str, weight: u32, refutes: bool) -> Member {
    Member { judge: judge.to_owned(), weight, refutes }
}

fn panel_request() -> v1::EvaluateRequest {
    request(
        &[("c1", "The pool size is 20."), ("c2", "The pool is exhausted.")],
        vec![item("log", "pool size is 20\npool is exhausted\npool has 7 free connections")],
    )
}

const GROUNDED: (&str, &str, &str, &str) = ("c1", "grounded", "E1", "pool size is 20");
const AFFIRMED: (&str, &str, &str, &str) = ("c2", "grounded", "E1", "pool is exhausted");
const REFUTED: (&str, &str, &str, &str) =
    ("c2", "contradicted", "E1", "pool has 7 free connections");

fn warning<'a>(answer: &'a v1::EvaluateResponse, code: &str) -> Option<&'a str> {
    let found = answer.warnings.iter().find(|warning| warning.code == code);
    found.map(|warning| warning.sentence.as_str())
}

#[tokio::test]
async fn samples_vote_on_each_claim() {
    let providers = Providers::start().await;
    providers.first.enqueue([
        reply(&[GROUNDED, AFFIRMED]),
        reply(&[GROUNDED, REFUTED]),
        reply(&[GROUNDED, REFUTED]),
    ]);
    let server = providers
        .start_panel(Vec::new(), |config| config.judges.models.get_mut(FIRST).unwrap().samples = 3)
        .await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    let [first, second] = answer.claims.as_slice() else { panic!("{:?}", answer.claims) };
    assert_eq!((first.class(), first.agreement), (v1::ClaimClass::Grounded, Some(1.0)));
    assert_eq!(second.class(), v1::ClaimClass::Contradicted);
    assert!((second.agreement.unwrap() - 2.0 / 3.0).abs() < 1e-6);
    assert_eq!(second.votes.len(), 3);
    assert_eq!(
        warning(&answer, "JUDGES_DISAGREE"),
        Some("the votes differ on c2 (66 % for contradicted)")
    );
    assert_ne!(answer.decision.as_ref().unwrap().tier(), v1::Tier::Proceed);
    let link = &answer.provenance.as_ref().unwrap().judges[0];
    assert_eq!((link.judge.as_str(), link.calls.len()), (FIRST, 3));
    assert!(link.calls.iter().all(|call| call.judge == FIRST));
    // Only the first sample has temperature 0.
    let mut temperatures: Vec<f64> = providers
        .first
        .requests()
        .iter()
        .map(|request| request.body["temperature"].as_f64().unwrap())
        .collect();
    temperatures.sort_by(f64::total_cmp);
    assert!(temperatures[0] < 0.01 && temperatures[1] > 0.5, "{temperatures:?}");
}

#[tokio::test]
async fn most_representative_note_is_kept() {
    let providers = Providers::start().await;
    let answer_with_note =
        |note| ScriptedReply::answer(&verdict(&[GROUNDED, AFFIRMED]).replace("as quoted", note));
    let full_note = "the log says that the pool is full";
    // The order of the answers is unknown.
    providers.first.enqueue([
        answer_with_note("see E1"),
        answer_with_note(full_note),
        answer_with_note("the pool is full, the log says"),
    ]);
    let server = providers
        .start_panel(Vec::new(), |config| config.judges.models.get_mut(FIRST).unwrap().samples = 3)
        .await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_ne!(answer.claims[0].note, "see E1");
    let notes: Vec<&str> = answer.claims[0].votes.iter().map(|vote| vote.note.as_str()).collect();
    assert!(notes.contains(&"see E1") && notes.contains(&full_note), "{notes:?}");
}

#[tokio::test]
async fn request_may_raise_samples_within_a_limit() {
    let providers = Providers::start().await;
    providers.first.always(reply(&[GROUNDED, AFFIRMED]));
    let server = providers.start_panel(Vec::new(), |_| {}).await;
    let request_samples = |samples| {
        let mut request = panel_request();
        request.options.as_mut().unwrap().samples = samples;
        request
    };
    let answer = server.evaluate(request_samples(4)).await.unwrap();
    assert_eq!(answer.claims[0].votes.len(), 4);
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    let answer = server.evaluate(request_samples(0)).await.unwrap();
    assert!(answer.claims[0].votes.is_empty() && answer.claims[0].agreement.is_none());
    let error = server.grounding().evaluate(request_samples(11)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("options.samples"), "{}", error.message());
}

#[tokio::test]
async fn refuter_with_evidence_wins_a_tie() {
    let providers = Providers::start().await;
    providers.first.always(reply(&[GROUNDED, AFFIRMED]));
    providers.second.always(reply(&[GROUNDED, AFFIRMED]));
    providers.third.always(reply(&[("c1", "ungrounded", "", ""), REFUTED]));
    let members = |weight| {
        vec![member(FIRST, 1, false), member(SECOND, 1, false), member(THIRD, weight, true)]
    };
    let server = providers.start_panel(members(2), |_| {}).await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Grounded);
    assert_eq!(answer.claims[0].votes.len(), 2, "a refuter that finds nothing must not vote");
    assert_eq!(
        answer.claims[1].class(),
        v1::ClaimClass::Contradicted,
        "the stricter class must win a tie"
    );
    assert_ne!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    let calls = &answer.provenance.unwrap().judges[0].calls;
    let purposes: Vec<(&str, &str)> =
        calls.iter().map(|call| (call.judge.as_str(), call.purpose.as_str())).collect();
    assert_eq!(purposes, [(FIRST, "judge"), (SECOND, "judge"), (THIRD, "refute")]);
    assert_ne!(calls[0].prompt, calls[2].prompt);

    let server = providers.start_panel(members(1), |_| {}).await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_eq!(answer.claims[1].class(), v1::ClaimClass::Grounded);
    assert!(
        warning(&answer, "JUDGES_DISAGREE").is_some_and(|sentence| sentence.contains("c2 (66 %"))
    );
}

#[tokio::test]
async fn refuter_with_an_invented_quote_blocks() {
    let providers = Providers::start().await;
    providers.first.always(reply(&[GROUNDED, AFFIRMED]));
    let invented = ("c2", "contradicted", "E1", "pool has 70 free connections");
    providers.third.always(reply(&[("c1", "ungrounded", "", ""), invented]));
    let members = vec![member(FIRST, 1, false), member(THIRD, 1, true)];
    let server = providers.start_panel(members, |_| {}).await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_eq!(answer.claims[1].class(), v1::ClaimClass::Ungrounded);
    assert_ne!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
}

#[tokio::test]
async fn panel_requires_a_majority_of_its_members() {
    let providers = Providers::start().await;
    providers.first.always(reply(&[GROUNDED, AFFIRMED]));
    providers.second.always(ScriptedReply::Status(500));
    let three_members =
        vec![member(FIRST, 1, false), member("rules/2", 1, false), member(SECOND, 1, false)];
    let server = providers.start_panel(three_members, |_| {}).await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_eq!(answer.outcome(), v1::Outcome::Scored);
    assert_eq!(answer.claims[0].votes.len(), 2);
    let missing_votes = warning(&answer, "VOTE_MISSING").unwrap();
    assert!(
        missing_votes.contains(SECOND) && missing_votes.contains("PROVIDER_UNAVAILABLE"),
        "{missing_votes}"
    );

    let two_members = vec![member(FIRST, 1, false), member(SECOND, 1, false)];
    let server = providers.start_panel(two_members, |_| {}).await;
    let answer = server.evaluate(panel_request()).await.unwrap();
    assert_eq!(answer.outcome(), v1::Outcome::Failed);
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Abstain);
    let link = &answer.provenance.unwrap().judges[0];
    assert_eq!(
        (link.judge.as_str(), link.code.as_str()),
        ("panel:scripted", "PROVIDER_UNAVAILABLE")
    );
}

#[tokio::test]
async fn panel_member_that_wrote_the_report_is_reported() {
    let providers = Providers::start().await;
    providers.first.always(reply(&[GROUNDED, AFFIRMED]));
    providers.second.always(reply(&[GROUNDED, AFFIRMED]));
    let members = vec![member(FIRST, 1, false), member(SECOND, 1, false)];
    let server = providers.start_panel(members, |_| {}).await;
    let mut request = panel_request();
    request.report.as_mut().unwrap().generator_model = SECOND.to_owned();
    let answer = server.evaluate(request).await.unwrap();
    assert!(warning(&answer, "SAME_MODEL").is_some_and(|sentence| sentence.contains(SECOND)));
}
