//! Tests `gsar drive` against a real server, with a recorded chat model and the example orchestrator.

use std::process::Output;

use crate::machine::{Machine, incident, stderr, stdout};
use crate::recorded_model::RecordedModel;

fn drive(machine: &Machine, flags: &[&str], orchestrator: &[&str]) -> Output {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/orchestrator.py");
    let incident = incident("checkout-oom");
    let command = ["--", "/usr/bin/env", "python3", example, &incident];
    let arguments = [&["drive"], flags, &command, orchestrator].concat();
    let mut command = machine.command(&arguments);
    let model = RecordedModel::start(machine.folder.path());
    let config = machine.folder.path().join("recorded.toml");
    let judge = "openai-compatible:recorded";
    let text = format!(
        "[judges]\nchain = [\"{judge}\"]\n[judges.models.\"{judge}\"]\nbase_url = \"{}\"\ncanary = false\n",
        model.url
    );
    std::fs::write(&config, text).unwrap();
    command.env("GSAR_CONFIG", &config).env("GSAR_EVIDENCE__EMBEDDINGS", "off");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.output().unwrap()
}

/// Returns the lines that describe the steps and the end of the investigation, which are the same in every run.
fn steps(output: &Output) -> Vec<&str> {
    let is_step = |line: &&str| {
        line.starts_with("  plan") || line.starts_with("PROCEED") || line.starts_with("DEGRADED")
    };
    stdout(output).lines().filter(is_step).collect()
}

#[test]
fn example_proceeds_after_replan_and_rewrite() {
    let machine = Machine::new();
    let output = drive(&machine, &[], &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        steps(&output),
        [
            "  plan 0 of 2   turn 1      no hypothesis is validated yet, and budget is left",
            "  plan 0 of 2   report 1    REPLAN       0.000",
            "  plan 1 of 2   turn 2      no hypothesis is validated yet, and budget is left",
            "  plan 1 of 2   report 2    REGENERATE   0.694",
            "  plan 1 of 2   rewrite 3   PROCEED      1.000",
            "PROCEED   the report may be sent",
        ]
    );
    assert!(stdout(&output).lines().all(|line| line.chars().count() <= 80), "{}", stdout(&output));
    machine.assert_no_leftovers();
}

#[test]
fn investigation_without_progress_ends_degraded() {
    let machine = Machine::new();
    let output = drive(&machine, &[], &["--stubborn"]);
    assert_eq!(output.status.code(), Some(11), "{}", stderr(&output));
    let last_step = steps(&output).last().copied().unwrap_or_default();
    assert!(last_step.starts_with("DEGRADED   no replan is left"), "{last_step}");
    assert!(stdout(&output).contains("best report "));
}

