//! A request to a model, in a form common to all providers.

use serde_json::value::RawValue;

const MAX_NAME_BYTES: usize = 64;

/// A request to a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The system prompt, or an empty string.
    pub system: String,
    /// The conversation, oldest message first. The model answers the last one.
    pub messages: Vec<Turn>,
    /// The schema of the answer. If absent, the answer is free text.
    pub schema: Option<Schema>,
    /// The temperature. Defaults to the model's, which reasoning models require.
    pub temperature: Option<Temperature>,
    /// The sampling seed. Not sent to Anthropic, which does not support one.
    pub seed: Option<u64>,
    /// The maximum number of tokens in the answer. Defaults to the value in the settings.
    pub max_output_tokens: Option<u32>,
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
            max_output_tokens: None,
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

/// The sampling temperature, 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(f32);

impl Temperature {
    /// The lowest temperature.
    pub const ZERO: Self = Self(0.0);

    /// A temperature at which answers vary without losing quality.
    pub const VARIED: Self = Self(0.7);

    /// Creates a temperature.
    ///
    /// # Errors
    /// Returns an error if `given` is below 0, above 2 or NaN.
    pub fn new(given: f32) -> Result<Self, RequestError> {
        // Converts -0.0 to 0.0, which has another JSON form.
        if (0.0..=2.0).contains(&given) {
            Ok(Self(given.abs()))
        } else {
            Err(RequestError::Temperature { given })
        }
    }

    /// Returns the value, 0 to 2.
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }
}

/// A named JSON schema. Its text is sent unchanged, because models follow the order of the properties.
#[derive(Clone, Debug)]
pub struct Schema {
    name: Box<str>,
    json: Box<RawValue>,
}

impl Schema {
    /// Parses a schema.
    ///
    /// # Errors
    /// Returns an error if the name is not 1 to 64 of `A-Z a-z 0-9 _ -`, or the text is not a JSON object.
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

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// The schema.
    #[must_use]
    pub const fn json(&self) -> &RawValue {
        &self.json
    }
}

/// An error from building a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The temperature is out of range.
    #[error("temperature: {given} is out of range; expected 0 to 2")]
    Temperature {
        /// The given value.
        given: f32,
    },
    /// The name of the schema is invalid.
    #[error("schema name: {given:?} is not allowed; expected 1 to 64 of A-Z a-z 0-9 _ -")]
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
    fn rejects_invalid_schemas_and_temperatures() {
        for name in ["", "two words", "é", &"x".repeat(65)] {
            let error = Schema::new(name, "{}").unwrap_err();
            assert!(matches!(error, RequestError::SchemaName { .. }), "{name}");
        }
        for json in ["", "[]", "{", "1", "{} {}"] {
            let error = Schema::new("x", json).unwrap_err();
            assert!(matches!(error, RequestError::Schema { .. }), "{json}");
        }
        for given in [-0.1, 2.1, f32::NAN, f32::INFINITY] {
            assert!(Temperature::new(given).is_err(), "{given}");
        }
        assert!(Temperature::new(-0.0).unwrap().get().is_sign_positive());
    }
}
