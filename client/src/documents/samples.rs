//! Tests the documents with snapshots, independent parsers and hostile text.

use gsar_client::ClientError;
use gsar_proto::v1;
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::safe_markdown::{code, prose};
use super::{Rejection, ReportResult, junit, markdown};
use crate::human::{Explain, samples};

const HOSTILE: &str = "a|b \\| `c` ``d`` | <b>e</b> &lt; <!-- ]]> --> [f](http://g.example) ![h](i.png) @owner/team #12 GH-12 owner/repo#3 https://j.example www.k.example l@m.example 7b84d6c9d5a0 $x^2$ :tada: ~~n~~ **o** _p_ \u{0}\u{1b}[31mq\u{fffe}\n# r\n- [ ] s\n|---|\n&#64;t";

fn report_result(id: &str, answer: Result<v1::EvaluateResponse, Rejection>) -> ReportResult {
    let report = v1::Report { id: id.to_owned(), ..samples::report() };
    let request = v1::EvaluateRequest {
        report: Some(report),
        evidence: samples::evidence(),
        ..Default::default()
    };
    ReportResult { request, answer }
}

/// Returns four reports: one is held, one proceeds, one has a failed judge, and one is rejected.
fn sample_reports() -> Vec<ReportResult> {
    let mut proceeds = samples::answer();
    proceeds.claims.truncate(1);
    proceeds.decision = Some(v1::Decision { tier: v1::Tier::Proceed.into(), ..Default::default() });
    let failed = samples::without_score(
        v1::Outcome::Failed,
        "JUDGE_FAILED",
        "the judge failed: every judge in the chain failed",
    );
    let rejection = Rejection {
        code: "INVALID_FIELDS".to_owned(),
        message: "Evaluate: the server rejected 1 field\n  report.claims[1].id  duplicate id `c1`\n  reason INVALID_FIELDS".to_owned(),
    };
    vec![
        report_result("checkout-oom", Ok(samples::full_answer())),
        report_result("quiet-night", Ok(proceeds)),
        report_result("checkout-oom", Ok(failed)),
        report_result("", Err(rejection)),
    ]
}

fn hostile_result() -> ReportResult {
    let mut answer = samples::full_answer();
    answer.evaluation_id = HOSTILE.to_owned();
    for claim in &mut answer.claims {
        claim.text = HOSTILE.to_owned();
        claim.note = HOSTILE.to_owned();
        claim.citations = vec![samples::citation(HOSTILE, HOSTILE, HOSTILE)];
    }
    if let Some(decision) = &mut answer.decision {
        decision.reasons = vec![v1::Reason {
            code: HOSTILE.to_owned(),
            sentence: HOSTILE.to_owned(),
            ..Default::default()
        }];
    }
    answer.warnings = vec![v1::Reason { sentence: HOSTILE.to_owned(), ..Default::default() }];
    let mut result = report_result(HOSTILE, Ok(answer));
    if let Some(report) = &mut result.request.report {
        report.synthesis = HOSTILE.repeat(3);
    }
    result
}

fn view() -> crate::human::View {
    samples::view(80, Explain::Briefly)
}

#[test]
fn writes_junit_for_several_reports() {
    insta::assert_snapshot!(junit(&sample_reports(), &view(), false).unwrap());
}

#[test]
fn undecided_claims_are_skipped() {
    let report =
        junit(&[report_result("r1", Ok(samples::undecided_answer()))], &view(), false).unwrap();
    assert!(report.contains("skipped=\"3\""), "a complementary claim as well: {report}");
    let skipped = "<skipped message=\"undecided\"/>";
    assert_eq!(report.matches(skipped).count(), 2, "{report}");
}

