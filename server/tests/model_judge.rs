//! Tests chat models as judges: prompts, answers and misbehaviour.

use std::time::Duration;

use crate::support::chat_models::{Models, codes, reply, request};
use crate::support::grades::{claim_grade, grade_request};
use crate::support::{TestServer, item};
use gsar_chat_wire::{ScriptedReply, Server, Wire};
use gsar_proto::v1;
use gsar_server::config::{Config, Model};

const NAME: &str = "openai:judge-1";

async fn start_server(
    provider: &Server,
    wire: Wire,
    name: &str,
    change: impl FnOnce(&mut Model, &mut Config),
) -> TestServer {
    let models = Models::new().with_wire(name, provider, wire, |_| {});
    models
        .start(|config| {
            config.judges.chain = vec![name.to_owned()];
            let mut model = config.judges.models.remove(name).unwrap();
            change(&mut model, config);
            config.judges.models.insert(name.to_owned(), model);
        })
        .await
}

fn pool_request_and_reply() -> (v1::EvaluateRequest, ScriptedReply) {
    let request = request(
        &[
            ("c1", "The connection pool of mail@shop.example is exhausted."),
            ("c2", "The pool size is 20."),
        ],
        vec![item("log", "pool of mail@shop.example is exhausted\npool size is 20")],
    );
    let answer = reply(&[
        ("c1", "grounded", "E1", "pool of mail@shop.example is exhausted"),
        ("c2", "grounded", "E1", "pool size is 20"),
    ]);
    (request, answer)
}

#[tokio::test]
async fn models_of_every_wire_format_judge_a_report() {
    for (wire, name) in [
        (Wire::OpenAi, "openai:judge-1"),
        (Wire::OpenAi, "openai-compatible:judge-1"),
        (Wire::OpenAi, "oci:judge-1"),
        (Wire::Anthropic, "anthropic:judge-1"),
        (Wire::Gemini, "gemini:judge-1"),
        (Wire::Ollama, "ollama:judge-1"),
    ] {
        let provider = Server::start().await.unwrap();
        let server = start_server(&provider, wire, name, |model, _| {
            (model.input_price, model.output_price) = (Some(150_000), Some(600_000));
        })
        .await;
        let (request, answer) = pool_request_and_reply();
        provider.always(answer);
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed, "{name}");
        assert_eq!(answer.claims[0].citations[0].evidence_id, "log");
        assert_eq!(answer.judge_score, Some(0.9));
        let links = answer.provenance.unwrap().judges;
        assert_eq!((links[0].judge.as_str(), links[0].result.as_str()), (name, "judged"));
        let [call] = links[0].calls.as_slice() else { panic!("{:?}", links[0].calls) };
        assert_eq!((call.purpose.as_str(), call.rung.as_str()), ("judge", "structured"));
        assert_eq!(call.prompt.len(), 64);
        assert!(call.input_tokens > 0 && call.cost_micros.is_some(), "{name}: {call:?}");
    }
}

#[tokio::test]
async fn hidden_secrets_are_not_sent_to_models() {
    let provider = Server::start().await.unwrap();
    let (request, answer) = pool_request_and_reply();
    provider.always(answer);
    for (hide, is_sent) in [(Some(true), false), (Some(false), true), (None, true)] {
        let server =
            start_server(&provider, Wire::OpenAi, NAME, |model, _| model.hide = hide).await;
        let answer = server.evaluate(request.clone()).await.unwrap();
        let prompt = provider.requests().last().unwrap().body.to_string();
        assert_eq!(prompt.contains("mail@shop.example"), is_sent, "{hide:?}: {prompt}");
        let reported = answer.warnings.iter().any(|warning| warning.code == "HIDDEN_FROM_MODEL");
        assert_eq!(reported, !is_sent);
    }
}

