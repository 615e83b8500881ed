//! A request to a model, in a form common to all providers.

use serde_json::value::RawValue;

const MAX_NAME_BYTES: usize = 64;

/// A request to a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The system prompt, or an empty string.
    pub system: String,
    /// The conversation, with the oldest message first. The model answers the last message.
    pub messages: Vec<Turn>,
    /// The schema of the answer. If absent, the answer is free text.
    pub schema: Option<Schema>,
    /// The temperature. If `None`, the model's default applies, which reasoning models require.
    pub temperature: Option<Temperature>,
    /// The sampling seed. It is not sent to Anthropic, which does not support seeds.
    pub seed: Option<u64>,
    /// The trace context to propagate.
    pub trace: Option<Trace>,
}

/// A W3C trace context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The `traceparent` header.
    pub parent: String,
    /// The `tracestate` header, or an empty string.
    pub state: String,
}

impl Request {
    /// Creates a request with one message and temperature 0.
    #[must_use]
    pub fn new(system: impl Into<String>, question: impl Into<String>) -> Self {
        Self {
            system: system.into(),
            messages: vec![Turn { role: Role::User, text: question.into() }],
            schema: None,
            temperature: Some(Temperature::ZERO),
            seed: None,
            trace: None,
        }
    }
}

/// A message in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The author.
    pub role: Role,
    /// The text.
    pub text: String,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// The sampling temperature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(f32);

impl Temperature {
    /// The lowest temperature.
    pub const ZERO: Self = Self(0.0);

    /// A temperature at which answers vary without losing quality.
    pub const VARIED: Self = Self(0.7);

    /// Returns the value, which every provider accepts.
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }
}

/// A named JSON schema. The order of its properties is preserved, because models follow it.
#[derive(Clone, Debug)]
pub struct Schema {
    name: Box<str>,
    json: Box<RawValue>,
}

impl Schema {
    /// Parses a schema.
    ///
    /// # Errors
    /// Returns an error if the name is not 1 to 64 characters of `A-Z a-z 0-9 _ -`, or the text is not a JSON object.
    pub fn new(name: &str, json: &str) -> Result<Self, RequestError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(allowed) {
            let given = name.chars().take(MAX_NAME_BYTES).collect();
            return Err(RequestError::SchemaName { given });
        }
        let json: Box<RawValue> = serde_json::from_str(json)
            .map_err(|error| RequestError::Schema { reason: error.to_string() })?;
        if !json.get().starts_with('{') {
            return Err(RequestError::Schema { reason: "it is not an object".to_owned() });
        }
        Ok(Self { name: name.into(), json })
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// Returns the schema.
    #[must_use]
    pub const fn json(&self) -> &RawValue {
        &self.json
    }
}

/// An error from building a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The name of the schema is invalid.
    #[error(
        "schema name: {given:?} is not allowed; expected 1 to 64 characters of A-Z a-z 0-9 _ -"
    )]
    SchemaName {
        /// The given value.
        given: String,
    },
    /// The schema is not a JSON object.
    #[error("schema: {reason}; expected a JSON object")]
    Schema {
        /// The cause.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_keeps_the_order_of_its_properties() {
        let text = r#"{"type":"object","properties":{"z":{},"a":{}}}"#;
        let schema = Schema::new("verdict", &format!(" {text}\n")).unwrap();
        assert_eq!((schema.name(), schema.json().get()), ("verdict", text));
    }

    #[test]
    fn rejects_invalid_schemas() {
        for name in ["", "two words", "é", &"x".repeat(65)] {
            let error = Schema::new(name, "{}").unwrap_err();
            assert!(matches!(error, RequestError::SchemaName { .. }), "{name}");
        }
        for json in ["", "[]", "{", "1", "{} {}"] {
            let error = Schema::new("x", json).unwrap_err();
            assert!(matches!(error, RequestError::Schema { .. }), "{json}");
        }
    }
}