#[test]
fn ungrounded_claims_fail_if_held_or_strict() {
    let ungrounded_failures = |tier: v1::Tier, strict| {
        let mut answer = samples::undecided_answer();
        for claim in &mut answer.claims {
            claim.set_class(v1::ClaimClass::Ungrounded);
            claim.undecided = None;
        }
        answer.decision.get_or_insert_default().set_tier(tier);
        let document = junit(&[report_result("r1", Ok(answer))], &view(), strict).unwrap();
        document.matches("type=\"UNGROUNDED\"").count()
    };
    let claims = samples::undecided_answer().claims.len();
    assert_eq!(ungrounded_failures(v1::Tier::Proceed, false), 0);
    assert_eq!(ungrounded_failures(v1::Tier::Proceed, true), claims);
    assert_eq!(ungrounded_failures(v1::Tier::Regenerate, false), claims);
}

#[test]
fn writes_markdown_for_several_reports() {
    insta::assert_snapshot!(markdown(&sample_reports(), &view()));
}

#[test]
fn writes_markdown_for_hostile_text() {
    insta::assert_snapshot!(markdown(&[hostile_result()], &view()));
}

#[test]
fn unreachable_server_has_an_error_code() {
    let endpoint = "unix:///run/gsar.sock".parse().unwrap();
    let error = ClientError::Unreachable { endpoint, reason: "gone".to_owned() };
    assert_eq!(Rejection::from(&error).code, "UNREACHABLE");
}

#[test]
fn shadow_decision_passes() {
    let mut answer = samples::full_answer();
    let decision = answer.decision.replace(v1::Decision {
        tier: v1::Tier::Proceed.into(),
        in_shadow: true,
        ..Default::default()
    });
    answer.shadow.get_or_insert_default().decision = decision;
    let text = junit(&[report_result("r", Ok(answer))], &view(), false).unwrap();
    let decision = text.split("name=\"decision\"").nth(1).unwrap();
    assert!(decision.contains("<system-out>SHADOW: not enforced"), "{text}");
    assert!(!decision.contains("<failure"), "{text}");
}

/// Prints the counts and the names of the suites, as parsed by Python.
const PYTHON_SUMMARY: &str = r#"
import sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
assert root.tag == "testsuites", root.tag
for suite in root:
    cases = suite.findall("testcase")
    count = lambda tag: sum(len(case.findall(tag)) for case in cases)
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == count("failure")
    assert int(suite.get("errors")) == count("error")
    assert {case.get("classname") for case in cases} == {suite.get("name")}
    print(suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("name"))
total = lambda name: sum(int(suite.get(name)) for suite in root)
assert all(int(root.get(name)) == total(name) for name in ("tests", "failures", "errors"))
"#;

/// Returns the output of [`PYTHON_SUMMARY`], or `None` if Python is not installed.
fn read_by_python(document: &str) -> Option<String> {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut python = Command::new("python3")
        .args(["-c", PYTHON_SUMMARY])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    python.stdin.take()?.write_all(document.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns the texts and attribute values in a document.
fn read_by_quick_xml(document: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(document);
    let mut texts = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return texts,
            Event::Text(text) => texts.push(text.to_string()),
            Event::Start(element) | Event::Empty(element) => {
                texts.extend(
                    element.attributes().map(|attribute| attribute.unwrap().value.to_string()),
                );
            }
            _ => {}
        }
    }
}

#[test]
fn other_xml_parsers_agree() {
    let document = junit(&sample_reports(), &view(), false).unwrap();
    if let Some(lines) = read_by_python(&document) {
        assert_eq!(
            lines,
            "5 3 0 checkout-oom\n2 0 0 quiet-night\n1 0 1 checkout-oom (2)\n1 0 1 report\n"
        );
    }
    let document = junit(&[hostile_result()], &view(), false).unwrap();
    if let Some(lines) = read_by_python(&document) {
        assert!(lines.starts_with("5 3 0 a|b \\| `c` ``d`` | <b>e</b>"), "{lines}");
    }
    for text in read_by_quick_xml(&document) {
        assert!(!text.contains(['<', '\u{0}', '\u{1b}', '\u{fffe}']), "{text:?}");
    }
}

