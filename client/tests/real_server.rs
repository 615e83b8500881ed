//! Tests the binary with temporary servers.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Child;

use crate::machine::{Machine, incident, stderr, stdout};
use gsar_client::v1;
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn report_is_evaluated_and_recorded() {
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let records = records.to_str().unwrap();
    let report = incident("checkout-oom/reports/faithful.md");
    let evidence = incident("checkout-oom/evidence");
    let arguments = ["evaluate", &report, "--evidence", &evidence, "--data-dir", records];

    let output = machine.run(&arguments, "");
    let status = output.status.code().unwrap();
    assert!([0, 10, 11, 12].contains(&status), "{status}: {}", stderr(&output));
    let last = stdout(&output).lines().last().unwrap();
    let verdict = match status {
        0 => "PROCEED",
        10 => "REGENERATE",
        11 => "REPLAN",
        _ => "ABSTAIN",
    };
    assert!(last.starts_with(verdict), "{last}");
    machine.assert_no_leftovers();

    let json = machine.run(&[&arguments[..], &["--output", "json"]].concat(), "");
    assert_eq!(json.status.code(), Some(status));
    let answer: v1::EvaluateResponse = gsar_client::json::from_json(stdout(&json)).unwrap();
    assert!(!answer.claims.is_empty());

    let list = machine.run(&["ledger", "list", "--data-dir", records], "");
    assert_eq!(stdout(&list).lines().count(), 2, "{}", stderr(&list));
    assert!(stdout(&list).lines().next().unwrap().ends_with(&answer.evaluation_id));
    let show = machine.run(&["ledger", "show", &answer.evaluation_id, "--data-dir", records], "");
    assert_eq!(stdout(&show).lines().last(), Some(last), "{}", stderr(&show));
    let show_unknown = machine.run(&["ledger", "show", "nothing", "--data-dir", records], "");
    assert_eq!(show_unknown.status.code(), Some(1), "{}", stderr(&show_unknown));
    machine.assert_no_leftovers();
}

