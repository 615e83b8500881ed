//! Tests that values belong to their subjects in formats other than JSON and logs.

use super::{assert_owner, facts_of, item};
use crate::budget::Budget;
use crate::facts::{Facts, Form, Item};

#[test]
fn cells_belong_to_aligned_columns() {
    let text = "NAME              READY   STATUS             RESTARTS      AGE\n\
                cart-1            1/2     CrashLoopBackOff   5 (48s ago)   23d\n\
                stock-2           2/2     Running            0             23d\n";
    assert_owner(text, "RESTARTS", "5 (48s ago)", "cart-1", "stock-2");
    assert_owner(text, "STATUS", "Running", "stock-2", "cart-1");
    let text = "REVISION   ACTIVE  SERVICE   DEPLOYED BY\n\
                img-00042  yes     imgproxy  cd@oreo\n\
                img-00041          imgproxy  l.marchetti\n";
    assert_eq!(
        facts_of(text)[4..],
        [
            "imgproxy, l.marchetti | REVISION = img-00041",
            "img-00041, l.marchetti | SERVICE = imgproxy",
            "img-00041, imgproxy | DEPLOYED BY = l.marchetti"
        ]
    );
}

#[test]
fn parses_unaligned_columns() {
    let text = "  PID USER      PR  NI    VIRT S  %CPU COMMAND\n 4121 root      20   0  812344 R  97.3 nightly-dump\n 2290 order     20   0 9120448 S   1.3 java\n";
    assert_owner(text, "%CPU", "97.3", "nightly-dump", "java");
    let text = "run_date    model            rows_affected   seconds\n2026-10-01  core.fct_orders       320902      43.3\n2026-10-02  core.dim_customer    48211904     437.1\n";
    assert_owner(text, "rows_affected", "48211904", "core.dim_customer", "core.fct_orders");
    let text = "Resource          Used      Hard\n--------          ----      ----\nlimits.cpu        46        48\npods              58        80\n";
    assert_owner(text, "Used", "46", "limits.cpu", "pods");
}

#[test]
fn parses_headers_that_start_with_a_time_or_a_mark() {
    let text = "08:20:00 AM  Device      r/s      w/s   %util\n08:20:00 AM  nvme1n1     120.4   1811.2    24.0\n08:20:00 AM  nvme2n1       0.0    600.1   100.0\n";
    assert_owner(text, "%util", "100.0", "nvme2n1", "nvme1n1");
    assert!(facts_of(text)[0].ends_with("@08:20:00 AM"));
    let text = "--  Address      Load        Tokens  Rack\nUN  10.9.1.11    611.20 GiB  16      1a\nDN  10.9.1.12    598.77 GiB  16      1b\n";
    assert_owner(text, "Load", "611.20 GiB", "10.9.1.11", "10.9.1.12");
    let text = "#    result     node         duration\n412  SUCCESS    build-07     2m 01s\n411  FAILURE    build-02     6m 33s\n";
    assert_owner(text, "result", "FAILURE", "411", "412");
    let text = "12:00:01   worker    started     at 5\n12:00:02   api       stopped     at 6\n";
    assert_eq!(Facts::extract([item(text)], &Budget::unlimited()).groups()[0].form, Form::Lines);
}

#[test]
fn parses_units_in_column_names() {
    let text = "host     latency (ms)\nweb-1    120\nweb-2    9\n";
    let facts = Facts::extract([item(text)], &Budget::unlimited());
    let cell = facts.facts().find(|fact| fact.cell.text == "120").unwrap().cell;
    assert_eq!(Some(cell.figure().unwrap().unit), crate::text::figures::Unit::from_name("ms"));
}

#[test]
fn right_aligned_numbers_are_not_continuation_lines() {
    let text =
        "$ sort | uniq -c\n    5 Reallocated 11872\n    9 Power_On 43210\n  194 Temperature 41\n";
    assert_owner(text, "", "43210", "Power_On", "Reallocated");
    let text = "12:00:01 ERROR failed\n    at Cart.pay(Cart.java:5)\n";
    assert_owner(text, "", "Cart.pay", "failed", "nothing");
}

