//! This module looks at the arguments of tool calls: whether they name anything to look for. It judges no result.

use serde_json::Value;

/// Whether arguments name something to look for: a text with a letter or a digit, or, in JSON without texts, a number.
pub(super) fn name_something(arguments: &str) -> bool {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => {
            let mut leaves = Leaves::default();
            leaves.read(&value);
            leaves.has_word || (leaves.has_number && !leaves.has_text)
        }
        Err(_) => has_word(arguments),
    }
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// What stands at the ends of a document. Names of fields are those of the tool.
#[derive(Default)]
struct Leaves {
    has_text: bool,
    has_word: bool,
    has_number: bool,
}

impl Leaves {
    /// Goes as deep as `serde_json` reads, which is bounded.
    fn read(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(_) => self.has_number = true,
            Value::String(text) => {
                self.has_text = true;
                self.has_word |= has_word(text);
            }
            Value::Array(items) => items.iter().for_each(|item| self.read(item)),
            Value::Object(fields) => fields.values().for_each(|item| self.read(item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::name_something;

    #[test]
    fn a_word_or_a_number_names_something() {
        for arguments in [
            "up == 0",
            "get pods",
            r#"{"query":"error","limit":0}"#,
            r#"{"last":10}"#,
            "7",
            r#"["a"]"#,
        ] {
            assert!(name_something(arguments), "{arguments}");
        }
        for arguments in [
            "",
            "  ",
            "*",
            ".*",
            "{}",
            "null",
            r#"{"query":"","limit":10}"#,
            r#"[{"filter":"*"}, true]"#,
        ] {
            assert!(!name_something(arguments), "{arguments}");
        }
    }
}
