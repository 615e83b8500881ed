use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn wrap(document: &Value) -> Vec<String> {
    let (line, pretty) = (document.to_string(), serde_json::to_string_pretty(document).unwrap());
    let blocks = json!({"content": [{"type": "text", "text": pretty}]});
    let mut wrapped = Vec::from([
        format!("$ curl -s localhost/api\n{line}\n$ date\nMon May 6\n"),
        format!("$ curl -s localhost/api\n{pretty}\n"),
        format!("2024-05-06T10:00:00Z INFO answer={line}\n"),
        blocks.to_string(),
        json!({"result": blocks.to_string()}).to_string(),
    ]);
    wrapped.extend([line, pretty]);
    wrapped
}

fn pod(index: usize, labels: usize) -> Value {
    let labels: Value = (0..labels)
        .map(|label| (format!("label-{label}"), json!(format!("{index}-{label}-text"))))
        .collect::<serde_json::Map<_, _>>()
        .into();
    json!({
        "kind": "Pod",
        "metadata": {"labels": labels, "name": format!("cart-{index}-pod"), "namespace": "shop"},
        "spec": {"containers": (0..6).map(|c| json!({"image": format!("i{index}.{c}"), "name": format!("c{index}-{c}n"), "args": ["--very-long-argument=1", "--other=2"]})).collect::<Vec<_>>()},
        "status": {
            "phase": "Running",
            "containerStatuses": (0..6).map(|c| json!({
                "name": format!("c{index}-{c}n"),
                "restartCount": format!("r{index}-{c}q"),
                "state": {"waiting": {"reason": format!("w{index}-{c}q"), "message": "back-off restarting the failed container"}},
            })).collect::<Vec<_>>(),
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_value_in_a_list_is_shown_with_its_object(index in 0_usize..8, container in 0_usize..6, labels in 0_usize..40) {
        let list = json!({"apiVersion": "v1", "items": (0..8).map(|index| pod(index, labels)).collect::<Vec<_>>(), "kind": "List"});
        for content in wrap(&list) {
            for (key, quote) in [("restartCount", format!("r{index}-{container}q")), ("reason", format!("w{index}-{container}q"))] {
                let expected_parts = [format!("cart-{index}-pod"), format!("c{index}-{container}n"), key.to_string(), "containerStatuses".to_string(), "shop".to_string()];
                check_shown(&content, &quote, &quote, &expected_parts);
            }
        }
    }

    #[test]
    fn a_sample_is_shown_with_its_series_and_time(series in 0_usize..5, sample in 0_usize..80) {
        let result: Vec<Value> = (0..5).map(|series| json!({
            "metric": {"__name__": "latency", "service": format!("svc-{series}-name"), "namespace": "shop"},
            "values": (0..80).map(|sample| json!([1_742_288_400 + sample * 60, format!("{series}.{sample}9")])).collect::<Vec<_>>(),
        })).collect();
        let answer = json!({"status": "success", "data": {"resultType": "matrix", "result": result}});
        let time = (1_742_288_400 + sample * 60).to_string();
        let quote = format!("\"{series}.{sample}9\"");
        for content in wrap(&answer) {
            let quote = if content.contains(&quote) { quote.clone() } else { quote.trim_matches('"').to_string() };
            check_shown(&content, &format!("svc-{series}-name"), &quote, &[format!("svc-{series}-name"), time.clone()]);
        }
    }

    #[test]
    fn a_cell_is_shown_with_its_column(row in 0_usize..60, column in 1_usize..5, is_wide in any::<bool>()) {
        let columns: Vec<Value> = (0..5).map(|column| {
            let name = format!("column_{column}");
            if is_wide { json!({"name": name, "type": "text", "description": "x".repeat(400)}) } else { json!(name) }
        }).collect();
        let rows: Vec<Value> = (0..60).map(|row| (0..5).map(|column| json!(format!("{row}r{column}q"))).collect()).collect();
        let expected_parts = [format!("column_{column}"), format!("{row}r0q")];
        for document in [json!({"columns": columns, "rows": rows}), json!({"rows": rows, "schema": {"fields": columns}})] {
            for content in wrap(&document) {
                check_shown(&content, &format!("{row}r0q"), &format!("{row}r{column}q"), &expected_parts);
            }
        }
    }

    #[test]
    fn an_element_is_shown_with_parallel_elements(index in 0_usize..300) {
        let list = |mark: &str| (0..300).map(|index| json!(format!("{mark}{index}q"))).collect::<Vec<_>>();
        let document = json!({"service": "cart", "times": list("t"), "values": list("v")});
        for content in wrap(&document) {
            check_shown(&content, "values", &format!("v{index}q"), &[format!("t{index}q"), "cart".to_string(), "values".to_string()]);
        }
    }

    #[test]
    fn a_value_in_json_lines_is_shown_with_its_document(index in 0_usize..80, key in 0_usize..12) {
        let line = |index: usize| {
            let mut fields: serde_json::Map<String, Value> = (0..12).map(|key| (format!("field{key}"), json!({"value": format!("{index}f{key}q"), "note": "n".repeat(90)}))).collect();
            fields.insert("service".into(), json!(format!("svc-{index}-name")));
            format!("{}\n", Value::Object(fields))
        };
        let lines: String = (0..80).map(line).collect();
        for content in [lines.clone(), format!("$ jq -c .\n{lines}")] {
            let quote = format!("{index}f{key}q");
            check_shown(&content, &format!("\"{quote}"), &quote, &[format!("svc-{index}-name"), format!("field{key}\"")]);
        }
    }

    #[test]
    fn a_line_in_a_long_string_is_shown_with_its_object(line in 0_usize..90) {
        let log: String = (0..90).map(|line| format!("10:{:02}:00 ERROR pool exhausted e{line}q\n", line % 60)).collect();
        let document = json!({"pods": [{"logs": log, "name": "cart-1-pod"}, {"logs": "none", "name": "pay"}]});
        for content in wrap(&document) {
            let expected_parts = [format!("ERROR pool exhausted e{line}q"), "cart-1-pod".to_string(), "logs".to_string()];
            check_shown(&content, &format!("e{line}q"), &format!("e{line}q"), &expected_parts);
        }
    }

    #[test]
    fn a_truncated_document_is_parsed_as_far_as_possible(index in 0_usize..5, cut_bytes in 0_usize..400) {
        let list = json!({"items": (0..8).map(|index| pod(index, 3)).collect::<Vec<_>>()});
        let document = serde_json::to_string_pretty(&list).unwrap();
        let end = document.find("cart-6-pod").unwrap() + cut_bytes;
        let content = format!("{}\n... (truncated)\n", document.split_at(end).0);
        let quote = format!("w{index}-2q");
        check_shown(&content, &quote, &quote, &[format!("cart-{index}-pod"), "reason".to_string(), "truncated".to_string()]);
    }
}