#[test]
fn parses_tables_with_bars() {
    let text = "shop=> select 1;\n  pid  | state  | age\n-------+--------+----------\n 31102 | active | 01:31:40\n 31544 |        | 01:16:58\n(2 rows)\n";
    let facts = Facts::extract([item(text)], &Budget::unlimited());
    let group = facts.groups().first().unwrap();
    assert_eq!((group.form, group.complete, &*group.scope[0]), (Form::Rows, true, "select 1;"));
    assert_owner(text, "age", "01:16:58", "31544", "31102");
    let mysql = "+--------+----+\n| user   | n  |\n+--------+----+\n| export | 22 |\n| feeds  | 12 |\n+--------+----+\n3 rows in set (0.01 sec)\n";
    assert_owner(mysql, "n", "22", "export", "feeds");
    assert!(!Facts::extract([item(mysql)], &Budget::unlimited()).groups()[0].complete);
    let clickhouse = "┌─table─────┬─parts─┐\n│ telemetry │  3022 │\n│ events    │     9 │\n└───────────┴───────┘\n";
    assert_owner(clickhouse, "parts", "3022", "telemetry", "events");
    let markdown = "| pod | restarts |\n|-----|---------:|\n| a-1 | 4 |\n| b-2 | 9 |\n";
    assert_owner(markdown, "restarts", "9", "b-2", "a-1");
    let expanded =
        "-[ RECORD 1 ]----\nname | a-1\nlag  | 4\n-[ RECORD 2 ]----\nname | b-2\nlag  | 9\n";
    assert_owner(expanded, "lag", "9", "b-2", "a-1");
}

#[test]
fn parses_delimiter_separated_values() {
    let text = "time,instance,cpu_pct,note\n2026-01-05 13:00,billing,31.2,\"a, b\"\n2026-01-05 13:05,orders,18.7,\n";
    assert_eq!(
        facts_of(text)[2],
        "2026-01-05 13:00, billing, a, b | cpu_pct = 31.2 @2026-01-05 13:00"
    );
    assert_owner(text, "cpu_pct", "18.7", "orders", "billing");
    let text = "# pxname,svname,scur\nbe_api,api01,77\nbe_web,web02,51\n";
    assert_owner(text, "scur", "51", "web02", "api01");
}

#[test]
fn parses_sections_in_describe_output() {
    let text = "Name:         cart-1\nNamespace:    shop\nContainers:\n  app:\n    State:      Waiting\n      Reason:   CrashLoopBackOff\n    Limits:\n      memory:   512Mi\n  proxy:\n    State:      Running\nEvents:\n  Type     Reason   Message\n  ----     ------   -------\n  Warning  BackOff  Back-off restarting\n";
    assert_owner(text, "State.Reason", "CrashLoopBackOff", "app", "proxy");
    assert_owner(text, "Limits.memory", "512Mi", "cart-1", "proxy");
    assert_owner(text, "Message", "Back-off", "Events", "proxy");
    let text = "host:      ch-1\nparts:     214\n\nhost:      ch-2\nparts:     8412\n";
    assert_owner(text, "parts", "8412", "ch-2", "ch-1");
    let text =
        "Sources:\n- Repo:   a.git\n  Path:   x\n- Repo:   b.git\n  Path:   y\nHealth:   ok\n";
    assert_owner(text, "Path", "y", "b.git", "a.git");
}

#[test]
fn quoted_yaml_scalars_end_at_the_closing_quote() {
    let tabs = "\t".repeat(28);
    for text in [
        format!(
            "-  \"          #   {tabs}\"          #    \u{fffd}   R \u{fffd}\u{fffd}'{}",
            "\u{fffd}".repeat(8)
        ),
        "- 'a' # é\n- \"b\"   # ü\n- c".to_owned(),
    ] {
        let item = Item { tool: "", query: "", content: &text, exhaustive: false };
        let facts = Facts::extract([item], &Budget::unlimited());
        for group in facts.groups() {
            for record in group.records.iter().filter_map(|id| facts.record(*id)) {
                assert!(text.get(record.span.clone()).is_some(), "{:?} of {text:?}", record.span);
                for cell in &record.cells {
                    assert!(text.get(cell.span.clone()).is_some(), "{:?} of {text:?}", cell.span);
                }
            }
        }
    }
}

