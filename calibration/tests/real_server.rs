//! Tests the program against a real server that the program starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::PROGRAM;
use crate::support::server_binary::{install, server_binary};

/// Creates a folder with only these binaries and one incident.
fn machine(binaries: &[PathBuf]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for directory in ["tmp", "incidents"] {
        fs::create_dir(folder.path().join(directory)).unwrap();
    }
    install(&folder.path().join("bin"), binaries);
    let incident = gsar_datasets::folder().join("incidents/checkout-oom");
    std::os::unix::fs::symlink(incident, folder.path().join("incidents/checkout-oom")).unwrap();
    folder
}

/// Runs the program and returns its output. Asserts that it leaves no temporary files behind.
fn page(machine: &Path, arguments: &[&str]) -> String {
    let output = Command::new(machine.join("bin/gsar-calibrate"))
        .args(arguments)
        .current_dir(machine)
        .env_clear()
        .env("TMPDIR", machine.join("tmp"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        fs::read_dir(machine.join("tmp")).unwrap().count(),
        0,
        "the server left temporary files behind"
    );
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(page: &str, row: &str) -> Vec<u32> {
    let line = page.lines().find(|line| line.starts_with(&format!("| {row} |"))).unwrap();
    line.split('|').filter_map(|cell| cell.trim().parse().ok()).collect()
}

#[test]
fn measures_one_incident() {
    let machine = machine(&[PROGRAM.into(), server_binary()]);
    let arguments = ["incidents", "--folder", "incidents"];
    let measured = page(machine.path(), &arguments);
    let labels: usize = gsar_datasets::incidents_in(&machine.path().join("incidents"))
        .unwrap()
        .iter()
        .flat_map(|incident| gsar_datasets::ReportKind::ALL.map(|kind| incident.labels(kind)))
        .map(|labels| labels.unwrap().len())
        .sum();
    assert!(
        measured.contains(&format!("tune: 1 cases, {labels} claims, 3 reports.")),
        "{measured}"
    );
    let total: u32 = ["grounded", "ungrounded", "contradicted", "complementary"]
        .into_iter()
        .flat_map(|class| numbers(&measured, class))
        .sum();
    assert_eq!(usize::try_from(total).unwrap(), labels, "every claim is counted once");
    for kind in ["faithful", "overreaching", "contradicted"] {
        let decisions = measured.split("## Decisions").nth(1).unwrap();
        assert_eq!(numbers(decisions, kind).iter().sum::<u32>(), 1, "{kind}");
    }
    assert_eq!(page(machine.path(), &arguments), measured, "the same answers give the same page");

    let arguments = ["mutations", "--folder", "incidents", "--number", "20", "--seed", "7"];
    let mutated = page(machine.path(), &arguments);
    assert!(mutated.contains("20 of 20 requested, seed 7"), "{mutated}");
    assert_eq!(page(machine.path(), &arguments), mutated, "deterministic for a seed");
}

/// Writes a case with four claims and one report. Three claims quote the evidence, and the fourth quotes text that
/// the evidence does not contain.
fn write_stored_judgements(folder: &Path) {
    let content = "checkout api-1 restarted 4 times\\ncheckout api-2 is ready\\n";
    let case = format!(
        r#"{{"case":"a/1","evidence":[{{"id":"pods","kind":"tool_output","lane":"logs","tool":"kubectl get pods","content":"{content}"}}]}}"#
    );
    let claim = |text: &str, class: &str, quote: &str| {
        format!(
            r#"{{"case":"a/1","text":"{text}","class":"{class}","type":"tool_match","evidence_id":"pods","quote":"{quote}"}}"#
        )
    };
    let claims = [
        claim("api-1 restarted 4 times.", "grounded", "api-1 restarted 4 times"),
        claim("api-2 is ready.", "grounded", "api-2 is ready"),
        claim("api-2 is not ready.", "contradicted", "api-2 is ready"),
        claim("api-1 is ready.", "grounded", "api-1 is ready"),
    ];
    let report =
        r#"{"case":"a/1","kind":"faithful","text":"api-1 restarted 4 times. api-2 is ready."}"#;
    for (name, text) in [
        ("cases.jsonl", case.as_str()),
        ("claims.jsonl", &claims.join("\n")),
        ("reports.jsonl", report),
        ("split.json", r#"{"tune":["a/1"],"test":[]}"#),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn replays_stored_judgements() {
    let machine = machine(&[PROGRAM.into(), server_binary()]);
    let folder = machine.path().join("stored");
    fs::create_dir(&folder).unwrap();
    write_stored_judgements(&folder);

    let replayed = page(machine.path(), &["replay", "stored"]);
    let row = |name: &str| {
        let line = replayed.lines().find(|line| line.starts_with(&format!("| {name} |")));
        line.unwrap_or_else(|| panic!("{name}: {replayed}")).to_owned()
    };
    let in_all = |cell: &str| format!(" | {cell}").repeat(4);
    assert!(row("right verdicts broken").contains(&in_all("25.0 % 1/4")), "{replayed}");
    assert!(row("missed: refuted").contains("/1"), "{replayed}");
    assert!(row("faithful").contains(&in_all("proceed 1")), "{replayed}");
    assert!(row("claims without a stored judgement").contains("0/2"), "{replayed}");
    assert_eq!(page(machine.path(), &["replay", "stored"]), replayed, "the same every time");

    let offline = page(machine.path(), &["replay", "stored", "--offline"]);
    let verdicts = |page: &str| {
        let rows = page.lines().filter(|line| line.starts_with('|'));
        rows.take_while(|line| !line.starts_with("| report")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&offline), verdicts(&replayed), "offline verification agrees");

    let json = page(machine.path(), &["replay", "stored", "--as", "mcp", "--output", "json"]);
    assert!(json.contains("\"rendering\": \"mcp\""), "{json}");
}

#[test]
fn drives_stored_judgements_through_the_loop() {
    let machine = machine(&[PROGRAM.into(), server_binary()]);
    let claim = |text: &str, gold: &str, quote: &str| {
        let class = if text == quote { "grounded" } else { "contradicted" };
        format!(
            r#"{{"text":"{text}","gold":"{gold}","class":"{class}","type":"tool_match","citations":[{{"evidence":"e1","quote":"{quote}"}}]}}"#
        )
    };
    let row = |id: &str, claims: &[String]| {
        let evidence = "api-1 has 5 replicas. api-2 has 3 replicas. api-3 is ready.";
        let claims = claims.join(",");
        format!(
            r#"{{"id":"{id}","evidence":[{{"id":"e1","title":"","text":"{evidence} {id}"}}],"claims":[{claims}]}}"#
        )
    };
    let [five, ready] = ["api-1 has 5 replicas.", "api-3 is ready."];
    let wrong = claim("api-2 has 9 replicas.", "contradicted", "api-2 has 3 replicas.");
    let rows = [
        row(
            "r1",
            &[claim(five, "grounded", five), wrong.clone(), claim(ready, "ungrounded", ready)],
        ),
        row("r2", &[wrong]),
        row("r3", &[claim(five, "grounded", five)]),
    ];
    fs::write(machine.path().join("rows.jsonl"), rows.join("\n")).unwrap();
    let arguments =
        ["run", "rows.jsonl", "--stored", "--loop", "--policy", "reference", "--out", "t.jsonl"];
    page(machine.path(), &arguments);
    let trace = fs::read_to_string(machine.path().join("t.jsonl")).unwrap();
    let mut ends: Vec<_> = trace
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| (line["row"].to_string(), line["loop"].to_string()))
        .collect();
    ends.sort_unstable();
    let expected = [
        r#"{"claims":[1,3],"end":"PROCEED","judged":2,"replans":0}"#,
        r#"{"claims":[1],"end":"CANCELLED","judged":1,"replans":1}"#,
        r#"{"claims":[1],"end":"PROCEED","judged":1,"replans":0}"#,
    ];
    assert_eq!(ends.iter().map(|(_, end)| end).collect::<Vec<_>>(), expected);
    let ablated = page(machine.path(), &["ablate", "t.jsonl"]);
    for row in [
        "| M1 proceed | 33.3 % 1/3 |",
        "| M1 proceed | 66.7 % 2/3 |",
        "| judged reports per row | 1.333",
        "| false claims sent | 0 |",
        "| wrong claims sent | 1 |",
    ] {
        assert!(ablated.contains(row), "{row}: {ablated}");
    }
}

#[test]
fn replay_rejects_unsuitable_flags_and_a_missing_server() {
    let folder = machine(&[PROGRAM.into()]);
    for (arguments, expected) in [
        (["--part", "test", "--list"].as_slice(), "allowed for the tune part only"),
        (&["--endpoint", "unix:///nowhere"], "cannot be used with replay"),
        (&[], "is not next to this program"),
    ] {
        let output = Command::new(folder.path().join("bin/gsar-calibrate"))
            .args(["replay", "stored"])
            .args(arguments)
            .env_clear()
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
}

#[test]
fn judges_generated_claims() {
    let machine = machine(&[PROGRAM.into(), server_binary()]);
    let arguments = ["generated", "--count", "13", "--seed", "7"];
    let generated = page(machine.path(), &arguments);
    for title in
        ["same claim with a neighbour's value: 13", "absent: 13", "rounding and a false one: 13"]
    {
        assert!(generated.contains(title), "{title}: {generated}");
    }
    assert_eq!(page(machine.path(), &arguments), generated, "deterministic for a seed");

    let of_absences = ["generated", "--of", "absences", "--count", "13", "--output", "json"];
    let json: serde_json::Value =
        serde_json::from_str(&page(machine.path(), &of_absences)).unwrap();
    let overall = &json["generators"][0]["summary"]["overall"];
    let number = |expected: &str| overall[expected]["grounded"]["of"].as_u64().unwrap();
    assert_eq!(["shown", "refuted", "undecidable"].map(number), [5, 4, 4], "{json}");
    assert_eq!(json["generators"].as_array().map(Vec::len), Some(1));
}

#[test]
fn reports_a_missing_server() {
    let folder = machine(&[PROGRAM.into()]);
    let output = Command::new(folder.path().join("bin/gsar-calibrate"))
        .args(["incidents", "--folder", "incidents"])
        .current_dir(folder.path())
        .env_clear()
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("gsar-server is not next to this program"), "{error}");
}
