//! Tests `gsar judge try` with two chat models, one of which supports every claim.

use crate::machine::{Machine, stderr, stdout};
use gsar_chat_wire::{KEY, Question, ScriptedReply, Server, Verdict, Wire, citation};

const KILLED: &str = "2026-03-12T14:09:31Z ERROR cart-2 was killed: out of memory";

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn good_judge_passes_and_gullible_judge_fails() {
    let machine = Machine::new();
    for (word, status, last_line) in [
        ("cart-2 was killed", 0, "openai:m passed"),
        // A gullible judge supports every claim about a cart.
        ("cart-", 1, "openai:m failed; choose another judge with --judge"),
    ] {
        let provider = Server::start().await.unwrap();
        let verdict = move |question: &Question| match question.text.contains(word) {
            true => ("grounded", "tool_match", vec![citation("E1", None, KILLED)]),
            false => ("ungrounded", "inference", Vec::new()),
        };
        provider.answer_with(move |request| {
            let answer = request.prompt().unwrap().answer(|question| {
                let (class, evidence_type, citations) = verdict(question);
                Verdict { class, evidence_type, note: KILLED, citations }
            });
            ScriptedReply::answer(&answer)
        });
        let url = provider.base_url(Wire::OpenAi);
        let mut command =
            machine.command(&["judge", "try", "--judge", "openai:m", "--judge-url", &url]);
        let output = command.env("OPENAI_API_KEY", KEY).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}{}", stdout(&output), stderr(&output));
        assert_eq!(stdout(&output).lines().last(), Some(last_line), "{}", stdout(&output));
    }
    machine.assert_no_leftovers();
}

#[test]
fn unreachable_judge_is_reported_with_its_url() {
    let machine = Machine::new();
    let unreachable_url = "http://127.0.0.1:9/v1";
    let judge = ["judge", "try", "--judge", "openai-compatible:m", "--judge-url", unreachable_url];
    let output = machine.run(&judge, "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("http://127.0.0.1:9/v1/chat/completions"), "{report}");
}

#[test]
fn rejects_a_judge_for_a_running_server() {
    let machine = Machine::new();
    let arguments = ["judge", "try", "--judge", "rules/2", "--endpoint", "unix:///nowhere"];
    let output = machine.run(&arguments, "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot be used with"), "{}", stderr(&output));
}
