//! Reads evaluation cases, each a request with its expected response.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::{folder, sorted_entries};

/// A file in `cases/`.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    /// The file name without extension.
    #[serde(skip)]
    pub name: String,
    /// A description of the case.
    pub why: String,
    /// A `gsar.v1.ScoreRequest` in the proto3 JSON mapping.
    pub request: Value,
    /// The expected part of the `gsar.v1.ScoreResponse`. A field that is `null` must be absent from the response.
    pub expect: Value,
}

/// Loads all cases, sorted by name.
pub fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in sorted_entries(&folder().join("cases"))? {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path)?;
        let case: Case = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        cases.push(Case { name, ..case });
    }
    anyhow::ensure!(!cases.is_empty(), "found no cases");
    Ok(cases)
}

/// Lists the differences between the expected and the actual response. Objects in the actual response may contain
/// additional fields.
pub fn differences(expect: &Value, found: &Value) -> Vec<String> {
    let mut differences = Vec::new();
    compare("", expect, found, &mut differences);
    differences
}

fn compare(path: &str, expect: &Value, found: &Value, differences: &mut Vec<String>) {
    match (expect, found) {
        (Value::Object(expect), Value::Object(found)) => {
            for (key, value) in expect {
                let found = found.get(key).unwrap_or(&Value::Null);
                compare(&format!("{path}.{key}"), value, found, differences);
            }
        }
        (Value::Array(expect), Value::Array(found)) if expect.len() == found.len() => {
            for (index, (expect, found)) in expect.iter().zip(found).enumerate() {
                compare(&format!("{path}[{index}]"), expect, found, differences);
            }
        }
        (expect, found) if expect == found => {}
        (expect, found) => differences.push(format!("{path}: expected {expect}, found {found}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differences;

    #[test]
    fn responses_can_contain_additional_fields() {
        let expect = json!({"a": {"b": 1}, "c": [{"d": "x"}], "e": null});
        let found = json!({"a": {"b": 1, "more": 2}, "c": [{"d": "x", "more": 3}]});
        assert_eq!(differences(&expect, &found), Vec::<String>::new());
        let found = json!({"a": {"b": 2}, "c": [], "e": 0});
        let paths: Vec<String> = differences(&expect, &found)
            .iter()
            .map(|difference| difference.split(':').next().unwrap_or_default().to_owned())
            .collect();
        assert_eq!(paths, [".a.b", ".c", ".e"]);
    }
}
