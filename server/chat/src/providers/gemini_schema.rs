//! Converts JSON schemas to Gemini's subset. Rejects unsupported keywords that cannot be safely omitted.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum depth, which stops recursive references.
const MAX_DEPTH: usize = 32;
/// The maximum number of nodes, which references can double at each level.
const MAX_NODES: usize = 10_000;

/// JSON that preserves the order of members.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum Node {
    Object(IndexMap<String, Node>),
    Array(Vec<Node>),
    Scalar(Value),
}

type Members = IndexMap<String, Node>;

impl Node {
    fn text(text: &str) -> Self {
        Self::Scalar(Value::String(text.to_owned()))
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(value) => value.as_str(),
            _ => None,
        }
    }

    fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }
}

const SUPPORTED: [&str; 14] = [
    "description", "enum", "format", "maxItems", "maxLength", "maximum", "minItems", "minLength",
    "minimum", "nullable", "pattern", "required", "title", "default",
];
const FORMATS: [&str; 5] = ["date-time", "int32", "int64", "float", "double"];

pub(super) fn convert(schema: &RawValue) -> Result<Node, String> {
    let root: Node = serde_json::from_str(schema.get()).map_err(|error| error.to_string())?;
    Conversion { root: &root, nodes: 0 }.schema(&root, 0)
}

struct Conversion<'a> {
    root: &'a Node,
    nodes: usize,
}

impl Conversion<'_> {
    fn schema(&mut self, schema: &Node, depth: usize) -> Result<Node, String> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(format!(
                "with its references resolved, it is deeper than {MAX_DEPTH} levels or has more than {MAX_NODES} schemas; flatten it, and remove recursive references"
            ));
        }
        // `true` allows any value.
        let Some(members) = schema.as_object() else { return Ok(Node::Object(Members::new())) };
        if let Some(reference) = members.get("$ref") {
            let target = self.resolve(reference)?;
            return self.schema(&target, depth + 1);
        }
        let mut converted = Members::new();
        for (name, value) in members {
            match name.as_str() {
                "type" => self.kind(value, &mut converted)?,
                "properties" => self.properties(value, depth, &mut converted)?,
                "items" => {
                    converted.insert("items".to_owned(), self.schema(value, depth + 1)?);
                }
                "anyOf" | "oneOf" => self.alternatives(value, depth, &mut converted)?,
                "const" => {
                    converted.insert("enum".to_owned(), Node::Array(vec![value.clone()]));
                }
                "allOf" | "not" | "if" | "patternProperties" | "dependentSchemas" => {
                    return Err(format!("Gemini does not support {name}; remove it"));
                }
                "format" if !value.as_str().is_some_and(|format| FORMATS.contains(&format)) => {}
                keyword if SUPPORTED.contains(&keyword) => {
                    converted.insert(name.clone(), value.clone());
                }
                _ => {}
            }
        }
        replace_null(&mut converted);
        remove_non_string_enum(&mut converted);
        Ok(Node::Object(converted))
    }

    fn kind(&self, kind: &Node, converted: &mut Members) -> Result<(), String> {
        let Node::Array(kinds) = kind else {
            converted.insert("type".to_owned(), type_name(kind));
            return Ok(());
        };
        let non_null: Vec<_> = kinds.iter().filter(|kind| kind.as_str() != Some("null")).collect();
        let [only] = non_null.as_slice() else {
            return Err("Gemini supports only one type besides null; use anyOf instead".to_owned());
        };
        converted.insert("type".to_owned(), type_name(only));
        if kinds.len() > 1 {
            make_nullable(converted);
        }
        Ok(())
    }

    fn properties(
        &mut self,
        properties: &Node,
        depth: usize,
        converted: &mut Members,
    ) -> Result<(), String> {
        let properties = properties.as_object().ok_or("properties is not an object")?;
        // Without `propertyOrdering`, Gemini sorts the properties alphabetically.
        let names = properties.keys().map(|name| Node::text(name)).collect();
        let schemas = properties
            .iter()
            .map(|(name, schema)| Ok((name.clone(), self.schema(schema, depth + 1)?)))
            .collect::<Result<_, String>>()?;
        converted.insert("properties".to_owned(), Node::Object(schemas));
        converted.insert("propertyOrdering".to_owned(), Node::Array(names));
        Ok(())
    }

    /// Converts alternatives. If there is only one alternative besides null, it becomes nullable.
    fn alternatives(
        &mut self,
        alternatives: &Node,
        depth: usize,
        converted: &mut Members,
    ) -> Result<(), String> {
        let Node::Array(alternatives) = alternatives else {
            return Err("anyOf is not a list".to_owned());
        };
        let is_null = |schema: &&Node| {
            schema.as_object().and_then(|schema| schema.get("type")?.as_str()) == Some("null")
        };
        let mut non_null = alternatives
            .iter()
            .filter(|schema| !is_null(schema))
            .map(|schema| self.schema(schema, depth + 1))
            .collect::<Result<Vec<_>, _>>()?;
        if non_null.len() < alternatives.len() {
            make_nullable(converted);
        }
        match (non_null.len(), non_null.pop()) {
            (1, Some(Node::Object(only))) => converted.extend(only),
            (_, Some(last)) => {
                non_null.push(last);
                converted.insert("anyOf".to_owned(), Node::Array(non_null));
            }
            (_, None) => return Err("null is the only alternative in anyOf".to_owned()),
        }
        Ok(())
    }

    fn resolve(&self, reference: &Node) -> Result<Node, String> {
        let text = reference.as_str().unwrap_or_default();
        let unknown = || format!("the reference {text:?} is unknown; expected #/$defs/NAME");
        let path = text.strip_prefix("#/").ok_or_else(unknown)?;
        path.split('/')
            .try_fold(self.root, |node, name| node.as_object()?.get(name))
            .cloned()
            .ok_or_else(unknown)
    }
}

