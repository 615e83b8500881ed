//! Parses and validates requests as a provider does.

use serde_json::Value;

use crate::KEY;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Chat completions.
    OpenAi,
    /// Messages.
    Anthropic,
    /// `generateContent`.
    Gemini,
    /// `/api/chat`.
    Ollama,
}

impl Wire {
    /// All wire formats.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    pub(crate) const fn base(self) -> &'static str {
        match self {
            Self::OpenAi => "/openai/v1",
            Self::Anthropic => "/anthropic/v1",
            Self::Gemini => "/gemini/v1beta",
            Self::Ollama => "/ollama",
        }
    }

    pub(crate) fn from_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|wire| {
            let Some(rest) = path.strip_prefix(wire.base()) else { return false };
            match wire {
                Self::OpenAi => rest == "/chat/completions",
                Self::Anthropic => rest == "/messages",
                Self::Gemini => rest.starts_with('/') && rest.ends_with(":generateContent"),
                Self::Ollama => rest == "/api/chat",
            }
        })
    }
}

/// A received request.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedRequest {
    /// The wire format, derived from the path.
    pub wire: Wire,
    /// The path.
    pub path: String,
    /// The headers, with lowercase names.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
}

impl ReceivedRequest {
    /// Returns the value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// Returns the JSON schema in the request.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        let pointers: &[&str] = match self.wire {
            Wire::OpenAi => &["/response_format/json_schema/schema", "/guided_json"],
            Wire::Anthropic => &["/tools/0/input_schema"],
            Wire::Gemini => &["/generationConfig/responseSchema"],
            Wire::Ollama => &["/format"],
        };
        pointers.iter().find_map(|pointer| self.body.pointer(pointer))
    }

    /// Returns `true` if the request has the valid key, which Ollama does not require.
    pub(crate) fn has_key(&self) -> bool {
        match self.wire {
            Wire::OpenAi => self.header("authorization") == Some(&format!("Bearer {KEY}")),
            Wire::Anthropic => self.header("x-api-key") == Some(KEY),
            Wire::Gemini => self.header("x-goog-api-key") == Some(KEY),
            Wire::Ollama => true,
        }
    }

    pub(crate) fn invalid_part(&self) -> Option<&'static str> {
        let has_kind =
            |pointer, is_kind: fn(&Value) -> bool| self.body.pointer(pointer).is_some_and(is_kind);
        let conditions: &[(bool, &'static str)] = match self.wire {
            Wire::OpenAi => &[
                (has_kind("/model", Value::is_string), "model"),
                (has_kind("/messages/0/content", Value::is_string), "messages"),
                (
                    self.body.get("response_format").is_none()
                        || has_kind("/response_format/type", Value::is_string),
                    "response_format",
                ),
            ],
            Wire::Anthropic => &[
                (self.header("anthropic-version").is_some(), "anthropic-version"),
                (has_kind("/model", Value::is_string), "model"),
                (has_kind("/max_tokens", Value::is_u64), "max_tokens"),
                (has_kind("/messages/0/content", Value::is_string), "messages"),
                (
                    self.body.pointer("/tools/0/name") == self.body.pointer("/tool_choice/name"),
                    "tool_choice",
                ),
            ],
            Wire::Gemini => &[
                (has_kind("/contents/0/parts/0/text", Value::is_string), "contents"),
                (
                    self.schema().is_none_or(|schema| schema.get("additionalProperties").is_none()),
                    "additionalProperties",
                ),
            ],
            Wire::Ollama => &[
                (has_kind("/model", Value::is_string), "model"),
                (has_kind("/messages/0/content", Value::is_string), "messages"),
                (self.body.get("stream") == Some(&Value::Bool(false)), "stream"),
            ],
        };
        if self.header("content-type") != Some("application/json") {
            return Some("content-type");
        }
        conditions.iter().find(|(is_met, _)| !is_met).map(|(_, part)| *part)
    }
}