#[test]
fn interrupted_investigation_is_resumed() {
    let machine = Machine::new();
    let data = machine.folder.path().join("records");
    let data = data.to_str().unwrap();
    let flags = ["--id", "inc-7", "--data-dir", data];
    let interrupted = machine
        .command(&[&["drive"], flags.as_slice(), &["--", "/bin/true"]].concat())
        .env("GSAR_JUDGES__CHAIN", "[\"rules/2\"]")
        .output()
        .unwrap();
    assert_eq!(interrupted.status.code(), Some(2));
    assert!(
        stderr(&interrupted).contains("exited (exit status: 0) before the investigation ended")
    );

    let output = drive(&machine, &flags, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let resumed = drive(&machine, &flags, &[]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert!(stdout(&resumed).contains("resumed at step 5"), "{}", stdout(&resumed));
    assert_eq!(steps(&resumed), ["PROCEED   the report may be sent"]);
}

#[test]
fn invalid_orchestrator_output_is_reported() {
    let machine = Machine::new();
    let output = machine
        .command(&["drive", "--", "/bin/echo", "starting up"])
        .env("GSAR_JUDGES__CHAIN", "[\"rules/2\"]")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = stderr(&output);
    assert!(message.contains("starting up") && message.contains("standard error"), "{message}");
    let missing_program = machine.run(&["drive", "--", "/no/such/program"], "");
    assert_eq!(missing_program.status.code(), Some(2));
    assert!(stderr(&missing_program).contains("/no/such/program"), "{}", stderr(&missing_program));
}

/// Responds for each due entity with a line of its log, and cancels the investigation if no entity is due.
const EXPLORER: &str = r#"
import json, sys
LINES = {
    "shop/Deployment/api": ("SYMPTOM", "LOGS", "api: requests to db take 4000 ms"),
    "shop/StatefulSet/db": ("ORIGIN", "CHANGE", "db: max_connections was lowered from 200 to 20"),
}
for line in sys.stdin:
    due = json.loads(line)["graph"]["due"]
    if not due:
        print(json.dumps({"cancel": {}}), flush=True)
        continue
    calls, beliefs = [], []
    for look in due:
        label, lane, text = LINES[look["entity"]]
        item = look["entity"].rsplit("/", 1)[1] + "-log"
        result = {"id": item, "kind": "EVIDENCE_KIND_TOOL_OUTPUT", "lane": "EVIDENCE_LANE_" + lane, "text": text}
        calls.append({"tool": "logs", "arguments": item, "result": result})
        beliefs.append({
            "entity": look["entity"],
            "label": "BELIEF_LABEL_" + label,
            "observations": [{"text": text, "citations": [{"evidenceId": item, "quote": text}]}],
            "propagations": [{"from": "shop/StatefulSet/db", "to": "shop/Deployment/api"}],
        })
    print(json.dumps({"turn": {"toolCalls": calls, "beliefs": beliefs}}), flush=True)
"#;

#[test]
fn explored_graph_is_shown_in_every_format() {
    let machine = Machine::new();
    let path = |name: &str| machine.folder.path().join(name).to_str().unwrap().to_owned();
    let (graph, data) = (path("graph.json"), path("records"));
    let graph_output = machine.run(
        &["graph", "read", "--edges", "-", "--alert", "api"],
        "shop/StatefulSet/db -> shop/Deployment/api\n",
    );
    assert_eq!(graph_output.status.code(), Some(0), "{}", stderr(&graph_output));
    std::fs::write(&graph, stdout(&graph_output)).unwrap();
    let flags = ["drive", "--id", "inc-9", "--data-dir", &data, "--graph", &graph];
    let explorer = ["--", "/usr/bin/env", "python3", "-c", EXPLORER];
    let output = machine
        .command(&[flags.as_slice(), &explorer].concat())
        .env("GSAR_JUDGES__CHAIN", "[\"rules/2\"]")
        .env("GSAR_EVIDENCE__EMBEDDINGS", "off")
        .env("PATH", std::env::var_os("PATH").unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(11), "{}", stderr(&output));

    let graph_as = |format: &str| {
        let arguments = ["graph", "show", "inc-9", "--data-dir", &data, "--format", format];
        let output = machine
            .command(&arguments)
            .env("GSAR_JUDGES__CHAIN", "[\"rules/2\"]")
            .env("GSAR_EVIDENCE__EMBEDDINGS", "off")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output).to_owned()
    };
    let text = graph_as("human");
    assert!(text.contains("  origin      shop/StatefulSet/db\n"), "{text}");
    assert!(text.contains("  alert       shop/Deployment/api ← shop/StatefulSet/db\n"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(graph_as("dot").contains(r#""shop/StatefulSet/db" -> "shop/Deployment/api";"#));
    assert!(graph_as("mermaid").contains("n1 --> n0"));
    assert!(graph_as("json").contains(r#""frontier":["shop/StatefulSet/db"]"#));

    let without_graph =
        machine.command(&["graph", "show", "inc-8", "--data-dir", &data]).output().unwrap();
    assert_eq!(without_graph.status.code(), Some(1), "{}", stderr(&without_graph));
}
