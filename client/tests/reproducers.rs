//! Tests reports that claim a fix, with a correct patch, a wrong patch and no patch. A report proceeds only if the
//! check passed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{Machine, incident, stderr, stdout};
use serde_json::{Value, json};

macro_rules! reproducers {
    ($($test:ident: $name:literal),+ $(,)?) => {
        const NAMES: &[&str] = &[$($name),+];
        $(#[test]
        fn $test() {
            only_a_passed_check_lets_the_report_proceed($name);
        })+
    };
}

reproducers! {
    export_gap: "export-gap",
    flag_still_on: "flag-still-on",
    key_expired: "key-expired",
    limit_too_early: "limit-too-early",
    order_charged_twice: "order-charged-twice",
    points_overdrawn: "points-overdrawn",
    refund_swallowed: "refund-swallowed",
    room_released: "room-released",
    session_rejected: "session-rejected",
    shipped_though_cancelled: "shipped-though-cancelled",
}

fn folder() -> PathBuf {
    PathBuf::from(incident("../reproducers"))
}

#[test]
fn every_reproducer_has_a_test() {
    let folders = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let incidents = folders.filter(|path| path.join("incident.toml").exists());
    let mut names: Vec<String> =
        incidents.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, NAMES);
}

struct Case {
    machine: Machine,
    name: &'static str,
}

impl Case {
    fn file(&self, path: &str) -> String {
        folder().join(self.name).join(path).to_str().unwrap().to_owned()
    }

    fn scratch(&self, name: &str) -> PathBuf {
        self.machine.folder.path().join(name)
    }

    /// Runs the check with a patch. Returns the recorded run's directory and the exit status.
    fn check(&self, patch: Option<&str>) -> (PathBuf, Option<i32>) {
        let label = patch.unwrap_or("fault");
        let (system, records) = (self.scratch(&format!("{label}-system")), self.scratch(label));
        let mut prepare = Command::new("python3");
        prepare.arg("-B").arg(folder().join("prepare.py")).arg(self.name).arg(&system);
        let prepare = prepare.args(patch.map(|patch| ["--patch", patch]).into_iter().flatten());
        assert!(prepare.status().unwrap().success());
        let declaration = self.file("check.toml");
        let (directory, save_folder) = (system.to_str().unwrap(), records.to_str().unwrap());
        let arguments =
            ["check", declaration.as_str(), "--directory", directory, "--save", save_folder];
        let mut command = self.machine.command(&arguments);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        let output = command.output().unwrap();
        assert!(stderr(&output).is_empty(), "{}", stderr(&output));
        (records, output.status.code())
    }

    fn evaluate(&self, change: &Value, evidence: &Path) -> Value {
        fs::create_dir_all(evidence).unwrap();
        let runs = fs::read_dir(evidence).unwrap().map(|entry| entry.unwrap().file_name());
        let mut manifest = String::from(
            "[[item]]\nfile = \"patch.json\"\nid = \"patch\"\nkind = \"change\"\nlane = \"change\"\ntool = \"git diff\"\n",
        );
        for run in runs.map(|name| name.into_string().unwrap()) {
            manifest.push_str(&format!("[[item]]\nfile = \"{run}\"\n"));
        }
        fs::write(evidence.join("patch.json"), change.to_string()).unwrap();
        fs::write(evidence.join("evidence.toml"), manifest).unwrap();
        let (report, recorded_evidence) = (self.file("reports/fixed.md"), self.file("evidence"));
        let evidence = evidence.to_str().unwrap();
        let arguments =
            ["evaluate", &report, "-e", &recorded_evidence, "-e", evidence, "--output", "json"];
        let mut command = self.machine.command(&arguments);
        command.env("GSAR_JUDGES__CHAIN", "[\"rules/2\"]").env("GSAR_EVIDENCE__EMBEDDINGS", "off");
        let output = command.output().unwrap();
        assert!(stderr(&output).is_empty(), "{}", stderr(&output));
        serde_json::from_str(stdout(&output)).unwrap()
    }

    fn patch(&self, name: &str) -> Value {
        let diff = fs::read_to_string(self.file(&format!("{name}.patch"))).unwrap();
        let files: Vec<&str> =
            diff.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect();
        json!({ "files_changed": files, "diff": diff })
    }
}

fn tier(answer: &Value) -> &str {
    answer["decision"]["tier"].as_str().unwrap()
}

fn contradicted_by(answer: &Value) -> Vec<&str> {
    let corrections = answer["corrections"].as_array().map(Vec::as_slice).unwrap_or_default();
    let contradictions = corrections
        .iter()
        .filter(|correction| correction["classAfter"] == "CLAIM_CLASS_CONTRADICTED");
    contradictions.map(|correction| correction["code"].as_str().unwrap()).collect()
}

fn only_a_passed_check_lets_the_report_proceed(name: &'static str) {
    let case = Case { machine: Machine::new(), name };
    let (_, status) = case.check(None);
    assert_eq!(status, Some(1), "{name}: the check passes with the fault");

    let (runs, status) = case.check(Some("fix"));
    assert_eq!(status, Some(0), "{name}: the check fails with the fix");
    let answer = case.evaluate(&case.patch("fix"), &runs);
    assert_eq!(tier(&answer), "TIER_PROCEED", "{name}: {answer:#}");

    let (runs, status) = case.check(Some("wrong"));
    assert_eq!(status, Some(1), "{name}: the check passes with the wrong patch");
    let answer = case.evaluate(&case.patch("wrong"), &runs);
    assert_ne!(tier(&answer), "TIER_PROCEED", "{name}: {answer:#}");
    assert_eq!(contradicted_by(&answer), ["CHECK_FAILED"], "{name}");

    let no_change = json!({ "diagnosis": "as reported", "files_changed": [] });
    let answer = case.evaluate(&no_change, &case.scratch("nothing"));
    assert_ne!(tier(&answer), "TIER_PROCEED", "{name}: {answer:#}");
    assert_eq!(contradicted_by(&answer), ["NOTHING_CHANGED"], "{name}");
    case.machine.assert_no_leftovers();
}
