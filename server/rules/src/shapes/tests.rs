//! Every shape, read: what becomes a field of which name, who bears names, which series there are.

use gsar_core::evidence::EvidenceItem;
use proptest::prelude::*;

use crate::observations::{Corpus, NONE};
use crate::tests::{json, text};

/// Fields as `heading>heading|key=value`, then series as `~ heading: count`, then names as `@ name`.
pub(crate) fn dump(evidence: &[EvidenceItem]) -> Vec<String> {
    let corpus = Corpus::read(evidence);
    let path = |object: u32| {
        let mut path: Vec<&str> = corpus
            .around(object)
            .filter(|(_, object)| object.parent != NONE)
            .map(|(_, object)| corpus.heading(object))
            .filter(|heading| !heading.is_empty())
            .collect();
        path.reverse();
        path.join(">")
    };
    let mut lines: Vec<String> = (0..corpus.fields.len())
        .map(|number| {
            let number = u32::try_from(number).unwrap();
            let field = corpus.field(number).unwrap();
            let at = field.micros.map_or(String::new(), |micros| format!(" at {micros}"));
            let unit = corpus.unit(number).map_or(String::new(), |unit| format!(" in {unit:?}"));
            format!(
                "{}|{}={}{at}{unit} #{}",
                path(field.object),
                corpus.name(number),
                corpus.value(number),
                corpus.record(field.object)
            )
        })
        .collect();
    lines.extend(corpus.series.iter().map(|series| {
        format!("~ {}: {}", path(series.object), series.samples.1 - series.samples.0)
    }));
    lines.extend(
        corpus.names.iter().map(|name| format!("@ {} #{}", corpus.value(name.field), name.object)),
    );
    lines
}

fn has(lines: &[String], wanted: &[&str]) {
    for wanted in wanted {
        assert!(lines.iter().any(|line| line.contains(wanted)), "{wanted} in {lines:#?}");
    }
}

#[test]
#[ignore = "prints"]
fn print() {
    let path = std::env::var("SHAPE").unwrap();
    let content = std::fs::read_to_string(&path).unwrap();
    let item = if path.ends_with(".json") {
        json("e", "tool", &content)
    } else {
        text("e", "tool", &content)
    };
    for line in dump(&[item]) {
        println!("{line}");
    }
}

#[test]
fn attributes_are_fields_of_their_name() {
    let lines = dump(&[json(
        "trace",
        "curl tempo",
        r#"{"batches":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"pay"}}]},
        "spans":[{"name":"POST /pay","startTimeUnixNano":"1775655060108912128",
        "attributes":[{"key":"http.response.status_code","value":{"intValue":"201"}}]}]}]}"#,
    )]);
    has(
        &lines,
        &["|http.response.status_code=201", "|service.name=pay", "@ pay", "at 1775655060108912"],
    );
}

#[test]
fn a_span_says_its_unit_by_its_start() {
    let lines = dump(&[json(
        "trace",
        "curl jaeger",
        r#"{"spans":[{"operationName":"GET","startTime":1781203632204318,"duration":874,
        "tags":[{"key":"cache.hit","type":"string","value":"false"}]}]}"#,
    )]);
    has(&lines, &["|duration=874 in ", "|cache.hit=false"]);
}

#[test]
fn two_arrays_side_by_side_are_a_series() {
    let lines = dump(&[json(
        "cw",
        "aws cloudwatch",
        r#"{"MetricDataResults":[{"Label":"a Cpu","Timestamps":["2026-06-11T18:34:00Z","2026-06-11T18:35:00Z"],"Values":[31.78,35.5]},
        {"Label":"b","Timestamps":["2026-06-11T18:34:00Z"],"Values":[1,2]}]}"#,
    )]);
    has(&lines, &["Values: 2"]);
    assert_eq!(lines.iter().filter(|line| line.starts_with('~')).count(), 1);
}

#[test]
fn documents_on_lines_are_records() {
    let lines =
        dump(&[text("tf", "log", "{\"type\":\"a\",\"n\":1}\n{\"type\":\"b\",\"n\":2}\ndone\n")]);
    has(&lines, &["type=a #1", "type=b #3", "=done #0"]);
}
