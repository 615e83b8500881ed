//! Parses and classifies providers' JSON errors.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::retry::seconds;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorObject {
    message: String,
    kinds: Vec<String>,
    /// The requested delay, which Gemini reports in the body.
    pub(crate) retry_after: Option<Duration>,
}

const TRANSIENT: [&str; 9] = [
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "server_error",
    "timeout_error",
    "UNAVAILABLE",
    "RESOURCE_EXHAUSTED",
    "INTERNAL",
];

impl ErrorObject {
    pub(crate) fn is_transient(&self) -> bool {
        self.kinds.iter().any(|kind| {
            TRANSIENT.contains(&kind.as_str())
                || kind
                    .parse()
                    .is_ok_and(|status: u16| status == 429 || (500..600).contains(&status))
        }) && !self.is_quota()
    }

    pub(crate) fn is_quota(&self) -> bool {
        self.has_kind(&["insufficient_quota", "billing_error", "billing_not_active"])
            || self.message.contains("credit balance is too low")
    }

    pub(crate) fn is_content_filter(&self) -> bool {
        self.has_kind(&["content_filter", "content_policy_violation"])
            || self.message.contains("content filtering policy")
    }

    pub(crate) fn is_rate_limit(&self) -> bool {
        self.has_kind(&["429", "rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"])
    }

    pub(crate) fn is_key(&self) -> bool {
        self.has_kind(&["401", "403", "authentication_error", "permission_error"])
            || self.has_kind(&["invalid_api_key", "UNAUTHENTICATED", "PERMISSION_DENIED"])
    }

    pub(crate) fn is_too_large(&self) -> bool {
        // `exceed_context_size_error` is from llama.cpp.
        self.has_kind(&[
            "context_length_exceeded",
            "request_too_large",
            "exceed_context_size_error",
        ]) || self.message.contains("prompt is too long")
            || self.message.contains("maximum context length")
            || self.message.contains("exceed context limit")
            || self.message.contains("exceeds the maximum number of tokens")
    }

    fn has_kind(&self, kinds: &[&str]) -> bool {
        self.kinds.iter().any(|kind| kinds.contains(&kind.as_str()))
    }
}

impl<'de> Deserialize<'de> for ErrorObject {
    /// Accepts a string, or an object with any of `message`, `type`, `code`, `status` and `details`.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = |name: &str| match value.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let details = value.get("details").and_then(Value::as_array).into_iter().flatten();
        let retry_after =
            details.filter_map(|detail| detail.get("retryDelay")?.as_str()).find_map(seconds);
        Ok(Self {
            message: value
                .as_str()
                .map(str::to_owned)
                .or_else(|| text("message"))
                .unwrap_or_default(),
            kinds: ["type", "code", "status"].into_iter().filter_map(text).collect(),
            retry_after,
        })
    }
}

/// Parses the error in the body of an unsuccessful response. Returns an empty error if there is none.
pub(crate) fn in_error_body(body: &[u8]) -> ErrorObject {
    #[derive(Deserialize)]
    struct Body {
        error: ErrorObject,
    }
    // Google's OpenAI-compatible endpoint wraps the error in a list.
    serde_json::from_slice::<(Body,)>(body)
        .map(|(body,)| body)
        .or_else(|_error| serde_json::from_slice(body))
        .map(|body| body.error)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(body: &str) -> ErrorObject {
        in_error_body(body.as_bytes())
    }

    #[test]
    fn classifies_errors() {
        let transient = [
            r#"{"error":{"message":"x","type":"server_error","code":null}}"#,
            r#"{"error":{"code":502,"message":"upstream"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"x"}}"#,
        ];
        assert!(transient.iter().all(|body| parse(body).is_transient()));
        let quota = parse(r#"{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}"#);
        assert!(quota.is_quota() && !quota.is_transient());
        let filter = parse(r#"{"error":{"code":"content_filter","message":"x"}}"#);
        assert!(filter.is_content_filter());
        let large = parse(r#"{"error":{"message":"This model's maximum context length is 8"}}"#);
        assert!(large.is_too_large() && !large.is_transient());
        assert!(!parse(r#"{"error":"model 'x' not found"}"#).is_transient());
    }

    #[test]
    fn parses_geminis_retry_delay() {
        let body = r#"[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[
            {"@type":"type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}]"#;
        assert_eq!(parse(body).retry_after, Some(Duration::from_millis(34_500)));
    }

    proptest! {
        #[test]
        fn never_panics_on_any_body(body in "(\\PC{0,40}|\\{\"error\":\\PC{0,20}\\})") {
            parse(&body);
        }
    }
}