#[tokio::test]
async fn unusable_answer_is_requested_again_once() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |_, _| {}).await;
    let (request, answer) = pool_request_and_reply();
    let unusable_reply = reply(&[
        ("c1", "grounded", "E1", "pool of mail@shop.example is exhausted"),
        ("c2", "maybe", "E1", "pool size"),
    ]);
    let repaired_reply = reply(&[("c2", "grounded", "E1", "pool size is 20")]);
    for replies in [
        vec![ScriptedReply::answer("I cannot say."), answer],
        vec![unusable_reply.clone(), repaired_reply],
    ] {
        provider.enqueue(replies);
        let answer = server.evaluate(request.clone()).await.unwrap();
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed, "{:?}", answer.warnings);
        let calls = &answer.provenance.unwrap().judges[0].calls;
        let purposes: Vec<&str> = calls.iter().map(|call| call.purpose.as_str()).collect();
        assert_eq!(purposes, ["judge", "repair"]);
    }
    // There is no third request. Unusable verdicts are dropped, which blocks the report.
    provider.enqueue([unusable_reply.clone(), unusable_reply]);
    let answer = server.evaluate(request.clone()).await.unwrap();
    assert_ne!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    assert!(answer.warnings.iter().any(|warning| warning.code == "CLAIMS_UNSETTLED"));
    provider.enqueue([ScriptedReply::answer("no"), ScriptedReply::answer("no")]);
    let answer = server.evaluate(request).await.unwrap();
    assert_eq!(answer.outcome(), v1::Outcome::Failed);
    assert_eq!(answer.provenance.unwrap().judges[0].code, "ANSWER_UNREADABLE");
}

#[tokio::test]
async fn long_evidence_is_split_into_parts() {
    let provider = Server::start().await.unwrap();
    let server =
        start_server(&provider, Wire::OpenAi, NAME, |model, _| model.max_evidence.0 = 2_048).await;
    let filler = |name: &str| item(name, &"nothing happened here\n".repeat(80));
    let evidence = vec![filler("a"), filler("b"), item("log", "the pool size is 20")];
    let request = request(&[("c1", "The pool size is 20.")], evidence);
    let ungrounded = reply(&[("c1", "ungrounded", "", "")]);
    let grounded = reply(&[("c1", "grounded", "E2", "the pool size is 20")]);
    // The parts are sent in any order, so every part gets the same answer.
    provider.always(grounded);
    let answer = server.evaluate(request.clone()).await.unwrap();
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Grounded);
    assert_eq!(answer.provenance.unwrap().judges[0].calls.len(), 2);
    provider.always(ungrounded);
    let answer = server.evaluate(request).await.unwrap();
    assert_eq!(answer.claims[0].class(), v1::ClaimClass::Ungrounded);
}

#[tokio::test]
async fn long_evidence_is_split_where_lines_differ_most() {
    let provider = Server::start().await.unwrap();
    let server =
        start_server(&provider, Wire::OpenAi, NAME, |model, _| model.max_evidence.0 = 2_048).await;
    let served_lines =
        |n| (1..=n).map(|n| format!("INFO served order ORD-{n} in {n} ms\n")).collect::<String>();
    let trace: String = (1..=9).map(|n| format!("  at shop.pool.Pool.take(Pool:{n})\n")).collect();
    // Splitting at 2048 bytes would divide the trace.
    let lines_before = served_lines(54);
    assert!(
        lines_before.len() < 2_048 && lines_before.len() + trace.len() > 2_100,
        "{}",
        lines_before.len()
    );
    let evidence = vec![item("log", &format!("{lines_before}{trace}{}", served_lines(40)))];
    provider.always(reply(&[("c1", "ungrounded", "", "")]));
    let request = request(&[("c1", "The pool size is 20.")], evidence);
    server.grounding().evaluate(request).await.unwrap();
    let prompts: Vec<String> =
        provider.requests().iter().map(|request| request.body.to_string()).collect();
    assert_eq!(prompts.len(), 2);
    let parts_of_trace = prompts.iter().filter(|body| body.contains("at shop.pool"));
    let prompts_with_whole_trace: Vec<bool> =
        parts_of_trace.map(|body| body.contains("Pool:1)") && body.contains("Pool:9)")).collect();
    assert_eq!(prompts_with_whole_trace, [true]);
}

