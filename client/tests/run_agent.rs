//! Runs scripted agents on a reproducer, and tests how their results are classified.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/reproducers")
}

/// Runs a shell script as the agent and returns its result.
fn try_agent(script: &str, limit: &str) -> Value {
    let results = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("python3")
        .arg("-B")
        .arg(folder().join("run_agent.py"))
        .args(["export-gap", "--limit", limit, "--agent", &format!("sh -c '{script}'"), "--json"])
        .arg(results.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&std::fs::read(results.path()).unwrap()).unwrap();
    let incident = &document["incidents"][0];
    let result = incident["result"].as_str().unwrap();
    assert_eq!(document["totals"][result], 1, "{document:#}");
    let row = String::from_utf8(output.stdout).unwrap().lines().nth(1).unwrap().to_owned();
    assert!(row.starts_with("export-gap ") && row.ends_with(" s"), "{row}");
    incident.clone()
}

fn apply(patch: &str) -> String {
    let file = folder().join("export-gap").join(format!("{patch}.patch"));
    format!("git apply \"{}\"", file.canonicalize().unwrap().display())
}

#[test]
fn agent_results_are_classified() {
    let (fix, wrong) = (apply("fix"), apply("wrong"));
    let cheat = "echo \"print(\\\"PASS\\\")\" > reproduce.py; echo done";
    for (script, result, changed) in [
        (
            format!("{fix}; git -c user.name=a -c user.email=a@b commit -am fix"),
            "pass",
            "events.py",
        ),
        (format!("{wrong}; echo fixed"), "(b) wrong patch", "events.json"),
        ("echo \"the pages overlap\"".to_owned(), "(c) empty change set", ""),
        (cheat.to_owned(), "(c) empty change set", ""),
        ("true".to_owned(), "(a) no commitment", ""),
    ] {
        let incident = try_agent(&script, "60");
        assert_eq!(incident["result"], result, "{script}: {incident:#}");
        assert_eq!(incident["changed"][0].as_str().unwrap_or_default(), changed, "{script}");
    }
    let incident = try_agent(&format!("{fix}; echo fixed; exec tail -f /dev/null"), "0.5");
    assert_eq!(incident["result"], "(a) no commitment", "{incident:#}");
}

#[test]
fn agent_receives_the_task_without_the_answer() {
    let script = "cat; ls; ls \"$INCIDENT_EVIDENCE\"; git log --format=%s -p";
    let incident = try_agent(script, "60");
    let report = incident["report"].as_str().unwrap();
    for expected in
        ["The export lacks events at the ends of its pages", "change.txt", "exporter.py"]
    {
        assert!(report.contains(expected), "{expected}: {report}");
    }
    let fix = std::fs::read_to_string(folder().join("export-gap/fix.patch")).unwrap();
    let fixed_line = fix.lines().find(|line| line.starts_with("+  ")).unwrap();
    for answer in ["root_cause", "incident.toml", "fix.patch", "wrong.patch", fixed_line] {
        assert!(!report.contains(answer), "{answer}: {report}");
    }
}
