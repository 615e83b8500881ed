//! Parses a model's examples. Scoring them reveals whether the labels are in the wrong order.

use gsar_core::Class;
use serde_json::Value;

use crate::labels::{self, Labels};
use crate::pair::Pair;

/// The maximum number of examples, limited because every start scores all of them.
const MAX_EXAMPLES: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) pair: Pair,
    pub(crate) class: Class,
}

pub(crate) fn read(content: &[u8], labels: &Labels) -> Result<Vec<Example>, String> {
    let text = std::str::from_utf8(content).map_err(|error| error.to_string())?;
    let examples = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            example(line, labels).map_err(|found| format!("line {}: {found}", index + 1))
        })
        .collect::<Result<Vec<_>, _>>()?;
    match examples.len() {
        1..=MAX_EXAMPLES => Ok(examples),
        count => Err(format!("it has {count} rows")),
    }
}

fn example(line: &str, labels: &Labels) -> Result<Example, String> {
    let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| {
        row.get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("missing string field `{name}`"))
    };
    let label = text("label")?;
    let class = labels::class(label)
        .filter(|class| labels.classes().contains(class))
        .ok_or_else(|| format!("unknown label {label:?}"))?;
    Ok(Example { pair: Pair::new(text("claim")?, text("premise")?), class })
}

/// Returns `true` if enough examples are correct to trust the label order.
pub(crate) fn enough_are_correct(correct: usize, total: usize) -> bool {
    correct * 3 >= total * 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_name_the_line() {
        let names = json!({"id2label": {"0": "entailment", "1": "neutral", "2": "contradiction"}});
        let labels = Labels::read(&names).unwrap();
        let row = r#"{"claim": "a", "premise": "b", "label": "SUPPORTS"}"#;
        let read = |text: &str| read(text.as_bytes(), &labels);
        let expected = Example { pair: Pair::new("a", "b"), class: Class::Grounded };
        assert_eq!(read(&format!("{row}\n\n{row}\n")).unwrap(), [expected.clone(), expected]);
        let without_label = row.replace("label", "lable");
        let unknown = row.replace("SUPPORTS", "complementary");
        for (text, expected) in [
            (String::new(), "it has 0 rows"),
            (format!("{row}\n").repeat(65), "it has 65 rows"),
            (format!("{row}\n{{"), "line 2: "),
            (format!("{row}\n\n{without_label}"), "line 3: missing string field `label`"),
            (unknown, "line 1: unknown label \"complementary\""),
            ("[]".to_owned(), "line 1: missing string field `label`"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
        assert!(super::read(b"\xff", &labels).is_err());
    }

    #[test]
    fn requires_two_thirds() {
        assert!(enough_are_correct(2, 3) && enough_are_correct(6, 9) && enough_are_correct(1, 1));
        assert!(!enough_are_correct(5, 8) && !enough_are_correct(0, 1));
    }
}