#[tokio::test]
async fn model_selects_lines_of_a_long_item() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |model, _| {
        (model.outline_above, model.hide) = (Some(gsar_server::config::Bytes(1_024)), Some(true));
    })
    .await;
    let lines = (1..=400).map(|n| match n {
        137 => "ERROR pool of mail@shop.example is exhausted\n".to_owned(),
        _ => format!("INFO order ORD-{n} took {} ms\n", n % 90),
    });
    let log = lines.collect::<String>();
    let request = request(
        &[("c1", "The pool of mail@shop.example is exhausted.")],
        vec![item("note", "pool size is 20"), item("log", &log)],
    );
    let grounded = reply(&[("c1", "grounded", "E2", "pool of mail@shop.example is exhausted")]);
    let choice = r#"{"choices": [{"evidence": "E1", "first_line": 136, "last_line": 138}]}"#;
    provider.enqueue([ScriptedReply::answer(choice), grounded.clone()]);
    let answer = server.evaluate(request.clone()).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed, "{:?}", answer.warnings);
    assert_eq!(answer.claims[0].citations[0].evidence_id, "log");
    let calls = &answer.provenance.unwrap().judges[0].calls;
    let purposes: Vec<&str> = calls.iter().map(|call| call.purpose.as_str()).collect();
    assert_eq!(purposes, ["choose", "judge"]);
    assert_ne!(calls[0].prompt, calls[1].prompt);
    let warning = answer.warnings.iter().find(|warning| warning.code == "LINES_CHOSEN").unwrap();
    assert!(warning.sentence.ends_with("log: lines 136 to 138 of 400"), "{}", warning.sentence);
    let prompts: Vec<String> =
        provider.requests().iter().map(|request| request.body.to_string()).collect();
    let [outline, excerpt] = prompts.as_slice() else { panic!("{} requests", prompts.len()) };
    assert!(outline.contains("1 to 400, 399 lines: INFO order ORD-1 took 1 ms"), "{outline}");
    assert!(!outline.contains("pool size") && !outline.contains("mail@shop.example"), "{outline}");
    assert!(
        excerpt.contains("lines 136 to 138 of 400") && excerpt.contains("pool size is 20"),
        "{excerpt}"
    );
    assert!(!excerpt.contains("ORD-135") && !excerpt.contains("ORD-139"), "{excerpt}");
    for unusable in ["lines 136 to 138", r#"{"choices": [{"evidence": "E1"}]}"#] {
        provider.enqueue([ScriptedReply::answer(unusable), grounded.clone()]);
        let request = v1::EvaluateRequest {
            options: Some(v1::EvaluateOptions { bypass_cache: true, ..Default::default() }),
            ..request.clone()
        };
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
        assert!(answer.warnings.iter().any(|warning| warning.code == "LINES_NOT_CHOSEN"));
        let excerpt = provider.requests().last().unwrap().body.to_string();
        assert!(excerpt.contains("ORD-135") && excerpt.contains("ORD-400"));
    }
}

#[tokio::test]
async fn graded_claims_are_used_as_examples_if_enabled() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |model, _| {
        (model.examples, model.hide) = (1, Some(true));
    })
    .await;
    let (first_request, answer) = pool_request_and_reply();
    provider.always(answer);
    let first_evaluation = server.evaluate(first_request.clone()).await.unwrap();
    assert_eq!(first_evaluation.provenance.unwrap().examples, []);
    let grade = async |grader: &str, class: v1::ClaimClass| {
        let grades = [claim_grade("c1", class)];
        let request = grade_request(&first_evaluation.evaluation_id, grader, grades);
        server.ledger().grade(request).await.unwrap();
    };
    let evidence = || vec![item("log", "pool of orders is exhausted")];
    let text = "The connection pool of orders is exhausted.";
    let grounded = reply(&[("c1", "grounded", "E1", "pool of orders is exhausted")]);
    provider.always(grounded);
    let ask = async |text: &str| {
        let request = request(&[("c1", text)], evidence());
        let answer = server.evaluate(request).await.unwrap();
        let prompt = provider.requests().last().unwrap().body.to_string();
        (answer.provenance.unwrap().examples, prompt)
    };
    grade("ada", v1::ClaimClass::Ungrounded).await;
    let (examples, prompt) = ask(text).await;
    let example = v1::GradedExample {
        evaluation_id: first_evaluation.evaluation_id.clone(),
        claim_id: "c1".to_owned(),
    };
    assert_eq!(examples, [example]);
    assert!(
        prompt.contains("Claims of earlier reports") && prompt.contains("ungrounded"),
        "{prompt}"
    );
    assert!(!prompt.contains("mail@shop.example"), "{prompt}");
    // Neither the claim itself nor disputed claims are used as examples.
    assert_eq!(ask("The connection pool of mail@shop.example is exhausted.").await.0, []);
    grade("ben", v1::ClaimClass::Grounded).await;
    assert_eq!(ask(text).await.0, []);
    let without_examples = start_server(&provider, Wire::OpenAi, NAME, |_, _| {}).await;
    without_examples.grounding().evaluate(first_request).await.unwrap();
    assert!(
        !provider.requests().last().unwrap().body.to_string().contains("Claims of earlier reports")
    );
}

