//! Tests that each extracted value belongs to its subject.

mod shapes;

use proptest::prelude::*;

use super::{Facts, Item};
use crate::budget::Budget;

pub(super) fn item(content: &str) -> Item<'_> {
    Item { tool: "", query: "", content, exhaustive: false }
}

/// Returns all facts as `subject | attribute = value`, with the subject's names innermost first.
pub(super) fn facts_of(content: &str) -> Vec<String> {
    let facts = Facts::extract([item(content)], &Budget::unlimited());
    let format_fact = |fact: super::Fact<'_, '_>| {
        let subject: Vec<&str> = fact.subject().collect();
        let time = facts.time_of(fact.record).and_then(|time| content.get(time.span.clone()));
        let time = time.map_or_else(String::new, |time| format!(" @{time}"));
        format!(
            "{} | {} = {}{time}",
            subject.join(", "),
            fact.attribute().join("."),
            fact.cell.text
        )
    };
    facts.facts().map(format_fact).collect()
}

/// Asserts that an attribute's value belongs to `owner` and not to `other`.
#[track_caller]
pub(super) fn assert_owner(content: &str, attribute: &str, value: &str, owner: &str, other: &str) {
    let facts = Facts::extract([item(content)], &Budget::unlimited());
    let mut matching_count = 0;
    for fact in facts.facts() {
        let is_match = fact.attribute().join(".") == attribute && fact.cell.text.contains(value);
        let names: Vec<&str> = fact.subject().chain([&*fact.cell.text]).collect();
        if is_match && names.iter().any(|name| name.contains(owner)) {
            matching_count += 1;
        }
        assert!(!is_match || !names.iter().any(|name| name.contains(other)), "{names:?}");
    }
    assert!(matching_count > 0, "{:#?}", facts_of(content));
}

#[test]
fn clauses_have_their_own_values() {
    let text = "cart-svc answered in 8 ms; stock-svc timed out after 12 s";
    assert_owner(text, "", "12 s", "stock-svc", "cart-svc");
    assert_owner(text, "", "8 ms", "cart-svc", "stock-svc");
    let text = "queue-in depth=40 queue-out depth=900";
    assert_owner(text, "depth", "40", "queue-in", "queue-out");
    assert_owner(text, "depth", "900", "queue-out", "queue-in");
    let text = "worker was deployed to eu-west and api to us-east";
    assert_owner(text, "", "eu-west", "worker", "api");
    assert_owner(text, "", "us-east", "api", "worker");
}

#[test]
fn embedded_json_objects_have_their_own_values() {
    let text = r#"{"msg": "{\"pods\": [{\"name\": \"cart-1\", \"restarts\": 4}, {\"name\": \"stock-2\", \"restarts\": 9}]}"}"#;
    assert_owner(text, "restarts", "4", "cart-1", "stock-2");
    assert_owner(text, "restarts", "9", "stock-2", "cart-1");
    for before in ["state ", "state: ", "result="] {
        let text = format!(
            r#"12:00:01 INFO {before}{{"cart": {{"lag": 4, "up": true}}, "stock": {{"lag": 9, "up": false}}}}"#
        );
        assert_owner(&text, "lag", "4", "cart", "stock");
        assert_owner(&text, "lag", "9", "stock", "cart");
    }
}

#[test]
fn object_members_describe_the_object() {
    let text = r#"{"name": "cart", "limits": {"memory": "512Mi"}, "status": {"phase": "Running"},
        "containers": [{"name": "app", "image": "a:1"}, {"name": "proxy", "image": "b:2"}]}"#;
    let facts = facts_of(text);
    assert_eq!(facts[0], "512Mi, Running | name = cart");
    assert_eq!(facts[1], "cart, Running | limits.memory = 512Mi");
    assert_eq!(facts[4], "app, containers, cart, 512Mi, Running | image = a:1");
    assert_owner(text, "image", "b:2", "proxy", "app");
}

#[test]
fn samples_inherit_series_labels() {
    let text = r#"{"status":"success","data":{"resultType":"matrix","result":[
        {"metric":{"__name__":"up","pod":"a"},"values":[[1737506400,"1"],[1737506460,"0"]]},
        {"metric":{"__name__":"up","pod":"b"},"values":[[1737506400,"1"]]}]}}"#;
    let facts = facts_of(text);
    let samples: Vec<&String> = facts.iter().filter(|fact| fact.contains("| up =")).collect();
    assert_eq!(samples[1], "up, a, result, matrix, data, success | up = 0 @1737506460");
    assert_eq!(samples.len(), 3);
    let text = r#"{"Timestamps": ["2024-03-12T10:00:00Z", "2024-03-12T10:05:00Z"], "Values": [3, 5], "Label": "cart"}"#;
    assert_eq!(facts_of(text)[2], "cart | Values = 5 @2024-03-12T10:05:00Z");
}

#[test]
fn log_lines_inherit_their_prefix() {
    let text = "Jun  2 19:12:02 mgo-a1 kernel: oom-kill: pid=5 comm=mongod\nJun  2 19:12:03 mgo-b1 systemd[1]: restarted";
    let expected =
        "mgo-a1, kernel, oom-kill: pid=5 comm=mongod, 5 | comm = mongod @Jun  2 19:12:02";
    assert_eq!(facts_of(text)[4], expected);
}

proptest! {
    #[test]
    fn cell_spans_are_valid(
        pieces in proptest::collection::vec(
            prop_oneof![
                "\\PC{0,12}",
                Just("\n".into()), Just("  ".into()), Just("{\"a\": ".into()), Just("[1, \"x y\"]".into()), Just("}".into()),
                Just("k=v ".into()), Just("\"".into()), Just("\\".into()), Just("; ".into()), Just(" | ".into()),
                Just("NAME   READY\n".into()), Just("cart-1   1/1\n".into()), Just("a,b\n1,2\n".into()), Just("---+---\n".into()),
                Just("key: value\n".into()), Just("- item\n".into()), Just("<a b=\"c\">".into()), Just("</a>".into()),
                Just("$ cmd\n".into()), Just("# title\n".into()), Just("@@ -1 +1 @@\n-a: 1\n+a: 2\n".into()), Just("é".into()),
                Just("12:00:01 ".into()), Just("\"GET / HTTP/1.1\" 200 5".into()), Just("| a | b |\n".into()), Just("\t".into()),
            ],
            0..40,
        )
    ) {
        let text: String = pieces.concat();
        let facts = Facts::extract([item(&text)], &Budget::unlimited());
        for (id, record) in facts.records() {
            prop_assert!(text.get(record.span.clone()).is_some());
            prop_assert!(record.parent.is_none_or(|parent| parent < id));
            if let Some(time) = &record.time {
                prop_assert!(text.get(time.span.clone()).is_some());
            }
            for cell in &record.cells {
                let source_text = text.get(cell.span.clone());
                prop_assert!(source_text.is_some());
                // YAML can fold a value over several lines. Facts extracted from such a value have the span of the
                // whole value.
                let folded = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                let escaped = text.contains(['\\', '&']) || text.contains("''");
                let same = source_text.is_some_and(|source_text| {
                    source_text == cell.text
                        || source_text.contains('\n') && folded(source_text).contains(&folded(&cell.text))
                });
                prop_assert!(escaped || same, "{:?} {source_text:?}", cell);
            }
        }
    }
}
