//! Tests that interrupted runs resume, and that traces are analysed without a server.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{PROGRAM, Server};
use gsar_calibration::Random;
use serde_json::Value;

const ROWS: usize = 80;
const CONFIGURATION: &str = "[judges]\nchain = [\"rules/2\"]\n[ledger]\ndurable = false\n";

/// Writes claims, one third each supported, refuted and undecidable.
fn write_rows(path: &Path) {
    let row = |at: usize| {
        let (statement, label) = [
            ("has 5 replicas", "SUPPORTS"),
            ("has 7 replicas", "REFUTES"),
            ("was slow because of its disk", "NOT ENOUGH INFO"),
        ][at % 3];
        format!(
            r#"{{"id":"r{at:03}","claim":"api-{at} {statement}.","label":"{label}","evidence":[{{"id":"e1","title":null,"text":"name,replicas\napi-{at},5"}}]}}"#
        )
    };
    fs::write(path, (0..ROWS).map(row).collect::<Vec<_>>().join("\n")).unwrap();
}

fn calibrate(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).current_dir(folder).env_clear();
    command
}

/// Runs the program and returns its output.
fn output_of(folder: &Path, arguments: &[&str]) -> String {
    let output = calibrate(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn run<'a>(server: &'a Server, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "rows.jsonl", "--out", out, "--run", "r", "--endpoint"];
    arguments.push(&server.endpoint);
    arguments.extend(more);
    arguments
}

/// Returns a trace's sorted lines without ids, times and dates.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for line in &mut lines {
        if let Some(evaluation) = line.get_mut("evaluation").and_then(Value::as_object_mut) {
            evaluation.remove("evaluationId").unwrap();
            let provenance = evaluation["provenance"].as_object_mut().unwrap();
            provenance.remove("timings").unwrap();
            provenance.remove("evaluatedAt").unwrap();
        }
    }
    lines.sort_by_key(|line| line["row"].to_string());
    lines
}

#[test]
fn killed_runs_resume_to_the_same_trace() {
    let folder = tempfile::tempdir().unwrap();
    write_rows(&folder.path().join("rows.jsonl"));
    let server = Server::start(folder.path(), CONFIGURATION);
    let page = output_of(folder.path(), &run(&server, "whole.jsonl", &[]));
    assert!(page.starts_with(&format!("whole.jsonl: {ROWS} of {ROWS} rows")), "{page}");
    let uninterrupted = lines(&folder.path().join("whole.jsonl"));
    let names: BTreeSet<String> =
        uninterrupted.iter().map(|line| line["row"].to_string()).collect();
    assert_eq!(
        (uninterrupted.len(), names.len()),
        (ROWS + 1, ROWS + 1),
        "a header and each row once"
    );

    let kills = if std::env::var_os("GSAR_TEST_DEEP").is_some() { 20 } else { 4 };
    let mut random = Random::new(1);
    let mut midway = 0;
    for kill in 0..kills {
        let out = format!("killed-{kill}.jsonl");
        let path = folder.path().join(&out);
        let after = random.below(ROWS);
        let paced = run(&server, &out, &["--max-rate", "400"]);
        let mut child = calibrate(folder.path(), &paced)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answered = || {
            fs::read(&path).map_or(0, |bytes| bytes.iter().filter(|byte| **byte == b'\n').count())
        };
        while answered() <= after && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        midway += u64::from(answered() <= ROWS);
        output_of(folder.path(), &run(&server, &out, &[]));
        assert_eq!(lines(&path), uninterrupted, "killed after {after} rows");
    }
    assert!(midway * 2 >= kills, "{midway} of {kills} runs were killed midway");
}