/// Returns the text of a Markdown document, or an error if it contains markup.
fn parsed_text(markdown: &str) -> Result<String, String> {
    let mut text = String::new();
    // Smart punctuation would change quotation marks.
    let extensions = Options::all() - Options::ENABLE_SMART_PUNCTUATION;
    for event in Parser::new_ext(markdown, extensions) {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::Start(Tag::Paragraph | Tag::Table(_) | Tag::TableHead | Tag::TableRow)
            | Event::End(_) => {}
            Event::Start(Tag::TableCell) => text.push('\u{1}'),
            other => return Err(format!("{other:?} in {markdown:?}")),
        }
    }
    Ok(text)
}

#[test]
fn hostile_text_adds_no_markup() {
    let document = markdown(&[hostile_result()], &view());
    let mut cells = 0;
    for event in Parser::new_ext(&document, Options::all()) {
        match event {
            Event::Start(Tag::TableCell) => cells += 1,
            Event::Start(
                Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::HtmlBlock
                | Tag::Emphasis
                | Tag::Strikethrough
                | Tag::FootnoteDefinition(_)
                | Tag::CodeBlock(_)
                | Tag::BlockQuote(_),
            )
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::HardBreak => panic!("{event:?} in {document}"),
            _ => {}
        }
    }
    assert_eq!(cells, 4 * 5, "{document}");
}

#[test]
fn linkable_words_become_code() {
    for word in [
        "@owner",
        "(@owner)",
        "#12",
        "GH-12",
        "OPS-4711",
        "owner/repo#3",
        "https://a.example/b",
        "www.a.example",
        "a@b.example",
        "7b84d6c9d5",
        "$x$",
        ":tada:",
        ":+1:",
        ":100:",
        "!12",
        "~bug",
        "%v1",
        "&4",
        "[issue:3]",
        "~\"bug\"",
        "[^1]",
        "events.txt",
    ] {
        assert_eq!(prose(word), format!("`{word}`"));
    }
    for word in
        ["14:02", "c2:", "0.541", "93.4", "10.0.0.1", "sha-256", "2026-03-12", "c1,", "%\","]
    {
        assert_eq!(prose(word), word);
    }
    assert_eq!(code("a|b"), "`a`&#124;`b`");
    assert_eq!(code("`a``b "), "``` `a``b ```");
    assert_eq!((prose(""), code(" ")), (String::new(), String::new()));
}

proptest! {
    #[test]
    fn text_is_preserved(text in "[a-c`|\\\\*_<>&;!~#$@:.\\[\\]()\\-+=^\"'/ \n0-9\u{1b}é]{0,40}") {
        let expected = gsar_client::text::one_line(&text);
        for formatted in [prose(&text), code(&text)] {
            // In documents, text never starts a line.
            let line = parsed_text(&format!("x {formatted} x")).map_err(TestCaseError::fail)?;
            let expected_line = if expected.is_empty() { "x  x".to_owned() } else { format!("x {expected} x") };
            prop_assert_eq!(&line, &expected_line);
            let table = format!("| a | b |\n|---|---|\n| {formatted} | y |");
            let cells = parsed_text(&table).map_err(TestCaseError::fail)?;
            prop_assert_eq!(cells, format!("\u{1}a\u{1}b\u{1}{expected}\u{1}y"));
        }
    }

    #[test]
    fn any_text_is_valid_xml(text in any::<String>()) {
        let mut answer = samples::answer();
        for claim in &mut answer.claims {
            claim.id.clone_from(&text);
            claim.note.clone_from(&text);
        }
        let document = junit(&[report_result(&text, Ok(answer))], &view(), false).unwrap();
        for value in read_by_quick_xml(&document) {
let is_forbidden = |c: char| c != '\t' && c != '\n' && c != '\r' && (c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}'));
            prop_assert!(!value.contains(is_forbidden), "{}", value);
        }
    }
}