#[tokio::test]
async fn canary_detects_a_model_that_grounds_everything() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |model, _| model.canary = true).await;
    let request =
        request(&[("c1", "The pool size is 20.")], vec![item("log", "the pool size is 20")]);
    let honest_answer =
        reply(&[("c1", "grounded", "E1", "the pool size is 20"), ("c2", "ungrounded", "", "")]);
    provider.always(honest_answer);
    let answer = server.evaluate(request.clone()).await.unwrap();
    assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
    assert_eq!(answer.claims.len(), 1);
    for class in ["grounded", "complementary"] {
        let obliging_answer = reply(&[
            ("c1", "grounded", "E1", "the pool size is 20"),
            ("c2", class, "E1", "the pool size is 20"),
        ]);
        provider.always(obliging_answer);
        let answer = server.evaluate(request.clone()).await.unwrap();
        assert_eq!(answer.outcome(), v1::Outcome::Failed);
        assert_eq!(answer.provenance.unwrap().judges[0].code, "CANARY_GROUNDED");
    }
    // Each call has a different canary.
    let prompts = provider.requests().into_iter().map(|request| request.body.to_string());
    assert_eq!(prompts.collect::<std::collections::HashSet<String>>().len(), 3);
}

#[tokio::test]
async fn no_model_is_called_without_evidence() {
    let provider = Server::start().await.unwrap();
    let (request, answer) = pool_request_and_reply();
    provider.always(answer);
    for (policy, is_called) in [("reference", false), ("strict", false), ("paper", true)] {
        let server = start_server(&provider, Wire::OpenAi, NAME, |_, config| {
            config.policies.default = policy.to_owned();
            config.judges.chain.push("rules/2".to_owned());
        })
        .await;
        let requests_before = provider.counts().requests;
        let request =
            v1::EvaluateRequest { evidence: Vec::new(), policy: String::new(), ..request.clone() };
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(provider.counts().requests > requests_before, is_called, "{policy}");
        let decision = answer.decision.as_ref().unwrap();
        let reported = decision.reasons.iter().any(|reason| reason.code == "NO_EVIDENCE");
        assert_eq!(reported, !is_called, "{policy}: {:?}", decision.reasons);
        if reported {
            assert_eq!(answer.outcome(), v1::Outcome::Abstained);
            assert_eq!(decision.tier(), v1::Tier::Abstain);
            assert!(answer.score.is_none() && answer.provenance.unwrap().judges.is_empty());
        }
    }
}

#[tokio::test]
async fn abstains_on_reports_in_unsupported_languages() {
    let provider = Server::start().await.unwrap();
    provider.always(pool_request_and_reply().1);
    let server = start_server(&provider, Wire::OpenAi, NAME, |_, config| {
        config.judges.chain.push("rules/2".to_owned());
    })
    .await;
    for (synthesis, claim, language) in [
        ("Der Pool ist voll und wurde nicht mit dem Neustart geleert.", "", "de"),
        ("连接池已满，原因是查询不再使用索引。", "The pool size is 20.", "zh"),
        ("", "Le pool est plein et la cause est une requête qui ne finit pas.", "fr"),
    ] {
        let claims = if claim.is_empty() { vec![] } else { vec![("c1", claim)] };
        let mut request = request(&claims, pool_request_and_reply().0.evidence);
        request.report.as_mut().unwrap().synthesis = synthesis.to_owned();
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(answer.outcome(), v1::Outcome::Abstained, "{language}");
        let decision = answer.decision.as_ref().unwrap();
        assert_eq!(decision.tier(), v1::Tier::Abstain);
        let [reason] = decision.reasons.as_slice() else { panic!("{:?}", decision.reasons) };
        assert_eq!(reason.code, "LANGUAGE_NOT_READ");
        assert!(reason.sentence.contains(language), "{}", reason.sentence);
        assert_eq!(codes(&answer), ["LANGUAGE_NOT_READ", "LANGUAGE_NOT_READ"]);
    }
    assert_eq!(provider.counts().requests, 0);
    // Identifiers and figures are language-neutral, so the judge is called.
    let request = request(
        &[("c1", "payments-db: OOMKilled, exit code 137")],
        pool_request_and_reply().0.evidence,
    );
    server.grounding().evaluate(request).await.unwrap();
    assert!(provider.counts().requests > 0);
}

