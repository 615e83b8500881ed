//! Tests `gsar watch` against a real server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command};

use crate::machine::{Machine, incident, stderr, stdout};
use crate::process::Process;
use rustix::process::{Pid, Signal, kill_process};

struct Watch {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
}

impl Watch {
    /// Starts `gsar watch` and waits for its first poll.
    fn start(machine: &Machine, directory: &Path, arguments: &[&str]) -> Self {
        let fixed_arguments = ["watch", directory.to_str().unwrap(), "--every", "20ms"];
        let mut child = machine.command(&[&fixed_arguments, arguments].concat()).spawn().unwrap();
        drop(child.stdin.take());
        let out = BufReader::new(child.stdout.take().unwrap());
        let err = BufReader::new(child.stderr.take().unwrap());
        let mut watch = Self { child, out, err };
        watch.expect_note("note: watching ");
        watch
    }

    fn verdict(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "`gsar watch` exited");
        line
    }

    /// Reads the next note and checks that it starts with `prefix`.
    fn expect_note(&mut self, prefix: &str) -> String {
        let mut line = String::new();
        self.err.read_line(&mut line).unwrap();
        assert!(line.starts_with(prefix), "{line:?}");
        line
    }

    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }
}

fn directory(machine: &Machine) -> PathBuf {
    let directory = machine.folder.path().join("reports");
    fs::create_dir(&directory).unwrap();
    directory
}

fn put(machine: &Machine, path: &Path, content: &str) {
    let temporary = machine.folder.path().join("written");
    fs::write(&temporary, content).unwrap();
    fs::rename(temporary, path).unwrap();
}

fn is_verdict(line: &str, file: &str) -> bool {
    let (tier, rest) = line.split_once(' ').unwrap();
    let is_tier = ["PROCEED", "REGENERATE", "REPLAN", "ABSTAIN"].contains(&tier);
    is_tier && rest.trim_start().starts_with(file)
}

const REQUEST: &str = r#"{"report":{"id":"asked","synthesis":"Pod checkout-1 restarted 4 times."},"evidence":[{"id":"a.txt","kind":"EVIDENCE_KIND_TOOL_OUTPUT","lane":"EVIDENCE_LANE_LOGS","text":"pod checkout-1 restarted 4 times"}]}"#;

#[test]
fn reports_are_evaluated_as_they_are_written() {
    let machine = Machine::new();
    let directory = directory(&machine);
    let report = fs::read_to_string(incident("checkout-oom/reports/faithful.md")).unwrap();
    fs::write(directory.join("old.md"), &report).unwrap();
    let evidence = incident("checkout-oom/evidence");
    let mut watch = Watch::start(&machine, &directory, &["--evidence", &evidence]);

    put(&machine, &directory.join("new.md"), &report);
    let first_verdict = watch.verdict();
    assert!(is_verdict(&first_verdict, "new.md  "), "{first_verdict}");

    // An unchanged report is not evaluated again, so the next verdict is for another file.
    put(&machine, &directory.join("new.md"), &report);
    fs::write(directory.join("cut.json"), REQUEST.get(..40).unwrap()).unwrap();
    let partial = watch.verdict();
    assert!(partial.starts_with("ERROR       cut.json  "), "{partial}");
    assert!(partial.contains("cut.json:1: "), "{partial}");
    fs::write(directory.join("cut.json"), REQUEST).unwrap();
    let completed = watch.verdict();
    assert!(is_verdict(&completed, "cut.json (asked)  "), "{completed}");

    fs::write(directory.join("new.md"), format!("{report}\nNobody knows why.\n")).unwrap();
    let changed_verdict = watch.verdict();
    assert!(is_verdict(&changed_verdict, "new.md  "), "{changed_verdict}");

    // A file that is deleted and recreated counts as new.
    fs::remove_file(directory.join("cut.json")).unwrap();
    put(&machine, &directory.join("other.json"), REQUEST);
    assert!(is_verdict(&watch.verdict(), "other.json (asked)  "));
    put(&machine, &directory.join("cut.json"), REQUEST);
    assert!(is_verdict(&watch.verdict(), "cut.json (asked)  "));

    watch.interrupt();
    let summary = watch.expect_note("note: 5 reports evaluated: ");
    assert!(summary.ends_with("; 1 could not be evaluated\n"), "{summary}");
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
    machine.assert_no_leftovers();
}