#[test]
fn analyses_traces_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    write_rows(&folder.path().join("rows.jsonl"));
    let server = Server::start(folder.path(), CONFIGURATION);
    let judged = |out: &str, more: &[&str]| {
        let mut arguments = vec!["run", "rows.jsonl", "--out", out, "--endpoint", &server.endpoint];
        arguments.extend(more);
        output_of(folder.path(), &arguments)
    };
    judged("first.jsonl", &[]);
    judged("second.jsonl", &["--repeat-of", "first.jsonl"]);
    judged("third.jsonl", &[]);
    let top = judged("top.jsonl", &["--top-k", "2"]);
    assert!(top.contains(&format!("{ROWS} of {ROWS} rows")), "{top}");
    judged("loop.jsonl", &["--top-k", "2", "--loop"]);
    drop(server);

    let page = |arguments: &[&str]| output_of(folder.path(), arguments);
    let looped = page(&["ablate", "loop.jsonl"]);
    assert!(looped.contains("| whole loop, under the server's policy | value |"), "{looped}");
    fs::write(folder.path().join("native.jsonl"), page(&["rows", "rows.jsonl"])).unwrap();
    let adversarial = page(&["rows", "native.jsonl", "--mode", "adversarial"]);
    assert_eq!(adversarial, page(&["rows", "rows.jsonl", "--mode", "adversarial"]));
    let scores: Vec<String> =
        (0..ROWS).map(|at| format!(r#"{{"row":"r{at:03}","score":{}}}"#, at % 2)).collect();
    fs::write(folder.path().join("coin.jsonl"), scores.join("\n")).unwrap();
    let scored =
        ["ablate", "first.jsonl", "loop.jsonl", "--scores", "coin.jsonl", "--output", "json"];
    let summary: Value = serde_json::from_str(&page(&scored)).unwrap();
    let [first, looped] = &summary["runs"].as_array().unwrap()[..] else { panic!("{summary}") };
    let tiers = first["tiers"].as_object().unwrap().values();
    assert_eq!(tiers.filter_map(Value::as_u64).sum::<u64>(), ROWS as u64);
    for key in ["mean_score", "m1", "m4"] {
        assert!(first[key]["interval"].is_object() || first[key]["interval"].is_array(), "{key}");
    }
    assert_eq!((&first["loop"], &looped["loop"]["proceeds"]["of"]), (&Value::Null, &ROWS.into()));
    let coin = &first["evaluators"][1];
    assert_eq!((&coin["name"], &coin["tiers"]), (&"coin".into(), &vec![40, 0, 40].into()));
    let ablated = page(&["ablate", "first.jsonl"]);
    for row in [
        "| M1 proceed |",
        "| M4 contradictions caught |",
        "| evidence type |",
        "| rho = 0 |",
        "| baseline: binary |",
    ] {
        assert!(ablated.contains(row), "{ablated}");
    }
    assert_eq!(page(&["ablate", "first.jsonl"]), ablated, "the same trace gives the same page");
    let compared = page(&["compare", "first.jsonl", "second.jsonl"]);
    assert!(compared.contains("| Δ proceed, points | +0.0 [0.0, 0.0] |"), "{compared}");
    assert!(compared.contains("| Cohen's kappa of classes | 1.000 |"), "{compared}");

    assert_eq!(page(&["audit", "first.jsonl", "second.jsonl"]), "2 cells: no objections.\n");
    assert_fails_with(folder.path(), &["audit", "first.jsonl", "third.jsonl"], "in common");

    let report = ["report", "first.jsonl", "third.jsonl", "--figures", "figures"];
    assert_fails_with(folder.path(), &report, "nothing was written");
    page(&[&report[..], &["--force"]].concat());
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("Audit failed"), "{html}");
    page(&["report", "first.jsonl", "second.jsonl", "--figures", "figures"]);
    let html = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(!html.contains("Audit failed") && !html.contains("<script"));
    for part in [
        "<dt>M1</dt>",
        "<h2>Class by class</h2>",
        &format!(">{}<", env!("CARGO_PKG_VERSION")),
        ">rows ",
    ] {
        assert!(html.contains(part), "{part} is not in {html}");
    }
    let links = html.replace("http://www.w3.org/2000/svg", "");
    assert!(!links.contains("http:") && !links.contains("https:"), "no external resources");
    let (figures, tables) = (html.matches("<svg").count(), html.matches("<details>").count());
    assert!(figures >= 8 && figures == tables, "{figures} figures, {tables} tables");
    let files = fs::read_dir(folder.path().join("figures")).unwrap().count();
    assert_eq!(files, 2 * figures, "each as SVG and as CSV");

    // Compare with a repetition by the same judge, then with a trace in which no claim is grounded.
    page(&["drift", "first.jsonl", "second.jsonl"]);
    let changed = fs::read_to_string(folder.path().join("second.jsonl")).unwrap();
    let changed = changed.replace("CLAIM_CLASS_GROUNDED", "CLAIM_CLASS_UNGROUNDED");
    fs::write(folder.path().join("changed.jsonl"), changed).unwrap();
    assert_fails_with(
        folder.path(),
        &["drift", "first.jsonl", "changed.jsonl"],
        "the judge has drifted",
    );

    let fitted = page(&["fit", "first.jsonl", "--cost", "1:0.5:10", "--out", "fitted.toml"]);
    assert!(fitted.contains("| held out, mean of the folds |"), "{fitted}");
    let text = fs::read_to_string(folder.path().join("fitted.toml")).unwrap();
    assert!(text.starts_with("# Fitted by gsar-calibrate"), "{text}");
    assert_eq!(gsar_core::Policy::from_toml(&text).unwrap().name, "fitted");
}

