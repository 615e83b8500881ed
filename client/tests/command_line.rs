//! Tests the exit statuses, the output and the errors of the binary.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::{Script, ScriptedServer};
use crate::machine::{feed, stderr, stdout};
use gsar_client::v1;
use tonic::Status;

/// Runs `gsar` without the environment variables that affect it.
fn gsar(arguments: &[&str], input: &str) -> Output {
    gsar_with(arguments, input, &[])
}

fn gsar_with(arguments: &[&str], input: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gsar"));
    for name in ["GSAR_ENDPOINT", "XDG_RUNTIME_DIR", "NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
        command.env_remove(name);
    }
    feed(command.args(arguments).envs(environment.iter().copied()), input)
}

const EXAMPLE: &str = r#"{"id":"example","grounded":["tool_match","specific_data"],"ungrounded":["inference"],"contradicted":["inference"],"complementary":["complementary_finding"],"policy":"paper"}"#;

#[test]
fn scores_line_by_line() {
    let input = format!("{EXAMPLE}\n\nnonsense\n{{\"id\":[1, 2]}}\n");
    let output = gsar(&["score", "--offline"], &input);
    assert_eq!(
        stdout(&output),
        "{\"id\":\"example\",\"score\":0.7567567567567568,\"num\":28,\"den\":37,\"decision\":\"regenerate\"}\n\
         {\"line\":3,\"error\":\"column 2: expected ident\"}\n\
         {\"id\":[1, 2],\"score\":null,\"num\":null,\"den\":null,\"decision\":\"abstain\"}\n"
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(gsar(&["score", "--offline"], EXAMPLE).status.code(), Some(0));
    assert_eq!(gsar(&["score", "--offline"], "").status.code(), Some(0));
}

#[test]
fn answers_are_flushed_before_the_next_line_is_read() {
    use std::io::{BufRead as _, BufReader};
    let mut child = Command::new(env!("CARGO_BIN_EXE_gsar"))
        .args(["score", "--offline"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(input, "{EXAMPLE}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains("\"num\":28"), "{answer}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

fn report(folder: &Path) -> String {
    let path = folder.join("checkout-oom.md");
    fs::write(&path, "The checkout pods were OOMKilled.\n").unwrap();
    fs::create_dir_all(folder.join("evidence")).unwrap();
    fs::write(folder.join("evidence/events.txt"), "Warning OOMKilling\n").unwrap();
    path.to_str().unwrap().to_owned()
}

fn answer(outcome: v1::Outcome, tier: v1::Tier) -> v1::EvaluateResponse {
    v1::EvaluateResponse {
        evaluation_id: "e1".to_owned(),
        outcome: outcome.into(),
        claims: vec![v1::JudgedClaim {
            id: "c1".to_owned(),
            text: "The checkout pods were OOMKilled.".to_owned(),
            class: v1::ClaimClass::Grounded.into(),
            r#type: v1::EvidenceType::ToolMatch.into(),
            ..Default::default()
        }],
        decision: Some(v1::Decision { tier: tier.into(), ..Default::default() }),
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_status_is_the_most_severe_one() {
    use v1::{Outcome, Tier};
    let proceed = || Ok(answer(Outcome::Scored, Tier::Proceed));
    let regenerate = || Ok(answer(Outcome::Scored, Tier::Regenerate));
    let replan = || Ok(answer(Outcome::Scored, Tier::Replan));
    let abstain = || Ok(answer(Outcome::Abstained, Tier::Abstain));
    let failed = || Ok(answer(Outcome::Failed, Tier::Abstain));
    let refusal = || Err(Status::invalid_argument("no"));
    for (answers, status) in [
        (vec![proceed()], 0),
        (vec![regenerate()], 10),
        (vec![replan(), regenerate()], 11),
        (vec![proceed(), abstain(), replan()], 12),
        (vec![abstain(), failed(), proceed()], 1),
        (vec![refusal(), proceed()], 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = report(folder.path());
        let reports = vec![path.as_str(); answers.len()];
        let script = Script { evaluations: answers.into(), ..Script::default() };
        let server = ScriptedServer::start(script).await;
        let endpoint = server.endpoint();
        let evidence = folder.path().join("evidence");
        let mut arguments = vec!["evaluate"];
        arguments.extend(reports);
        arguments.extend(["--endpoint", &endpoint, "--evidence", evidence.to_str().unwrap()]);
        let output = gsar(&arguments, "");
        assert_eq!(output.status.code(), Some(status), "{}", stderr(&output));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_reports_form_one_document() {
    let answers = || {
        [
            Ok(redacted(answer(v1::Outcome::Scored, v1::Tier::Proceed))),
            Err(Status::invalid_argument("no <such> report")),
            Ok(redacted(answer(v1::Outcome::Failed, v1::Tier::Abstain))),
        ]
    };
    let folder = tempfile::tempdir().unwrap();
    let path = report(folder.path());
    let document_in = async |format: &str| {
        let script = Script { evaluations: answers().into(), ..Script::default() };
        let server = ScriptedServer::start(script).await;
        let endpoint = server.endpoint();
        let arguments = ["evaluate", &path, &path, &path, "--endpoint", &endpoint];
        let output = gsar(&[&arguments[..], &["--format", format]].concat(), "");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert_eq!(stderr(&output), "error: Evaluate: no <such> report\n");
        let explained = |request: &v1::EvaluateRequest| request.options.as_ref().unwrap().explain;
        assert!(server.script.lock().unwrap().evaluate_requests.iter().all(explained));
        stdout(&output).to_owned()
    };
    let document = document_in("junit").await;
    assert!(document.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
    let mut elements = Vec::new();
    let mut reader = quick_xml::Reader::from_str(&document);
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(element) | quick_xml::events::Event::Empty(element) => {
                elements.push(element.name().as_ref().to_owned());
            }
            _ => {}
        }
    }
    let count = |name: &str| elements.iter().filter(|element| *element == name).count();
    assert_eq!(count("testsuite"), 3, "{document}");
    assert_eq!((count("testcase"), count("failure"), count("error")), (5, 0, 2), "{document}");
    assert!(document.contains("no &lt;such&gt; report"), "{document}");

    let document = document_in("markdown").await;
    assert!(document.starts_with("| report | decision | score |\n"), "{document}");
    // Requests are concurrent, so the order varies.
    let headings = document.lines().filter_map(|line| line.strip_prefix("## ")?.split_once(": "));
    let (names, mut verdicts): (Vec<&str>, Vec<&str>) = headings.unzip();
    verdicts.sort_unstable();
    assert_eq!(
        names,
        ["checkout-oom", "checkout-oom \\(2\\)", "checkout-oom \\(3\\)"],
        "{document}"
    );
    assert_eq!(verdicts, ["ERROR", "FAILED", "PROCEED"], "{document}");
}

fn redacted(answer: v1::EvaluateResponse) -> v1::EvaluateResponse {
    let provenance = v1::Provenance { redacted: true, ..answer.provenance.unwrap_or_default() };
    v1::EvaluateResponse { provenance: Some(provenance), ..answer }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_require_a_server_that_redacts() {
    let folder = tempfile::tempdir().unwrap();
    let path = report(folder.path());
    let run = async |more_arguments: &[&str]| {
        let answers = vec![Ok(answer(v1::Outcome::Scored, v1::Tier::Proceed))];
        let script = Script { evaluations: answers.into(), ..Script::default() };
        let server = ScriptedServer::start(script).await;
        let endpoint = server.endpoint();
        let arguments = ["evaluate", &path, "--endpoint", &endpoint, "--format", "markdown"];
        gsar(&[&arguments[..], more_arguments].concat(), "")
    };
    let output = run(&[]).await;
    assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
    assert!(stderr(&output).contains("too old"), "{}", stderr(&output));
    assert_eq!(run(&["--unredacted"]).await.status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_the_report_and_its_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let path = report(folder.path());
    let claims = folder.path().join("claims.jsonl");
    fs::write(&claims, "{\"id\":\"c1\",\"text\":\"a\"}\n").unwrap();
    let gate = folder.path().join("gate.json");
    fs::write(&gate, "{\"turnsUsed\": 3}").unwrap();
    let script = Script {
        evaluations: [Ok(answer(v1::Outcome::Scored, v1::Tier::Proceed))].into(),
        ..Script::default()
    };
    let server = ScriptedServer::start(script).await;
    let output = gsar(
        &[
            "evaluate",
            &path,
            "--endpoint",
            &server.endpoint(),
            "--evidence",
            folder.path().join("evidence").to_str().unwrap(),
            "--claims",
            claims.to_str().unwrap(),
            "--gate",
            gate.to_str().unwrap(),
            "--confidence",
            "0.85",
            "--policy",
            "strict",
            "--explain",
            "--output",
            "json",
        ],
        "",
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let printed: v1::EvaluateResponse = gsar_client::json::from_json(stdout(&output)).unwrap();
    assert_eq!(printed, answer(v1::Outcome::Scored, v1::Tier::Proceed));
    assert_eq!(stdout(&output).lines().count(), 1);
    let script = server.script.lock().unwrap();
    let [request] = &script.evaluate_requests[..] else { panic!("expected one request") };
    let report = request.report.as_ref().unwrap();
    assert_eq!(report.id, "checkout-oom");
    assert_eq!(report.synthesis, "The checkout pods were OOMKilled.\n");
    assert_eq!(report.claims.len(), 1);
    assert_eq!(report.confidence, Some(0.85));
    assert_eq!(request.evidence.len(), 1);
    assert_eq!(request.evidence[0].id, "events.txt");
    assert_eq!(request.policy, "strict");
    assert_eq!(request.gate.as_ref().unwrap().turns_used, 3);
    assert!(request.options.as_ref().unwrap().explain);
}

#[tokio::test(flavor = "multi_thread")]
async fn color_follows_the_environment() {
    let server = ScriptedServer::start(Script::default()).await;
    let endpoint = server.endpoint();
    let arguments = ["policy", "list", "--endpoint", &endpoint];
    let styled = |environment: &[(&str, &str)]| {
        gsar_with(&arguments, "", environment).stdout.contains(&0x1b)
    };
    assert!(!styled(&[]), "output to a pipe has no color");
    assert!(styled(&[("CLICOLOR_FORCE", "1")]));
    assert!(!styled(&[("NO_COLOR", "1")]));
    assert_eq!(
        stdout(&gsar(&arguments, "")),
        "* night-shift  c0ffee  stricter after ten (/etc/gsar/policies/night-shift.toml)\n\
         * the default\n"
    );
}

#[test]
fn invalid_input_is_reported_with_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = report(folder.path());
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let latin = file("latin.txt", b"ok\ncaf\xe9\n");
    let json = file("pods.json", b"{\n\"items\": [\n}\n");
    let requests = file("requests.jsonl", b"{\"policy\":\"paper\"}\n{\"polcy\":\"paper\"}\n");
    for (arguments, position) in [
        (vec!["evaluate", &path, "--evidence", &latin], format!("{latin}:2: ")),
        (vec!["evaluate", &path, "--evidence", &json], format!("{json}:3: ")),
        (vec!["evaluate", &latin], format!("{latin}:2: ")),
        (vec!["evaluate", &path, "--claims", &json], format!("{json}:1: ")),
        (vec!["evaluate", &path, "--gate", &json], format!("{json}:3: ")),
        (vec!["evaluate", "--request", &requests], format!("{requests}:2: ")),
        (vec!["score", "--request", &requests], format!("{requests}:2: ")),
        (vec!["evaluate", "nowhere.md"], "nowhere.md: no such file".to_owned()),
        (vec!["score", "--offline", "nowhere.jsonl"], "nowhere.jsonl: no such file".to_owned()),
    ] {
        let output = gsar(&arguments, "");
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.starts_with(&format!("error: {position}")), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn usage_errors_and_missing_servers_have_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = report(folder.path());
    for arguments in [
        vec!["evaluate"],
        vec!["evaluate", &path, "--confidence", "1.1"],
        vec!["evaluate", &path, &path, "--id", "x"],
        vec!["evaluate", &path, "--endpoint", "localhost:1"],
        vec!["cap", "0.9"],
        vec!["ledger", "list", "--endpoint", "http://x:1"],
    ] {
        let output = gsar(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
    }
    let socket = format!("unix://{}/none.sock", folder.path().display());
    let output = gsar(&["evaluate", &path, "--endpoint", &socket], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with(&format!("error: no sidecar is responding at {socket}")));
}

#[test]
fn policies_require_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let valid_policy = folder.path().join("night.toml");
    fs::write(&valid_policy, "name = \"night\"\nrho = 3\n").unwrap();
    let valid_policy = valid_policy.to_str().unwrap();
    let built_in = gsar(&["policy", "show", "paper"], "");
    assert!(stdout(&built_in).contains("tau_proceed = 0.8\n"));
    let completed = gsar(&["policy", "show", valid_policy], "");
    assert!(
        stdout(&completed).contains("rho = 3\n") && stdout(&completed).contains("max_turns = 10\n")
    );
    let diff = gsar(&["policy", "diff", "reference", valid_policy], "");
    assert_eq!(stdout(&diff), "rho  0.5 → 3\n");
    assert_eq!(stdout(&gsar(&["policy", "check", valid_policy], "")), "policy `night` is valid\n");
    let output = gsar(&["policy", "check", "-"], "name = \"night\"\nrho = 11\n");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        "error: policy `night`: 1 problem\n  rho  `11` is out of range; expected 0 to 10\n  in -:2\n"
    );
}

#[test]
fn generates_completions_and_manual_pages() {
    let folder = tempfile::tempdir().unwrap();
    let output = gsar(&["man", folder.path().to_str().unwrap()], "");
    assert!(output.status.success(), "{}", stderr(&output));
    let page = fs::read_to_string(folder.path().join("gsar-evaluate.1")).unwrap();
    assert!(page.contains("evidence"));
    for shell in ["bash", "zsh", "fish"] {
        let script = gsar(&["completions", shell], "");
        assert!(stdout(&script).contains("evaluate"), "{shell}");
        assert!(stdout(&script).contains("paper reference strict") || shell != "bash", "{shell}");
    }
}

#[test]
fn version_includes_the_licence() {
    let version = env!("CARGO_PKG_VERSION");
    let output = gsar(&["--version"], "");
    assert_eq!(stdout(&output), format!("gsar {version}\nlicence: Apache-2.0\n"));
    assert_eq!(stdout(&gsar(&["-V"], "")), format!("gsar {version}\n"));
}
