//! Splits a JSON document into passages, each with its JSON pointer and byte range.
//!
//! A value of at most [`RECORD_BYTES`] is one passage. A larger object or array is split into its members.
//! Its scalar members are joined into passages that have the pointer of the object or array.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The maximum size in bytes of a value that is not split.
pub const RECORD_BYTES: usize = 2_048;
/// The maximum depth of values that are split.
const MAX_DEPTH: usize = 64;

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its JSON pointer (RFC 6901); empty for the whole document.
    pub pointer: String,
    /// Its byte range in the document. For joined scalar members, the range from the first value to the
    /// last.
    pub bytes: Range<usize>,
    /// Its text. Joined scalar members are written with their keys.
    pub text: String,
}

/// Splits a document into records.
///
/// # Errors
/// Returns an error if the document is not valid JSON.
pub fn records(document: &str) -> Result<Vec<Record>, serde_json::Error> {
    let root: &RawValue = serde_json::from_str(document)?;
    let mut splitter = Splitter { document, records: Vec::new() };
    splitter.value(&mut String::new(), root, 0)?;
    Ok(splitter.records)
}

struct Splitter<'a> {
    document: &'a str,
    records: Vec<Record>,
}

impl<'a> Splitter<'a> {
    fn value(
        &mut self,
        pointer: &mut String,
        value: &'a RawValue,
        depth: usize,
    ) -> Result<(), serde_json::Error> {
        let text = value.get();
        let is_small = text.len() <= RECORD_BYTES || depth >= MAX_DEPTH;
        match text.bytes().next() {
            Some(b'{') if !is_small => {
                let Members(members) = serde_json::from_str(text)?;
                self.members(pointer, members, depth)
            }
            Some(b'[') if !is_small => {
                let elements: Vec<&RawValue> = serde_json::from_str(text)?;
                let members = elements.into_iter().enumerate();
                let members = members.map(|(index, value)| (index.to_string(), value));
                self.members(pointer, members.collect(), depth)
            }
            _ => {
                let bytes = self.range_of(text);
                self.push(pointer, bytes, text.to_owned());
                Ok(())
            }
        }
    }

    fn members(
        &mut self,
        pointer: &mut String,
        members: Vec<(String, &'a RawValue)>,
        depth: usize,
    ) -> Result<(), serde_json::Error> {
        let length = pointer.len();
        let mut scalars: Option<(Range<usize>, String)> = None;
        for (key, value) in members {
            let text = value.get();
            let is_container = text.starts_with(['{', '[']);
            if is_container || text.len() > RECORD_BYTES {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                self.value(pointer, value, depth + 1)?;
                pointer.truncate(length);
                continue;
            }
            let range = self.range_of(text);
            let (bytes, joined) = scalars.get_or_insert_with(|| (range.clone(), String::new()));
            bytes.end = range.end;
            joined.push_str(&key);
            joined.push_str(": ");
            joined.push_str(text);
            joined.push('\n');
            if joined.len() > RECORD_BYTES
                && let Some((bytes, joined)) = scalars.take()
            {
                self.push(pointer, bytes, joined);
            }
        }
        if let Some((bytes, joined)) = scalars {
            self.push(pointer, bytes, joined);
        }
        Ok(())
    }

    fn push(&mut self, pointer: &str, bytes: Range<usize>, text: String) {
        self.records.push(Record { pointer: pointer.to_owned(), bytes, text });
    }

    fn range_of(&self, part: &str) -> Range<usize> {
        let start = (part.as_ptr() as usize).saturating_sub(self.document.as_ptr() as usize);
        start..start + part.len()
    }
}

struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn a_small_document_is_one_record() {
        let records = records(r#" {"a": 1} "#).unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].pointer, "");
        assert_eq!(records[0].bytes, 1..9);
    }

    #[test]
    fn a_large_document_is_split() {
        let pods: Vec<Value> = (0..40)
            .map(
                |pod| json!({"metadata": {"name": format!("cart-{pod}")}, "note": "x".repeat(100)}),
            )
            .collect();
        let document = json!({"kind": "List", "a/b": "c", "items": pods}).to_string();
        let records = records(&document).unwrap();
        let last = records.iter().find(|record| record.pointer == "/items/39").unwrap();
        assert!(document.get(last.bytes.clone()).unwrap().contains("cart-39"));
        let scalars = records.iter().find(|record| record.pointer.is_empty()).unwrap();
        assert!(scalars.text.contains("kind: \"List\"") && scalars.text.contains("a/b: \"c\""));
        assert_eq!(records.len(), 41);
    }

    #[test]
    fn rejects_invalid_json() {
        for text in ["", "{", "{\"a\": }", "[1,]", "nul"] {
            assert!(records(text).is_err(), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(records(&deep).unwrap().len(), 1);
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
            "[a-z]{500,3000}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 60, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::hash_map("[a-z/~]{1,6}", inner, 0..8)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_pointer_refers_to_its_record(document in documents()) {
            let text = document.to_string();
            for record in records(&text).unwrap() {
                let value = document.pointer(&record.pointer);
                prop_assert!(value.is_some(), "{}", record.pointer);
                prop_assert!(text.get(record.bytes).is_some());
            }
        }
    }
}