#[test]
fn a_replan_retrieves_further_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: &str, claim: &str, label: &str, text: &str| {
        format!(
            r#"{{"id":"{id}","claim":"{claim}","label":"{label}","evidence":[{{"text":"{text}"}}]}}"#
        )
    };
    let decoy = "Has api-7 5 replicas? api-7 has replicas, has 5 replicas of api-7.";
    let rows = [
        row("r1", "api-7 has 5 replicas.", "SUPPORTS", "name,replicas\\napi-7,5"),
        row("r2", "The weather is fine.", "NOT ENOUGH INFO", decoy),
    ];
    fs::write(folder.path().join("rows.jsonl"), rows.join("\n")).unwrap();
    let configuration = format!("{CONFIGURATION}[policies]\ndefault = \"paper\"\n");
    let server = Server::start(folder.path(), &configuration);
    let ends = |k: &str| {
        let (out, k) = (format!("{k}.jsonl"), ["--loop", "--top-k", k]);
        output_of(folder.path(), &run(&server, &out, &k));
        let lines = lines(&folder.path().join(&out));
        let of_rows = lines.iter().filter(|line| line["row"].is_string());
        of_rows.map(|line| line["loop"].to_string()).collect::<Vec<_>>()
    };
    let unsupported = r#"{"claims":[1],"end":"REPLANS_SPENT","judged":1,"replans":2}"#;
    let found = |judged, replans| {
        format!(r#"{{"claims":[1],"end":"PROCEED","judged":{judged},"replans":{replans}}}"#)
    };
    assert_eq!(ends("1"), [found(2, 1), unsupported.to_owned()], "the decoy is retrieved first");
    assert_eq!(ends("2"), [found(1, 0), unsupported.to_owned()]);
}

fn assert_fails_with(folder: &Path, arguments: &[&str], why: &str) {
    let output = calibrate(folder, arguments).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains(why), "{error}");
}