#[test]
fn once_flag_matches_evaluate() {
    let machine = Machine::new();
    let directory = directory(&machine);
    let evidence = incident("checkout-oom/evidence");
    let mut arguments = vec!["evaluate".to_owned()];
    for name in ["contradicted", "faithful"] {
        let report = incident(&format!("checkout-oom/reports/{name}.md"));
        fs::copy(&report, directory.join(format!("{name}.md"))).unwrap();
        arguments.push(report);
    }
    arguments.extend(["--evidence".to_owned(), evidence.clone(), "--output=json".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let evaluated = machine.run(&arguments, "");

    let path = directory.to_str().unwrap();
    let arguments = ["watch", path, "--evidence", &evidence, "--once", "--every", "20ms"];
    let json_output = machine.run(&[&arguments[..], &["--format", "json"]].concat(), "");
    assert_eq!(json_output.status.code(), evaluated.status.code(), "{}", stderr(&json_output));
    assert!(
        stderr(&json_output).starts_with("note: 2 reports evaluated: "),
        "{}",
        stderr(&json_output)
    );
    let json_lines: Vec<serde_json::Value> =
        stdout(&json_output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(json_lines.len(), 2);
    for (line, answer) in json_lines.iter().zip(stdout(&evaluated).lines()) {
        let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
        assert_eq!(line["evaluation"]["decision"], answer["decision"]);
        assert_eq!(line["file"], format!("{path}/{}.md", line["report"].as_str().unwrap()));
    }

    fs::write(directory.join("cut.json"), "{").unwrap();
    let text_output = machine.run(&arguments, "");
    assert_eq!(text_output.status.code(), Some(2), "{}", stderr(&text_output));
    assert!(stdout(&text_output).contains("\nERROR       cut.json  "), "{}", stdout(&text_output));
    assert_eq!(stdout(&text_output).lines().count(), 3);
    let nowhere = machine.run(&["watch", "nowhere"], "");
    assert_eq!(nowhere.status.code(), Some(2));
    assert_eq!(stderr(&nowhere), "error: nowhere: not a directory\n");
    machine.assert_no_leftovers();
}

fn server(machine: &Machine, endpoint: &str) -> Process {
    let mut command = Command::new(machine.folder.path().join("bin/gsar-server"));
    command.args(["--listen", endpoint, "--data-dir"]).arg(machine.folder.path().join("data"));
    let process = Process::spawn(&mut command);
    process.log_line("ready");
    process
}

#[test]
fn pending_reports_are_retried_when_the_server_is_available_again() {
    let machine = Machine::new();
    let directory = directory(&machine);
    let socket = machine.folder.path().join("gsar.sock");
    let endpoint = format!("unix://{}", socket.display());
    let first = server(&machine, &endpoint);
    let mut watch = Watch::start(&machine, &directory, &["--endpoint", &endpoint]);
    put(&machine, &directory.join("one.json"), REQUEST);
    assert!(is_verdict(&watch.verdict(), "one.json (asked)  "));

    drop(first);
    put(&machine, &directory.join("two.json"), REQUEST);
    let mut line = String::new();
    while !line.starts_with(&format!("note: no sidecar is responding at {endpoint}: ")) {
        line.clear();
        watch.err.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "`gsar watch` exited");
    }
    assert!(line.ends_with("; pending reports will be retried\n"), "{line}");
    let second = server(&machine, &endpoint);
    assert!(is_verdict(&watch.verdict(), "two.json (asked)  "));
    watch.expect_note("note: the server is available again");

    watch.interrupt();
    let summary = watch.expect_note("note: 2 reports evaluated: ");
    assert!(!summary.contains("could not be"), "{summary}");
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
    second.terminate();
    machine.assert_no_leftovers();
}
