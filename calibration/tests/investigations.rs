//! Tests `gsar-calibrate investigations` against a real server, with invented runs, a baseline and, if present, the
//! shared data.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::PROGRAM;
use crate::support::server_binary::{install, server_binary};
use serde_json::{Value, json};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    // The program looks for the server in its own directory.
    let bin = folder.join("bin");
    if !bin.exists() {
        install(&bin, &[PROGRAM.into(), server_binary()]);
    }
    Command::new(bin.join("gsar-calibrate"))
        .arg("investigations")
        .args(arguments)
        .env_clear()
        .env("TMPDIR", folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Returns three runs on one incident and one run on another. The second run's report is supported, and its answer
/// is `answer`.
fn runs(answer: &str) -> String {
    let evidence = json!([{"id": "log", "kind": "log", "tool": "kubectl logs", "content": "The size of pool-1 is 7.\nThe size of pool-2 is 14."}]);
    let run = |id: &str, incident: &str, answer: &str, report: &str| {
        json!({"id": id, "incident": incident, "truth": ["db"], "answers": [answer], "report": report, "evidence": evidence}).to_string()
    };
    [
        run("r1", "i1", "api", "The api lost 40 % of its requests to a bad deployment of mail."),
        run("r2", "i1", answer, "The size of pool-1 is 7. The size of pool-2 is 14."),
        run("r3", "i1", "api", "The size of pool-1 is 9."),
        run("r4", "i2", "cart", "The certificate of cart expired."),
    ]
    .join("\n")
}

#[test]
fn measures_recorded_runs_against_a_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("runs.jsonl"), runs("db")).unwrap();
    let first = run(folder.path(), &[&at("runs.jsonl"), "--output", "json"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let measured: Value = serde_json::from_slice(&first.stdout).unwrap();
    let share = |pointer: &str| measured.pointer(pointer).and_then(Value::as_f64);
    assert_eq!(share("/as_written/ac1/value"), Some(1.0 / 6.0), "{measured:#}");
    assert_eq!(share("/as_written/majority/value"), Some(0.0));
    assert_eq!(share("/as_written/pass/value"), Some(1.0));
    // Unsupported reports are held back, and supported ones proceed.
    assert_eq!(share("/right_out/value"), Some(1.0), "{measured:#}");
    assert_eq!(share("/driven/value"), Some(1.0), "{measured:#}");
    assert!(share("/seconds/value").unwrap() > 0.0);

    fs::write(at("baseline.json"), &first.stdout).unwrap();
    let again = run(folder.path(), &[&at("runs.jsonl"), "--baseline", &at("baseline.json")]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains("| AC@1, as written | 16.7 %"), "{}", text(&again.stdout));

    fs::write(at("worse.jsonl"), runs("mail")).unwrap();
    let worse = run(folder.path(), &[&at("worse.jsonl"), "--baseline", &at("baseline.json")]);
    assert_eq!(worse.status.code(), Some(1));
    let error = text(&worse.stderr);
    assert!(error.contains("AC@1 as written fell from 0.167 to 0.000"), "{error}");
}

#[test]
fn reads_the_shared_data() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/rca");
    let files = ["openrca_predictions.jsonl.gz", "itbench_groundtruth.jsonl.gz"];
    let files = files.map(|name| data.join(name).to_str().unwrap().to_owned());
    if !files.iter().all(|file| Path::new(file).exists()) {
        eprintln!("skipped: {} does not exist", data.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &[&files[0], &files[1], "--output", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let measured: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&measured["runs"], &measured["explored"][0]["explored"]["of"]),
        (&json!(108), &json!(36))
    );
}
