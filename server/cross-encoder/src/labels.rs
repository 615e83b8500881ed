//! Maps output columns to classes.

use gsar_core::Class;
use serde_json::Value;

const NAMES: [(Class, &[&str]); 4] = [
    (Class::Grounded, &["grounded", "entailment", "supports"]),
    (Class::Ungrounded, &["ungrounded", "neutral", "not_enough_info"]),
    (Class::Contradicted, &["contradicted", "contradiction", "refutes"]),
    (Class::Complementary, &["complementary"]),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Labels(Vec<Class>);

impl Labels {
    pub(crate) fn read(config: &Value) -> Result<Self, String> {
        let Some(names) = config.get("id2label").and_then(Value::as_object) else {
            return Err("missing id2label, an object that maps column numbers to names".to_owned());
        };
        let classes = (0..names.len())
            .map(|column| {
                let name = names.get(&column.to_string()).ok_or_else(|| {
                    format!(
                        "id2label has {} names, but none of them is for column {column}",
                        names.len()
                    )
                })?;
                let text = name.as_str().unwrap_or_default();
                class(text).ok_or_else(|| {
                    format!("id2label has the unknown name {name} for column {column}")
                })
            })
            .collect::<Result<Vec<_>, String>>()?;
        let duplicate = classes.iter().enumerate().find(|(column, class)| {
            classes.iter().take(*column).any(|previous| previous == *class)
        });
        if let Some((column, class)) = duplicate {
            return Err(format!(
                "id2label has {} twice, the second time for column {column}",
                class.name()
            ));
        }
        let missing_class = Class::ALL
            .into_iter()
            .find(|class| *class != Class::Complementary && !classes.contains(class));
        match missing_class {
            Some(class) => Err(format!("id2label has no column for {}", class.name())),
            None => Ok(Self(classes)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn classes(&self) -> &[Class] {
        &self.0
    }
}

pub(crate) fn class(name: &str) -> Option<Class> {
    let is_match = |accepted: &&str| accepted.eq_ignore_ascii_case(name);
    NAMES.into_iter().find(|(_, names)| names.iter().any(is_match)).map(|(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parses_names_in_any_order_and_case() {
        let parse = |names: Value| Labels::read(&json!({ "id2label": names }));
        let four =
            json!({"0": "contradicted", "1": "Grounded", "2": "complementary", "3": "UNGROUNDED"});
        let expected =
            vec![Class::Contradicted, Class::Grounded, Class::Complementary, Class::Ungrounded];
        assert_eq!(parse(four), Ok(Labels(expected)));
        let three = vec![Class::Contradicted, Class::Ungrounded, Class::Grounded];
        let nli = json!({"0": "CONTRADICTION", "1": "neutral", "2": "entailment"});
        assert_eq!(parse(nli), Ok(Labels(three.clone())));
        let fever = json!({"0": "REFUTES", "1": "NOT_ENOUGH_INFO", "2": "SUPPORTS"});
        assert_eq!(parse(fever), Ok(Labels(three)));
    }

    #[test]
    fn rejects_incomplete_or_ambiguous_names() {
        for (config, expected) in [
            (json!({}), "missing id2label"),
            (json!({"id2label": ["grounded"]}), "missing id2label"),
            (json!({"id2label": {}}), "no column for grounded"),
            (json!({"id2label": {"0": "LABEL_0", "1": "LABEL_1"}}), "unknown name \"LABEL_0\""),
            (json!({"id2label": {"0": "grounded", "1": 7}}), "unknown name 7"),
            (
                json!({"id2label": {"0": "grounded", "2": "neutral"}}),
                "none of them is for column 1",
            ),
            (json!({"id2label": {"0": "grounded", "1": "entailment"}}), "grounded twice"),
            (json!({"id2label": {"0": "grounded", "1": "neutral"}}), "no column for contradicted"),
        ] {
            let error = Labels::read(&config).unwrap_err();
            assert!(error.contains(expected), "{config}: {error}");
        }
    }
}