fn type_name(kind: &Node) -> Node {
    Node::text(&kind.as_str().unwrap_or_default().to_ascii_uppercase())
}

fn make_nullable(converted: &mut Members) {
    converted.insert("nullable".to_owned(), Node::Scalar(Value::Bool(true)));
}

/// Replaces `null` in an enum with `nullable`.
fn replace_null(converted: &mut Members) {
    let Some(Node::Array(values)) = converted.get_mut("enum") else { return };
    let original_length = values.len();
    values.retain(|value| !matches!(value, Node::Scalar(Value::Null)));
    if values.len() < original_length {
        make_nullable(converted);
    }
}

/// Removes an enum that has values other than strings, which Gemini does not support.
fn remove_non_string_enum(converted: &mut Members) {
    let Some(Node::Array(values)) = converted.get("enum") else { return };
    if values.is_empty() || !values.iter().all(|value| value.as_str().is_some()) {
        converted.shift_remove("enum");
    } else if !converted.contains_key("type") {
        converted.insert("type".to_owned(), Node::text("STRING"));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn converted(schema: &str) -> Result<String, String> {
        let schema: Box<RawValue> = serde_json::from_str(schema).unwrap();
        convert(&schema).map(|schema| serde_json::to_string(&schema).unwrap())
    }

    #[test]
    fn keeps_the_order_and_omits_unsupported_keywords() {
        for (schema, expected) in [
            (
                r#"{"$schema":"x","type":"object","additionalProperties":false,"required":["z","a"],
                    "properties":{"z":{"type":"string","format":"uri"},"a":{"type":["integer","null"],"minimum":0}}}"#,
                r#"{"type":"OBJECT","required":["z","a"],"properties":{"z":{"type":"STRING"},"a":{"type":"INTEGER","nullable":true,"minimum":0}},"propertyOrdering":["z","a"]}"#,
            ),
            (
                r##"{"type":"array","items":{"$ref":"#/$defs/c"},"$defs":{"c":{"enum":["a","b",null]}}}"##,
                r#"{"type":"ARRAY","items":{"enum":["a","b"],"nullable":true,"type":"STRING"}}"#,
            ),
            (
                r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
                r#"{"nullable":true,"type":"STRING"}"#,
            ),
            (
                r#"{"oneOf":[{"type":"string"},{"type":"number"}]}"#,
                r#"{"anyOf":[{"type":"STRING"},{"type":"NUMBER"}]}"#,
            ),
            (r#"{"const":"x"}"#, r#"{"enum":["x"],"type":"STRING"}"#),
            (r#"{"type":"integer","enum":[1,2]}"#, r#"{"type":"INTEGER"}"#),
        ] {
            assert_eq!(converted(schema).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn rejects_unsupported_schemas() {
        for (schema, expected) in [
            (r#"{"allOf":[{}]}"#, "Gemini does not support allOf"),
            (r#"{"type":["string","integer"]}"#, "use anyOf instead"),
            (r#"{"anyOf":[{"type":"null"}]}"#, "the only alternative in anyOf"),
            (r##"{"$ref":"#/$defs/gone"}"##, "is unknown"),
            (r#"{"$ref":"https://example.com/x"}"#, "is unknown"),
            (r##"{"items":{"$ref":"#/items"}}"##, "remove recursive references"),
            (r##"{"properties":{"a":{"$ref":"#"}}}"##, "is unknown"),
            (
                r##"{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}"##,
                "remove recursive references",
            ),
        ] {
            let error = converted(schema).unwrap_err();
            assert!(error.contains(expected), "{schema}: {error}");
        }
    }

    proptest! {
        #[test]
        fn conversion_is_idempotent(
            names in proptest::collection::vec("[a-z]{1,4}", 1..5),
            kinds in proptest::collection::vec(prop_oneof!["string", "integer", "boolean"], 5),
        ) {
            let properties: Vec<_> = names.iter().zip(&kinds)
                .map(|(name, kind)| format!(r#""{name}":{{"type":["{kind}","null"]}}"#)).collect();
            let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
            let once = converted(&schema).unwrap();
            prop_assert_eq!(converted(&once).unwrap(), once);
        }
    }
}
