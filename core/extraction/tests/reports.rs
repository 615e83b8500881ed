//! Tests how reports are split into assertions, and that each visible byte is either in a claim or uncovered for a
//! reason.

use std::path::{Path, PathBuf};

use gsar_extraction::budget::Budget;
use gsar_extraction::report::{self, ClaimKind, Document, Reason, merge_ranges, subtract, visible};
use gsar_extraction::text::sentences::MAX_SENTENCE;
use proptest::prelude::*;

fn texts(report: &str) -> Vec<(ClaimKind, String)> {
    let assertions = Document::parse(report, &[], &Budget::unlimited()).assertions;
    assertions
        .into_iter()
        .map(|assertion| (assertion.kind, assertion.text.text().to_owned()))
        .collect()
}

fn statements(report: &str) -> Vec<String> {
    texts(report)
        .into_iter()
        .filter(|(kind, _)| *kind == ClaimKind::Statement)
        .map(|(_, text)| text)
        .collect()
}

fn uncovered<'r>(report: &'r str, evidence: &[&str], reason: Reason) -> Vec<&'r str> {
    let document = Document::parse(report, evidence, &Budget::unlimited());
    let with_reason = document.uncovered.into_iter().filter(|uncovered| uncovered.reason == reason);
    with_reason.map(|uncovered| &report[uncovered.span]).collect()
}

/// Asserts that assertions and uncovered spans are disjoint and cover all visible bytes.
fn check_spans(report: &str) {
    let document = Document::parse(report, &[], &Budget::unlimited());
    let claimed_spans =
        merge_ranges(document.assertions.iter().map(|assertion| assertion.span.clone()).collect());
    let mut end = 0;
    for uncovered in &document.uncovered {
        assert!(
            uncovered.span.start >= end && !uncovered.span.is_empty(),
            "{report:?} {uncovered:?}"
        );
        assert_ne!(uncovered.reason, Reason::NotJudged, "{report:?} {uncovered:?}");
        end = uncovered.span.end;
    }
    let uncovered_spans =
        merge_ranges(document.uncovered.iter().map(|uncovered| uncovered.span.clone()).collect());
    assert_eq!(subtract(&claimed_spans, &uncovered_spans), claimed_spans, "{report:?}");
    let all_spans: Vec<_> = claimed_spans.iter().chain(&uncovered_spans).cloned().collect();
    assert_eq!(subtract(&visible(report), &merge_ranges(all_spans)), Vec::new(), "{report:?}");
    for assertion in &document.assertions {
        assert!(
            report.get(assertion.span.clone()).is_some_and(|text| !text.is_empty()),
            "{report:?}"
        );
        assert_eq!(ClaimKind::classify(assertion.text.text()), assertion.kind, "{report:?}");
    }
    for uncovered in
        document.uncovered.iter().filter(|uncovered| uncovered.reason == Reason::Markup)
    {
        let text = &report[uncovered.span.clone()];
        let letter_count = text.chars().filter(|c| c.is_alphanumeric()).count();
        assert!(letter_count < 24, "{report:?} {text:?}");
    }
}

