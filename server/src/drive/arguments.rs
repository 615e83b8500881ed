//! Checks whether a tool call's arguments contain a search term.

use serde_json::Value;

/// Returns `true` if the arguments contain a string with a letter or digit. In JSON without strings, a number
/// also counts.
pub(super) fn are_meaningful(arguments: &str) -> bool {
    match serde_json::from_str::<Value>(arguments) {
        Ok(value) => {
            let mut kinds = LeafKinds::default();
            kinds.visit(&value);
            kinds.has_word || (kinds.has_number && !kinds.has_text)
        }
        Err(_) => has_word(arguments),
    }
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// The kinds of values in a JSON document. Field names are ignored, since the tool defines them.
#[derive(Default)]
struct LeafKinds {
    has_text: bool,
    has_word: bool,
    has_number: bool,
}

impl LeafKinds {
    fn visit(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(_) => self.has_number = true,
            Value::String(text) => {
                self.has_text = true;
                self.has_word |= has_word(text);
            }
            Value::Array(items) => items.iter().for_each(|item| self.visit(item)),
            Value::Object(fields) => fields.values().for_each(|item| self.visit(item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::are_meaningful;

    #[test]
    fn a_word_or_a_number_is_meaningful() {
        for arguments in [
            "up == 0",
            "get pods",
            r#"{"query":"error","limit":0}"#,
            r#"{"last":10}"#,
            "7",
            r#"["a"]"#,
        ] {
            assert!(are_meaningful(arguments), "{arguments}");
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
            assert!(!are_meaningful(arguments), "{arguments}");
        }
    }
}
