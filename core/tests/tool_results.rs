//! Checks the verdicts on the real tool results in `data/tool_results.toml`.

use gsar_core::budget::Budget;
use gsar_core::safety::{Expectation, ToolResult, classify};
use toml::{Table, Value};

#[test]
fn tool_results_have_the_expected_verdicts() {
    let table: Table = include_str!("data/tool_results.toml").parse().unwrap();
    let results = table["result"].as_array().unwrap();
    let mut mismatches = Vec::new();
    for result in results {
        let field = |name: &str| result.get(name).and_then(Value::as_str);
        let expectation = field("signal").map(|signal| Expectation {
            signal,
            polarity: None,
            threshold: field("threshold"),
        });
        let classified = classify(
            &ToolResult { content: field("content").unwrap(), expectation },
            &Budget::unlimited(),
        );
        if Some(classified.verdict.name()) != field("today").or_else(|| field("verdict")) {
            let title = field("title").unwrap();
            mismatches.push(format!(
                "{title}: {}: {}",
                classified.verdict.name(),
                classified.reason
            ));
        }
    }
    assert!(mismatches.is_empty(), "{} of {}: {mismatches:#?}", mismatches.len(), results.len());
}