#[test]
fn parses_yaml() {
    let text = "waves:\n  - {name: canary, devices: 1309}\n  - name: wave-1\n    devices: 32721\nspec:\n  replicas: 6\n  note: |\n    one\n    two\n";
    assert_owner(text, "devices", "32721", "wave-1", "canary");
    assert_owner(text, "replicas", "6", "spec", "waves");
}

#[test]
fn parses_xml() {
    let text = r#"<suite name="tls"><case name="okhttp" time="0.388"/><case name="python" time="5.004"><failure>timed out &amp; gone</failure></case></suite>"#;
    assert_owner(text, "time", "0.388", "okhttp", "python");
    assert_owner(text, "failure", "timed out & gone", "python", "okhttp");
    assert_owner(text, "time", "5.004", "tls", "okhttp");
}

#[test]
fn diffs_have_before_and_after_values() {
    let text = "diff --git a/values.yaml b/values.yaml\n@@ -1,3 +1,3 @@\n-  maxPollRecords: 500\n-  timeoutMs: 45000\n+  maxPollRecords: 4000\n+  timeoutMs: 10000\n-keepalive 32;\n+keepalive 64;\n";
    let facts = facts_of(text);
    assert_eq!(facts[0], "4000, values.yaml | maxPollRecords.before = 500");
    assert_eq!(facts[3], "45000, values.yaml | timeoutMs.after = 10000");
    assert_eq!(facts[5], "32, values.yaml | keepalive.after = 64");
}

#[test]
fn commands_are_the_scope_of_their_output() {
    let text = "$ redis-cli -h cache-b INFO\nused_memory_human:3.98G\nmaxmemory_human:4.00G\n$ redis-cli -h cache-a INFO\nused_memory_human:5.61G\nmaxmemory_human:8.00G\n# at 19:45\n[{\"a\": 1}]\n";
    let facts = Facts::extract([item(text)], &Budget::unlimited());
    let scope = |value: &str| {
        let fact = facts.facts().find(|fact| fact.cell.text == value).unwrap();
        facts.group(facts.record(fact.record).unwrap().group).unwrap().scope.join(" / ")
    };
    assert_eq!(scope("3.98G"), "redis-cli -h cache-b INFO");
    assert_eq!(scope("8.00G"), "redis-cli -h cache-a INFO");
    assert_eq!(scope("1"), "redis-cli -h cache-a INFO / at 19:45");
}

#[test]
fn truncated_groups_are_incomplete() {
    let complete = |tool: &str, content: &str, exhaustive: bool| {
        let facts =
            Facts::extract([Item { tool, query: "", content, exhaustive }], &Budget::unlimited());
        facts.groups().first().unwrap().complete
    };
    assert!(complete("kubectl get pods -o json", "[]", false));
    assert!(complete("", "a line", true));
    assert!(!complete("", "a line", false));
    assert!(!complete("kubectl logs --tail=5", "a line", true));
    assert!(!complete("", "[{\"a\": 1}, ...", true));
    assert!(!complete("", "{\"items\": [1], \"has_more\": true}", false));
    assert!(!complete("", "a line\nshowing 20 of 300", true));
}

#[test]
fn extraction_takes_linear_time() {
    // Regression test: each of these pieces once made a parser restart at every line.
    const REPETITIONS: usize = 40_000;
    for piece in [
        "[1,\n",
        "{\"a\":\n",
        "<a>\n",
        "<a \n",
        "- a:\n",
        "a: b\n",
        "a: b\n\n",
        " a: b\n",
        "a  b\n",
        "A  B\n",
        "a,b\n",
        "a|b\n---\n",
        "\"a, ",
        "k=\"v ",
        "x;",
        ", ",
        "a and b ",
        "-a: 1\n",
        "$ x\n",
        "# x\n",
        "\n\n",
        "   ",
        "[",
        "{\"a\":",
        "<a>",
        "\\\"",
        "2024-01-01 00:00:00 a\n",
        "┌─a─┬─b─┐\n",
        "a - ",
        "- - ",
        "{\"b\":1,\"b\":{}} ",
        "a. b ",
        "Row 1\n-----\n",
        "a:\n b:\n",
        "`",
    ] {
        let text = piece.repeat(REPETITIONS);
        let facts = Facts::extract([item(&text)], &Budget::unlimited());
        assert!(facts.records().count() <= 4 * REPETITIONS + 4, "{piece:?}");
    }
}
