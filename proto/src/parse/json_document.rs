//! Checks that a text is one JSON document with bounded nesting, without building a tree.

use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::path::Path;
use crate::violations::Violations;

/// Returns the text if it is one JSON document nested at most `max_depth` levels deep.
pub(super) fn json_document(
    path: Path<'_>,
    text: String,
    max_depth: usize,
    violations: &mut Violations,
) -> Option<String> {
    match check(&text, max_depth) {
        Ok(()) => Some(text),
        Err(error) => {
            violations
                .add(path, format_args!("is not valid JSON: {error}; fix it or send it as text"));
            None
        }
    }
}

fn check(text: &str, max_depth: usize) -> Result<(), serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    Value { levels_left: max_depth, max_depth }.deserialize(&mut reader)?;
    reader.end()
}

/// Validates and discards a value. Stops at the maximum depth, which bounds the stack.
#[derive(Clone, Copy)]
struct Value {
    levels_left: usize,
    max_depth: usize,
}

impl Value {
    fn one_level_deeper<E: Error>(self) -> Result<Self, E> {
        match self.levels_left.checked_sub(1) {
            Some(levels_left) => Ok(Self { levels_left, ..self }),
            None => Err(E::custom(format_args!("nested deeper than {} levels", self.max_depth))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let element = self.one_level_deeper()?;
        while elements.next_element_seed(element)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let value = self.one_level_deeper()?;
        while entries.next_key::<IgnoredAny>()?.is_some() {
            entries.next_value_seed(value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        check(text, 100).err().map(|error| error.to_string())
    }

    #[test]
    fn accepts_exactly_one_document() {
        for text in ["{}", " [1, 2.5e3, -0, \"a\\u00e9\\ud83d\\ude00\", null, true] ", "\"x\"", "7"]
        {
            assert_eq!(problem(text), None, "{text}");
        }
        for text in [
            "", " ", "{} {}", "[1,]", "{\"a\":}", "{'a':1}", "01", "nul", "\"\\ud800\"", "1e999",
            "[1",
        ] {
            assert!(problem(text).is_some(), "{text}");
        }
    }

    #[test]
    fn each_container_adds_a_nesting_level() {
        let nested = |open: &str, close: &str, levels| {
            format!("{}1{}", open.repeat(levels), close.repeat(levels))
        };
        assert_eq!(problem(&nested("[", "]", 100)), None);
        assert_eq!(problem(&nested("{\"a\":", "}", 100)), None);
        for levels in [101, 100_000] {
            let message = problem(&nested("[", "]", levels)).unwrap();
            assert!(message.starts_with("nested deeper than 100 levels"), "{message}");
        }
        assert!(problem(&"{\"a\":".repeat(100_000)).is_some());
    }
}
