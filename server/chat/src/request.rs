//! This module is the question to a model, independent of any provider's format.

use serde_json::value::RawValue;

/// The longest name of a schema, in bytes: what every provider takes.
const MAX_NAME_BYTES: usize = 64;

/// One question to a model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The system prompt; empty for nothing.
    pub system: String,
    /// The conversation, oldest first; the last turn is what is answered.
    pub messages: Vec<Turn>,
    /// What shape the answer shall have; `None` for free text.
    pub schema: Option<Schema>,
    /// `None` leaves it to the model, as those that reason demand.
    pub temperature: Option<Temperature>,
    /// Makes sampling repeatable where the provider can; Anthropic cannot, and is not sent it.
    pub seed: Option<u64>,
    /// The most tokens of the answer; `None` takes that of the settings.
    pub max_output_tokens: Option<u32>,
    /// The trace that the call belongs to.
    pub trace: Option<Trace>,
}

/// A trace as the headers of the W3C say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// `traceparent`: the trace, and the span in it that calls.
    pub parent: String,
    /// `tracestate`: what tracing systems add; empty where they add nothing.
    pub state: String,
}

impl Request {
    /// A question of one turn, at temperature 0.
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

/// What one side said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Who.
    pub role: Role,
    /// What.
    pub text: String,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Who asks.
    User,
    /// The model.
    Assistant,
}

/// The sampling temperature, 0 to 2: how far the model strays from the likeliest word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature(f32);

impl Temperature {
    /// As little chance as the provider allows.
    pub const ZERO: Self = Self(0.0);

    /// So much chance that answers to the same question vary, and each still is a fair one.
    pub const VARIED: Self = Self(0.7);

    /// Checks it.
    ///
    /// # Errors
    ///
    /// Below 0, above 2 or no number.
    pub fn new(given: f32) -> Result<Self, RequestError> {
        // -0.0 compares equal to 0 and is another text in JSON.
        if (0.0..=2.0).contains(&given) {
            Ok(Self(given.abs()))
        } else {
            Err(RequestError::Temperature { given })
        }
    }

    /// The temperature, 0 to 2.
    #[must_use]
    pub const fn get(self) -> f32 {
        self.0
    }
}

/// A JSON schema with a name, its text kept as it was written: models heed the order of properties.
#[derive(Clone, Debug)]
pub struct Schema {
    name: Box<str>,
    json: Box<RawValue>,
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    ///
    /// The name is not 1 to 64 of `A-Z a-z 0-9 _ -`, or the text is no JSON object.
    pub fn new(name: &str, json: &str) -> Result<Self, RequestError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(allowed) {
            let given = name.chars().take(MAX_NAME_BYTES).collect();
            return Err(RequestError::SchemaName { given });
        }
        let json: Box<RawValue> = serde_json::from_str(json)
            .map_err(|error| RequestError::Schema { reason: error.to_string() })?;
        if !json.get().starts_with('{') {
            return Err(RequestError::Schema { reason: "it is no object".to_owned() });
        }
        Ok(Self { name: name.into(), json })
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// The schema as it was given.
    #[must_use]
    pub const fn json(&self) -> &RawValue {
        &self.json
    }
}

/// Why something cannot be asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RequestError {
    /// The temperature is out of range.
    #[error("temperature: {given} is not allowed; allowed is 0 to 2")]
    Temperature {
        /// What was given.
        given: f32,
    },
    /// The name of the schema would be refused.
    #[error("schema name: {given:?} is not allowed; allowed are 1 to 64 of A-Z a-z 0-9 _ -")]
    SchemaName {
        /// What was given.
        given: String,
    },
    /// The schema is no JSON object.
    #[error("schema: {reason}; give a JSON schema as one JSON object")]
    Schema {
        /// What is wrong with it.
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
    fn what_providers_refuse_is_refused_here() {
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