#[test]
fn shipped_files_match_the_manifest() {
    use sha2::Digest as _;
    let folder = gsar_datasets::folder();
    let manifest: toml::Table =
        toml::from_str(&fs::read_to_string(folder.join("manifest.toml")).unwrap()).unwrap();
    let mut files = 0;
    for (name, entry) in &manifest {
        for key in ["source", "licence", "split"] {
            assert!(entry[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
        if let (Some(file), Some(digest)) = (entry.get("file"), entry.get("sha256")) {
            let bytes = fs::read(folder.join(file.as_str().unwrap())).unwrap();
            let found: String =
                sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(Some(found.as_str()), digest.as_str(), "{name}");
            files += 1;
        }
    }
    assert!(files >= 1);
}

#[test]
fn certifies_a_policy_or_states_how_many_reports_are_needed() {
    let folder = tempfile::tempdir().unwrap();
    write_rows(&folder.path().join("rows.jsonl"));
    let server = Server::start(folder.path(), CONFIGURATION);
    output_of(folder.path(), &run(&server, "t.jsonl", &[]));
    let certify = |more: &[&str]| {
        let mut arguments =
            vec!["certify", "t.jsonl", "--policy", "reference", "--out", "sure.toml"];
        arguments.extend(more);
        output_of(folder.path(), &arguments)
    };
    let page = certify(&[]);
    assert!(
        page.contains("Not shown at any threshold: P(wrong | proceed) at most 5.0 %"),
        "{page}"
    );
    assert!(page.contains("Proceeding reports needed with no error: 59"), "{page}");
    assert!(!folder.path().join("sure.toml").exists());
    let output = certify(&["--risk", "0.2", "--confidence", "0.9"]);
    assert!(output.contains("Shown: P(wrong | proceed) at most 20.0 %"), "{output}");
    let policy =
        gsar_core::Policy::from_toml(&fs::read_to_string(folder.path().join("sure.toml")).unwrap());
    let policy = policy.unwrap();
    let certificate = policy.certificate().unwrap();
    assert_eq!((certificate.judge.as_str(), certificate.rows), ("rules/2", ROWS as u32));

    // A server with this policy reports whether the certificate covers the judge.
    drop(server);
    let policies = folder.path().join("policies");
    fs::create_dir(&policies).unwrap();
    fs::rename(folder.path().join("sure.toml"), policies.join("sure.toml")).unwrap();
    let configuration = format!(
        "[judges]\nchain = [\"rules/2\"]\n[policies]\ndir = \"{}\"\ndefault = \"sure\"\n",
        policies.display()
    );
    let server = Server::start(folder.path(), &configuration);
    output_of(folder.path(), &run(&server, "sure.jsonl", &["--policy", "sure"]));
    for line in
        lines(&folder.path().join("sure.jsonl")).iter().filter(|line| line["row"].is_string())
    {
        let applied = &line["evaluation"]["provenance"]["policy"]["certificate"];
        assert_eq!((&applied["judge"], &applied["mismatch"]), (&"rules/2".into(), &"".into()));
    }
}

#[test]
fn ledger_grades_become_a_trace() {
    use gsar_client::v1;

    let folder = tempfile::tempdir().unwrap();
    write_rows(&folder.path().join("rows.jsonl"));
    let server = Server::start(folder.path(), CONFIGURATION);
    output_of(folder.path(), &run(&server, "t.jsonl", &[]));
    let text = fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let exported = runtime.block_on(async {
        let endpoint = server.endpoint.parse().unwrap();
        let client = gsar_client::Client::connect(&endpoint).await.unwrap();
        for line in text.lines().skip(1).take(30) {
            let line: Value = serde_json::from_str(line).unwrap();
            let tier = match line["gold"][0].as_str() {
                Some("grounded") => v1::Tier::Proceed,
                _ => v1::Tier::Replan,
            };
            let subject = v1::grade::Subject::Report(v1::ReportGrade { tier: tier.into() });
            let request = v1::GradeRequest {
                evaluation_id: line["evaluation"]["evaluationId"].as_str().unwrap().to_owned(),
                grader: "ada".to_owned(),
                grades: vec![v1::Grade { subject: Some(subject), ..Default::default() }],
            };
            client.grade(request).await.unwrap();
        }
        let kinds = [v1::ExportKind::Partitions, v1::ExportKind::Grades];
        let request =
            v1::ExportRequest { kinds: kinds.map(i32::from).into(), ..Default::default() };
        let mut export = client.export(request).await.unwrap();
        let mut lines = String::new();
        while let Some(answer) = export.next().await.unwrap() {
            use v1::export_record::Record::{Grade, Partition};
            for record in answer.records.into_iter().filter_map(|record| record.record) {
                let json = match record {
                    Partition(record) => gsar_client::json::to_json(&record).unwrap(),
                    Grade(record) => gsar_client::json::to_json(&record).unwrap(),
                    other => panic!("{other:?}"),
                };
                lines.push_str(&json);
                lines.push('\n');
            }
        }
        lines
    });
    let of_grades: Vec<&str> =
        exported.lines().filter(|line| !line.contains("\"claims\"")).collect();
    fs::write(folder.path().join("exported.jsonl"), &exported).unwrap();
    fs::write(folder.path().join("grades.jsonl"), of_grades.join("\n")).unwrap();
    let page = |arguments: &[&str]| output_of(folder.path(), arguments);
    let made = page(&["graded", "exported.jsonl", "--out", "graded.jsonl"]);
    assert_eq!(made, "graded.jsonl: 30 graded evaluations.\n");
    let certified = page(&["certify", "graded.jsonl", "--policy", "reference"]);
    assert!(certified.contains("judge rules/2, 30 graded reports"), "{certified}");
    assert_fails_with(
        folder.path(),
        &["graded", "grades.jsonl", "--out", "none.jsonl"],
        "no graded evaluations",
    );
}