fn record_two_evaluations(machine: &Machine, records: &str) -> [v1::EvaluateResponse; 2] {
    let folder = machine.folder.path();
    let pool = folder.join("pool.txt");
    let url = "postgres://shop:hunter22@db/orders";
    let content = format!(r#"{{"name": "checkout", "pool_size": 20, "url": "{url}"}}"#);
    fs::write(&pool, content).unwrap();
    [20, 50].map(|size| {
        let report = folder.join(format!("report-{size}.md"));
        fs::write(&report, format!("The pool size of checkout is {size}.\n")).unwrap();
        let (report, pool) = (report.to_str().unwrap(), pool.to_str().unwrap());
        let arguments = ["evaluate", report, "--evidence", pool, "--policy", "reference"];
        let output = machine
            .run(&[&arguments[..], &["--output", "json", "--data-dir", records]].concat(), "");
        gsar_client::json::from_json(stdout(&output)).unwrap()
    })
}

#[test]
fn evaluations_are_rescored() {
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let records = records.to_str().unwrap();
    let [true_answer, false_answer] = record_two_evaluations(&machine, records);
    let rescore = |ids: &[&str], flags: &[&str]| {
        let command = [&["ledger", "rescore"], ids, flags, &["--data-dir", records]].concat();
        let output = machine.run(&command, "");
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
        stdout(&output).to_owned()
    };
    let ids = [true_answer.evaluation_id.as_str(), false_answer.evaluation_id.as_str()];
    let two_evaluations = rescore(&ids, &["--policy", "paper"]);
    assert!(
        two_evaluations.ends_with("of 2 decided differently under paper\n"),
        "{two_evaluations}"
    );
    assert!(ids.iter().all(|id| two_evaluations.contains(id)), "{two_evaluations}");

    let one_evaluation = rescore(&ids[..1], &["--policy", "strict"]);
    assert!(one_evaluation.starts_with("proceed"), "{one_evaluation}");
    assert!(one_evaluation.contains("The pool size of checkout is 20"), "{one_evaluation}");

    let json = rescore(&ids, &["--output", "json"]);
    let answers: Vec<v1::RescoreResponse> =
        json.lines().map(|line| gsar_client::json::from_json(line).unwrap()).collect();
    assert_eq!(
        answers.iter().map(|answer| &answer.evaluation_id).collect::<Vec<_>>(),
        ids.iter().collect::<Vec<_>>()
    );
    machine.assert_no_leftovers();
}

#[test]
fn evaluation_is_rendered_as_html() {
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let records = records.to_str().unwrap();
    let [true_answer, _] = record_two_evaluations(&machine, records);
    let id = true_answer.evaluation_id.as_str();
    let arguments = ["ledger", "show", id, "--html", "--data-dir", records];
    let output = machine.run(&arguments, "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let page = stdout(&output);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{page}");
    assert!(page.contains("The pool size of checkout is 20"), "{page}");
    assert!(page.contains("✓ grounded"), "{page}");
    assert!(!page.contains("hunter22") && page.contains("Secrets and personal data"), "{page}");
    let unredacted = machine.run(&[&arguments[..], &["--unredacted"]].concat(), "");
    let unredacted_page = stdout(&unredacted);
    assert!(!unredacted_page.contains("Secrets and personal data"), "{unredacted_page}");
    assert!(page.contains("pool.txt") && page.contains("<mark>"), "{page}");
    assert!(page.contains("tau_proceed"), "{page}");
    for extra_arguments in
        [&["--output", "json"][..], &["--explain"], &["--only", "grounded"], &["--evidence", "x"]]
    {
        let output = machine.run(&[&arguments[..], extra_arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{extra_arguments:?}");
        assert_eq!(stdout(&output), "");
    }
    let show_unknown =
        machine.run(&["ledger", "show", "nothing", "--html", "--data-dir", records], "");
    assert_eq!(
        (show_unknown.status.code(), stdout(&show_unknown)),
        (Some(1), ""),
        "{}",
        stderr(&show_unknown)
    );
    machine.assert_no_leftovers();
}

#[test]
fn documents_are_redacted_by_default() {
    let machine = Machine::new();
    let folder = machine.folder.path();
    let (report, evidence) = (folder.join("report.md"), folder.join("pool.txt"));
    fs::write(&report, "The pool is at postgres://shop:hunter22@db/orders. Why?\n").unwrap();
    fs::write(&evidence, "pool: postgres://shop:hunter22@db/orders\n").unwrap();
    let arguments =
        ["evaluate", report.to_str().unwrap(), "--evidence", evidence.to_str().unwrap()];
    for format in ["markdown", "junit"] {
        let arguments = [&arguments[..], &["--output", format]].concat();
        let redacted = machine.run(&arguments, "");
        assert!(
            stdout(&redacted).contains("@db/orders"),
            "{}{}",
            stdout(&redacted),
            stderr(&redacted)
        );
        assert!(!stdout(&redacted).contains("hunter22"), "{}", stdout(&redacted));
        let unredacted = machine.run(&[&arguments[..], &["--unredacted"]].concat(), "");
        assert!(stdout(&unredacted).contains("hunter22"), "{}", stdout(&unredacted));
    }
    let misplaced = machine.run(&[&arguments[..], &["--unredacted"]].concat(), "");
    assert_eq!(misplaced.status.code(), Some(2), "{}", stderr(&misplaced));
    let terminal = machine.run(&arguments, "");
    assert!(stdout(&terminal).contains("hunter22"), "terminal output is not redacted");
    machine.assert_no_leftovers();
}

#[test]
fn console_is_opened_in_the_browser() {
    let machine = Machine::new();
    let programs = machine.folder.path().join("programs");
    let opened = machine.folder.path().join("opened");
    fs::create_dir(&programs).unwrap();
    let install_opener = |last_line: &str| {
        for name in ["xdg-open", "open"] {
            let script =
                format!("#!/bin/sh\nprintf %s \"$1\" > '{}'\n{last_line}\n", opened.display());
            let path = programs.join(name);
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let console = format!("http://{}/console/", listener.local_addr().unwrap());
    let run = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        command.env("GSAR_CONSOLE", &console).env("PATH", &programs).output().unwrap()
    };
    let expected = format!("{console}#/evaluations/0197%2Fab");

    install_opener("exit 0");
    let opened_output = run(&["open", "0197/ab"]);
    assert_eq!(opened_output.status.code(), Some(0), "{}", stderr(&opened_output));
    assert_eq!(stdout(&opened_output), format!("{expected}\n"));
    assert_eq!(fs::read_to_string(&opened).unwrap(), expected);
    let printed = run(&["open", "--print"]);
    assert_eq!(stdout(&printed), format!("{console}#/evaluations\n"));
    assert_eq!(fs::read_to_string(&opened).unwrap(), expected, "printing opens nothing");

    // Without a browser, the URL is only printed.
    install_opener("exit 3");
    let failed_output = run(&["open", "0197/ab"]);
    assert_eq!(
        (failed_output.status.code(), stdout(&failed_output)),
        (Some(2), format!("{expected}\n").as_str())
    );
    assert!(
        stderr(&failed_output).contains("open the URL above yourself"),
        "{}",
        stderr(&failed_output)
    );

    fs::remove_file(&opened).unwrap();
    drop(listener);
    let closed_output = run(&["open"]);
    assert_eq!((closed_output.status.code(), stdout(&closed_output)), (Some(2), ""));
    let message = stderr(&closed_output);
    assert!(message.contains(&format!("no console is responding at {console}\n")), "{message}");
    assert!(message.contains("gateway.console = true") && !opened.exists(), "{message}");
}

#[test]
fn grades_are_recorded_and_exported() {
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let records = records.to_str().unwrap();
    let [true_answer, false_answer] = record_two_evaluations(&machine, records);
    let run = |arguments: &[&str]| {
        let output = machine.run(&[arguments, &["--data-dir", records]].concat(), "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        output
    };
    let (id, claim) = (false_answer.evaluation_id.as_str(), false_answer.claims[0].id.as_str());
    let by_ada = ["--grader", "ada", "--note", "as configured"];
    run(&[&["ledger", "grade", id, "--claim", claim, "--as", "contradicted"][..], &by_ada].concat());
    run(&[&["ledger", "grade", id, "--tier", "replan"][..], &by_ada].concat());
    let shown = run(&["ledger", "show", id]);
    let lines: Vec<_> = stdout(&shown).lines().take(2).collect();
    assert!(lines[0].starts_with("report: ") && lines[0].ends_with("graded by ada: as configured"));
    assert!(lines[1].starts_with(&format!("{claim}: ")), "{lines:?}");
    // A unique prefix of an id is sufficient.
    let (first_id, second_id) =
        (true_answer.evaluation_id.as_str(), false_answer.evaluation_id.as_str());
    let common_length = first_id.bytes().zip(second_id.bytes()).take_while(|(a, b)| a == b).count();
    let grade = [
        "ledger",
        "grade",
        second_id.split_at(common_length + 1).0,
        "--tier",
        "replan",
        "--data-dir",
        records,
    ];
    let output = machine.run(&grade, "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let expected = format!(
        "graded the report as replan, by uid {}: evaluation {id}\n",
        rustix::process::getuid().as_raw()
    );
    assert_eq!(stdout(&output), expected);
    let ambiguous = machine
        .run(&["ledger", "show", first_id.split_at(common_length).0, "--data-dir", records], "");
    assert_eq!(ambiguous.status.code(), Some(2));
    assert!(stderr(&ambiguous).contains("is ambiguous: it matches "), "{}", stderr(&ambiguous));
    let grade_unknown_claim =
        ["ledger", "grade", id, "--claim", "c9", "--as", "grounded", "--grader", "ada"];
    let output = machine.run(&[&grade_unknown_claim[..], &["--data-dir", records]].concat(), "");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("\"c9\" is not a claim of the evaluation"),
        "{}",
        stderr(&output)
    );
    let list = run(&["ledger", "list", "--graded"]);
    assert!(stdout(&list).trim_end().ends_with(id) && stdout(&list).lines().count() == 1);

    let grades = run(&["ledger", "export", "--kind", "grades"]);
    let lines: Vec<v1::GradeRecord> =
        stdout(&grades).lines().map(|line| gsar_client::json::from_json(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().any(|line| line.evaluated_class() == false_answer.claims[0].class()));
    assert!(
        stderr(&grades).contains("exported 3 records; continue with --after 0101"),
        "{}",
        stderr(&grades)
    );
    let token = stderr(&grades).split_whitespace().find(|word| word.starts_with("0101")).unwrap();
    let remaining = run(&["ledger", "export", "--kind", "grades", "--after", token]);
    assert_eq!(stdout(&remaining), "");

    let preferences = run(&["ledger", "export", "--kind", "preferences"]);
    let pair: v1::PreferenceRecord = gsar_client::json::from_json(stdout(&preferences)).unwrap();
    let id_of = |report: &Option<v1::PairedReport>| {
        report.as_ref().unwrap().evaluation.as_ref().unwrap().evaluation_id.clone()
    };
    assert_eq!(
        [id_of(&pair.chosen), id_of(&pair.rejected)],
        [true_answer.evaluation_id, false_answer.evaluation_id]
    );
    machine.assert_no_leftovers();
}

#[test]
fn exported_file_appears_when_complete() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let records = records.to_str().unwrap();
    let evaluations = record_two_evaluations(&machine, records);
    let folder = machine.folder.path().join("out");
    fs::create_dir(&folder).unwrap();
    let file = folder.join("claims");
    let target = file.to_str().unwrap();
    let export = |flags: &[&str]| {
        let fixed_arguments = ["ledger", "export", "--kind", "claim-rewards", "--to", target];
        machine.run(&[&fixed_arguments[..], flags, &["--data-dir", records]].concat(), "")
    };
    let failed = export(&["--after", "0101"]);
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
    assert!(fs::read_dir(&folder).unwrap().next().is_none(), "no partial file remains");

    let json_lines = export(&[]);
    assert_eq!(
        (json_lines.status.code(), stdout(&json_lines)),
        (Some(0), ""),
        "{}",
        stderr(&json_lines)
    );
    let contents = fs::read_to_string(&file).unwrap();
    let claims: Vec<v1::ClaimRewardRecord> =
        contents.lines().map(|line| gsar_client::json::from_json(line).unwrap()).collect();
    let texts: Vec<_> = claims.iter().map(|claim| claim.text.as_str()).collect();
    let expected: Vec<_> = evaluations.iter().map(|entry| entry.claims[0].text.as_str()).collect();
    assert_eq!(texts, expected);

    let parquet = export(&["--format", "parquet"]);
    assert_eq!(parquet.status.code(), Some(0), "{}", stderr(&parquet));
    let reader = SerializedFileReader::new(fs::File::open(&file).unwrap()).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let cell = |row: &parquet::record::Row, name: &str| {
        let entry = row.get_column_iter().find(|(column, _)| *column == name);
        entry.unwrap().1.to_string()
    };
    assert_eq!(rows.len(), 2);
    for (row, claim) in rows.iter().zip(&claims) {
        assert_eq!(cell(row, "claim_text"), format!("\"{}\"", claim.text));
        assert_eq!(cell(row, "reward_millionths"), claim.reward_millionths.to_string());
        assert_eq!(cell(row, "class"), format!("\"{}\"", claim.class().as_str_name()));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file remains");
    machine.assert_no_leftovers();
}

#[test]
fn reports_and_flags_can_be_mixed() {
    let machine = Machine::new();
    let report = incident("checkout-oom/reports/faithful.md");
    let evidence = incident("checkout-oom/evidence");
    let report_first = machine.run(&["evaluate", &report, "--evidence", &evidence], "");
    let report_last = machine.run(&["evaluate", "--evidence", &evidence, &report], "");
    assert_eq!(stdout(&report_first), stdout(&report_last), "{}", stderr(&report_last));
    assert_eq!(report_first.status.code(), report_last.status.code());
}

#[test]
fn closed_pipe_is_not_an_error() {
    let machine = Machine::new();
    let report = incident("checkout-oom/reports/faithful.md");
    let evidence = incident("checkout-oom/evidence");
    let evaluate = ["evaluate", &report, "--evidence", &evidence];
    let exit_code = machine.run(&evaluate, "").status.code();
    for (arguments, status) in [
        (&["policy", "show", "strict"][..], Some(0)),
        (&["policy", "list"], Some(0)),
        (&["completions", "bash"], Some(0)),
        (&evaluate, exit_code),
    ] {
        let mut child = machine.command(arguments).spawn().unwrap();
        // Close the pipe before the command writes.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), status, "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("error"), "{arguments:?}: {}", stderr(&output));
    }
    machine.assert_no_leftovers();
}

#[test]
fn doctor_reports_a_damaged_ledger_with_a_fix() {
    let machine = Machine::new();
    let records = machine.folder.path().join("records");
    let arguments = ["doctor", "--data-dir", records.to_str().unwrap()];
    let valid = machine.run(&arguments, "");
    assert!(valid.status.success(), "{}", stdout(&valid));
    assert!(stdout(&valid).contains("are valid"), "{}", stdout(&valid));

    let database = records.join("ledger.sqlite3");
    let mut bytes = fs::read(&database).unwrap();
    bytes.get_mut(4_096..8_192).unwrap().fill(0xa5);
    fs::write(&database, bytes).unwrap();
    let damaged = machine.run(&arguments, "");
    assert_eq!(damaged.status.code(), Some(1), "{}", stdout(&damaged));
    let report = stdout(&damaged).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("ledger.sqlite3 is damaged"), "{report}");
    assert!(report.contains("restore a backup"), "{report}");
}

#[test]
fn ledger_commands_require_a_server_or_a_data_directory() {
    let machine = Machine::new();
    let output = machine.run(&["ledger", "list"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--data-dir"), "{}", stderr(&output));
}

#[test]
fn online_and_offline_scores_agree() {
    let machine = Machine::new();
    let mut input = String::new();
    let types = [
        "tool_match",
        "specific_data",
        "signal_match",
        "complementary_finding",
        "synthesis",
        "neg_evidence",
        "inference",
        "domain",
    ];
    let mut state = 1_u64;
    let mut next = |below: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % below).unwrap()
    };
    for number in 0..600 {
        let mut lists = Vec::new();
        for class in ["grounded", "ungrounded", "contradicted", "complementary"] {
            let list: Vec<String> =
                (0..next(6)).map(|_| format!("\"{}\"", types[next(8)])).collect();
            lists.push(format!("\"{class}\":[{}]", list.join(",")));
        }
        let policy = ["paper", "reference", "strict"][next(3)];
        let overrides = match next(6) {
            0 => format!(
                ",\"rho\":{}",
                ["0", "0.5", "2", "10", "11", "0.000001", "1e-3", "-0", "\"1\""][next(9)]
            ),
            1 => format!(
                ",\"tau_proceed\":{}",
                ["0.9", "0.65", "0.650001", "1", "1.1", "0.1234567"][next(6)]
            ),
            2 => format!(",\"tau_regenerate\":{}", ["0.5", "0.8", "0.7999", "0"][next(4)]),
            3 => format!(
                ",\"weights\":{{\"domain\":{}}}",
                ["0", "0.123456", "1", "1.000001"][next(4)]
            ),
            _ => String::new(),
        };
        let lists = lists.join(",");
        input.push_str(&format!(
            "{{\"id\":{{\"n\": {number}}},{lists},\"policy\":\"{policy}\"{overrides}}}\n"
        ));
    }
    input.push_str("\n{\"policy\":\"unheard-of\"}\n{\"id\":null}\nnonsense\n{\"grounded\":[],\"grounded\":[]}\n");
    let offline = machine.run(&["score", "--offline"], &input);
    let online = machine.run(&["score"], &input);
    assert_eq!(online.status.code(), Some(1), "{}", stderr(&online));
    // Only the server compares policies with its default.
    let with_markers = stdout(&online);
    assert!(with_markers.contains(",\"hypothetical\":true}"), "{with_markers}");
    let without_markers = with_markers.replace(",\"hypothetical\":true}", "}");
    for (line, (offline, online)) in
        stdout(&offline).lines().zip(without_markers.lines()).enumerate()
    {
        assert_eq!(offline, online, "answer {line}");
    }
    assert_eq!(stdout(&offline), without_markers);
    assert_eq!(offline.status, online.status);
    let decided_count =
        stdout(&online).lines().filter(|line| line.contains("\"decision\"")).count();
    assert!(decided_count > 400, "{decided_count} of 604 lines are decided");
    machine.assert_no_leftovers();
}

#[test]
fn score_gate_cap_and_doctor_work_with_a_temporary_server() {
    let machine = Machine::new();
    let request = r#"{"counts":{"counts":[{"class":"CLAIM_CLASS_GROUNDED","type":"EVIDENCE_TYPE_TOOL_MATCH","count":4},{"class":"CLAIM_CLASS_UNGROUNDED","type":"EVIDENCE_TYPE_TOOL_MATCH","count":1}]},"policy":"paper"}"#;
    let score_output = machine.run(&["score", "--request", "-", "--output", "json"], request);
    let answer: v1::ScoreResponse = gsar_client::json::from_json(stdout(&score_output)).unwrap();
    assert_eq!(answer.score.map(|score| (score.numerator, score.denominator)), Some((4, 5)));
    let score_text = machine.run(&["score", "--request", "-"], request);
    assert!(
        stdout(&score_text).ends_with("PROCEED   the report may be sent\n"),
        "{}",
        stdout(&score_text)
    );

    let gate = machine.run(&["gate", "--output", "json"], r#"{"turnsUsed": 10}"#);
    let answer: v1::EvaluateGateResponse = gsar_client::json::from_json(stdout(&gate)).unwrap();
    assert_eq!(answer.gate.unwrap().state(), v1::GateState::BudgetExhausted);
    assert_eq!(gate.status.code(), Some(0));

    let cap = machine.run(&["cap", "0.9", "--strength", "partially-grounded"], "");
    assert!(stdout(&cap).contains("0.9 → 0.84"), "{}{}", stdout(&cap), stderr(&cap));
    let doctor = machine.run(&["doctor"], "");
    assert!(doctor.status.success(), "{}", stdout(&doctor));
    assert!(
        stdout(&doctor).contains("rules/2 judged the test report correctly"),
        "{}",
        stdout(&doctor)
    );
    let report = stdout(&doctor).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("rules/2 is used instead of local/1"), "{report}");
    assert!(report.contains("set evidence.onnxruntime"), "{report}");
    machine.assert_no_leftovers();
}

#[test]
fn violations_are_shown_field_by_field() {
    let machine = Machine::new();
    let request =
        r#"{"report":{"id":"r","claims":[{"id":"c1","text":"a"},{"id":"c1","text":""}]}}"#;
    let output = machine.run(&["evaluate", "--request", "-"], request);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.starts_with("error: Evaluate: the server rejected "), "{message}");
    assert!(message.contains("\n  report.claims[1]."), "{message}");
    assert!(message.contains("reason INVALID_FIELDS"), "{message}");
    machine.assert_no_leftovers();
}

fn start_waiting_score(machine: &Machine) -> (Child, std::process::ChildStdin) {
    let mut child = machine.command(&["score"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{{\"id\":1}}").unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.starts_with("{\"id\":1,"), "{answer}");
    (child, input)
}

#[test]
fn signal_stops_the_command_and_its_server() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let machine = Machine::new();
        let (mut child, input) = start_waiting_score(&machine);
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(status));
        drop(input);
        machine.assert_no_leftovers();
    }
}