#[tokio::test]
async fn each_judge_in_the_chain_is_tried() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |_, config| {
        config.judges.chain.push("rules/2".to_owned());
    })
    .await;
    let trials = async |judge: &str| {
        let request = v1::TryJudgesRequest { judge: judge.to_owned() };
        let answer = server.grounding().try_judges(request).await.unwrap().into_inner();
        let outcome = |trial: v1::JudgeTrial| {
            let link = trial.link.clone().unwrap();
            (link.judge, link.result, link.code, trial.tier())
        };
        answer.trials.into_iter().map(outcome).collect::<Vec<_>>()
    };
    let model = |result: &str, code: &str, tier| {
        (NAME.to_owned(), result.to_owned(), code.to_owned(), tier)
    };
    let rules = ("rules/2".to_owned(), "judged".to_owned(), String::new(), v1::Tier::Proceed);
    provider.always(ScriptedReply::Status(401));
    assert_eq!(
        trials("").await,
        [model("failed", "KEY_REFUSED", v1::Tier::Abstain), rules.clone()]
    );
    assert_eq!(trials("rules/2").await, [rules]);
    // The trial report consists of one claim.
    let verdict_json = reply(&[("c1", "grounded", "E1", "connection pool size is 20")]);
    provider.always(verdict_json);
    assert_eq!(trials(NAME).await, [model("judged", "", v1::Tier::Proceed)]);
    assert!(server.list_evaluations(v1::ListEvaluationsRequest::default()).await.is_empty());
}

#[tokio::test]
async fn model_answers_are_cached() {
    let provider = Server::start().await.unwrap();
    let server = start_server(&provider, Wire::OpenAi, NAME, |_, _| {}).await;
    let (mut request, answer) = pool_request_and_reply();
    provider.always(answer);
    for (bypass_cache, requests, from_cache) in
        [(false, 1, false), (false, 1, true), (true, 2, false), (false, 2, true)]
    {
        request.options = Some(v1::EvaluateOptions { bypass_cache, ..Default::default() });
        let answer = server.evaluate(request.clone()).await.unwrap();
        assert_eq!(answer.decision.unwrap().tier(), v1::Tier::Proceed);
        assert_eq!(provider.counts().requests, requests);
        assert_eq!(answer.provenance.unwrap().judges[0].calls[0].from_cache, from_cache);
    }
    request.evidence[0].tool = "another".to_owned();
    request.options = None;
    server.grounding().evaluate(request).await.unwrap();
    assert_eq!(provider.counts().requests, 3);
}

#[tokio::test]
async fn cancelled_calls_are_charged_at_their_estimated_cost() {
    let provider = Server::start().await.unwrap();
    provider.always(ScriptedReply::Hang);
    let server = start_server(&provider, Wire::OpenAi, NAME, |model, config| {
        (model.input_price, model.output_price) = (Some(1_000_000), Some(10_000_000));
        model.max_output_tokens = 1_000;
        config.judges.daily_budget = Some(15_000);
        config.judges.chain.push("rules/2".to_owned());
    })
    .await;
    for expected in ["DEADLINE_EXCEEDED", "BUDGET_SPENT"] {
        let mut request = tonic::Request::new(pool_request_and_reply().0);
        request.set_timeout(Duration::from_secs(2));
        let answer = server.evaluate(request).await.unwrap();
        assert_eq!(answer.provenance.unwrap().judges[0].code, expected);
    }
}