#[test]
fn converts_blocks_to_assertions() {
    let report = "# Root cause\n\npayments-db\n\n**Impact:** 5 % of requests failed.\n- *The pool was exhausted*\n  at 14:02.\n2. `checkout` restarted 3 times\n> p99 rose.\n\n| pod | restarts |\n|---|---|\n| a-1 | 4 |\n\nWhy did it happen?\n\n## Next steps\n1. Increase the provisioned memory.\n- [ ] Add an alert.\n**Details**\n";
    let expected = [
        (ClaimKind::Statement, "Root cause: payments-db"),
        (ClaimKind::Statement, "5 % of requests failed."),
        (ClaimKind::Statement, "The pool was exhausted at 14:02."),
        (ClaimKind::Statement, "`checkout` restarted 3 times"),
        (ClaimKind::Statement, "p99 rose."),
        (ClaimKind::Statement, "pod: a-1; restarts: 4"),
        (ClaimKind::Question, "Why did it happen?"),
        (ClaimKind::Proposal, "Action: Increase the provisioned memory."),
        (ClaimKind::Proposal, "Add an alert."),
        (ClaimKind::Proposal, "Action: Details"),
    ];
    assert_eq!(texts(report), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn parses_html_table_rows() {
    let report = "<table>\n<tr><th>pod</th><th>state</th></tr>\n<tr><td>node wk-4</td><td><p>was down</p></td></tr>\n</table>\n";
    assert_eq!(statements(report), ["pod: node wk-4; state: was down"]);
    assert_eq!(uncovered(report, &[], Reason::ColumnHeader), ["pod", "state"]);
    assert_eq!(statements("<td>node wk-4<td>failed twice"), ["node wk-4; failed twice"]);
}

#[test]
fn joins_labels_with_their_text() {
    for (report, expected) in [
        ("## Root cause: payments-db\n", vec!["Root cause: payments-db"]),
        ("## Root cause\n\n```\npayments-db\n```\n", vec!["Root cause: payments-db"]),
        ("Root cause\n==========\n\n> payments-db\n", vec!["Root cause: payments-db"]),
        ("**Root cause:** payments-db", vec!["Root cause: payments-db"]),
        (
            "Affected services:\n\n- payments\n- checkout\n",
            vec!["Affected services: payments", "Affected services: checkout"],
        ),
        (
            "The following pods restarted:\n- a-1\n- b-2\n",
            vec!["The following pods restarted: a-1", "The following pods restarted: b-2"],
        ),
        (
            "**Payments-db is down:** 5 % of requests failed.",
            vec!["Payments-db is down: 5 % of requests failed."],
        ),
        ("**4 TB gone:**\n", vec!["4 TB gone"]),
        ("**What was lost.** 4 TB of orders.\n", vec!["What was lost: 4 TB of orders."]),
        (
            "## Timeline (local, UTC-7)\n\n- 14:02 restart of a-1\n",
            vec!["Timeline (local, UTC-7)", "14:02 restart of a-1"],
        ),
        (
            "# INC-7: logins fail\n\nCommander: Priya\n\nPayments-db\n",
            vec!["INC-7: logins fail", "Commander: Priya", "INC-7: logins fail: Payments-db"],
        ),
        ("# Payments-db\n\nLoss: 4 TB\n", vec!["Payments-db: Loss: 4 TB"]),
        ("## Checks\n\nThe disk? 4 TB gone.\n", vec!["The disk?: 4 TB gone."]),
        ("Severity\n: SEV1\n", vec!["Severity: SEV1"]),
        (
            "---\nseverity: SEV1\ncause: payments-db\n---\n\nText is here.\n",
            vec!["severity: SEV1", "cause: payments-db", "Text is here."],
        ),
    ] {
        assert_eq!(statements(report), expected, "{report}");
    }
}

#[test]
fn asserts_all_visible_text() {
    const LIE: &str = "payments-db lost 4 TB";
    for report in [
        "# payments-db lost 4 TB\n",
        "payments-db lost 4 TB\n===\n",
        "- payments-db lost 4 TB\n",
        "> > - payments-db lost 4 TB\n",
        "| a | b |\n|---|---|\n| x | payments-db lost 4 TB |\n",
        "| payments-db lost 4 TB | b |\n|---|---|\n| x | y |\n",
        "| payments-db lost 4 TB | b |\n|---|---|\n",
        "```\npayments-db lost 4 TB\n```\n",
        "```payments-db lost 4 TB\nok\n```\n",
        "    payments-db lost 4 TB\n",
        "<!-- payments-db lost 4 TB -->\n",
        "Fine. <!-- payments-db lost 4 TB -->\n",
        "<details><summary>payments-db lost 4 TB</summary>x</details>\n",
        "<p title=\"payments-db lost 4 TB\">x</p>\n",
        "<custom payments-db lost 4 TB>\n",
        "<table><tr><td>payments-db lost 4 TB</td></tr></table>\n",
        "![payments-db lost 4 TB](a.png)\n",
        "![a](a.png \"payments-db lost 4 TB\")\n",
        "[x](http://a \"payments-db lost 4 TB\")\n",
        "[x][1]\n\n[1]: http://a \"payments-db lost 4 TB\"\n",
        "[payments-db lost 4 TB]: http://a\n",
        "Text[^1].\n\n[^1]: payments-db lost 4 TB\n",
        "pay<b></b>ments-db lo**st** 4&#32;TB\n",
        "payments&#45;db l&#111;st 4 TB\n",
        "payments\\-db lost 4 TB\n",
        "~~payments-db lost 4 TB~~\n",
        "pay\u{200b}ments-db lo\u{2060}st 4 TB\n",
        "\u{202e}BT 4 tsol bd-stnemyap\u{202c}\n",
        "ｐａｙｍｅｎｔｓ-ｄｂ ｌｏｓｔ ４ ＴＢ\n",
        "pаyments-db lоst 4 TB\n",
        "payments-db lost 4 TB, did it not?\n",
        "Restore the payments-db that lost 4 TB.\n",
        "Cause\n: payments-db lost 4 TB\n",
        "1. payments-db lost 4 TB\n",
        "- [x] payments-db lost 4 TB\n",
        "---\ntitle: payments-db lost 4 TB\n---\n",
        "# payments-db lost 4 TB #\n",
        "***payments-db* lost 4 TB**\n",
        "> [!NOTE]\n> payments-db lost 4 TB\n",
        "$payments-db lost 4 TB$\n",
    ] {
        check_spans(report);
        let texts = texts(report);
        assert!(
            texts.iter().any(|(kind, text)| *kind == ClaimKind::Statement && text.contains(LIE)),
            "{report:?}: {texts:?}"
        );
    }
}

#[test]
fn labels_titles_and_links_need_no_claim() {
    let report = "# Incident report: checkout 5xx, 12 March 2026\n\n## 1. Timeline\n\n- The 5xx alert of checkout fired on 2026-03-12.\n\n```\n14:02:17 kernel: Memory cgroup out of memory\n14:02:18 ... pool exhausted\n```\n\n[dashboard](https://grafana.example/d/1)\n\nhttps://grafana.example/d/2\n";
    let log =
        "14:02:17 kernel: Memory cgroup out of memory\n14:02:18 app[1]: ERROR pool exhausted\n";
    assert_eq!(
        uncovered(report, &[log], Reason::Title),
        ["Incident", "report:", "checkout", "5xx,", "12", "March", "2026"]
    );
    assert_eq!(uncovered(report, &[log], Reason::Label), ["1.", "Timeline"]);
    assert_eq!(uncovered(report, &[log], Reason::Marker), ["-"]);
    assert!(uncovered(report, &[log], Reason::EvidenceLine).contains(&"kernel:"));
    assert_eq!(
        uncovered(report, &[log], Reason::LinkTarget),
        ["https://grafana.example/d/1", "https://grafana.example/d/2"]
    );
    let asserted: Vec<_> = Document::parse(report, &[log], &Budget::unlimited()).assertions;
    let asserted: Vec<&str> = asserted.iter().map(|assertion| assertion.text.text()).collect();
    assert_eq!(asserted, ["The 5xx alert of checkout fired on 2026-03-12.", "dashboard"]);
}

#[test]
fn truncated_lines_are_not_evidence_lines() {
    let log = "the job did not fail: disk full at 14:02";
    for truncated in [
        "fail: disk full at 14:02",
        "the job did ... fail: disk full at 14:01",
        "job did not fail: disk full at 14:02",
    ] {
        let report = format!("```\n{truncated}\n```\n");
        assert!(
            !Document::parse(&report, &[log], &Budget::unlimited()).assertions.is_empty(),
            "{truncated}"
        );
    }
    let json = "{\"restarts\": 42, \"phase\": \"Running\"}";
    assert!(
        Document::parse("```json\n\"phase\": \"Running\"\n```\n", &[json], &Budget::unlimited())
            .assertions
            .is_empty()
    );
    assert!(
        !Document::parse("```json\n\"restarts\": 4\n```\n", &[json], &Budget::unlimited())
            .assertions
            .is_empty()
    );
}

fn repository_reports() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.ends_with("target") {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut found = Vec::new();
    for folder in ["datasets", "docs"] {
        walk(&root.join(folder), &mut found);
    }
    walk(&root.join("../shared/data"), &mut found);
    found
}

#[test]
fn spans_of_repository_reports_are_valid() {
    let reports = repository_reports();
    assert!(reports.len() >= 48, "{}", reports.len());
    for path in reports {
        if let Ok(report) = std::fs::read_to_string(&path) {
            check_spans(&report);
        }
    }
}

const PIECES: &str = "(\\PC{0,4}|[A-Za-z0-9]{1,8} |payments-db lost 4 TB|\n|\n\n|# |## |- |1\\. |> |\\| |\\|---\\|\n|```|    |~~~|\\*\\*|_|`|<!-- | -->|<b>|</td>|<p title=\"|\"|\\[|\\]|\\]\\(http://a|\\)|!\\[|\\[\\^1\\]|: |\\?|\\. |&amp;|&#x41;|\\\\|---\n|===\n|\u{200b}|\u{202e}|\u{202c}|\\[x\\]: |\\$|\t|\r\n)";

fn pieces() -> impl Strategy<Value = String> {
    let piece = proptest::string::string_regex(PIECES).unwrap();
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {

    #[test]
    fn spans_of_generated_reports_are_valid(report in pieces()) {
        check_spans(&report);
    }
}

#[test]
fn parsing_takes_linear_time() {
    // Regression test: parsing each of these pieces once took minutes.
    const BYTES: usize = 64 << 10;
    for piece in [
        "1,",
        "0,0,0,0\n",
        "1, 2, 3, 4\n",
        "and 1,",
        ",so 1",
        "x=1, y=2, ",
        ",but is ",
        "and was ",
        "was 1; ",
        "a.b.c.",
        "B. B. ",
        "A.",
        "# Pod cart\n",
        "because it was 1, ",
        ", its p99 was 1: ",
        "2026-03-12T14:02:10Z ",
        "cart-1,Running,3,14:02,512Mi\n",
        "`a",
        "\"a (",
        "[a](http://b) ",
        "*a **b ",
        "<b>a</b>",
        "  - a\n",
        "| a |\n",
        "```\na failed\n```\n",
        "aaaaaaaa",
        "not no never ",
        "Why? ",
        "Restart it, because it was slow. ",
        "the pod was restarted at 14:02\n",
    ] {
        let report = piece.repeat(BYTES / piece.len());
        let document = Document::parse(&report, &[&report], &Budget::unlimited());
        let statement_count: usize = document
            .assertions
            .iter()
            .map(|assertion| {
                assert!(!assertion.is_prose || assertion.text.text().len() <= 3 * MAX_SENTENCE);
                report::statements(assertion).len()
            })
            .sum();
        assert!(statement_count <= report.len(), "{piece:?}");
    }
}
