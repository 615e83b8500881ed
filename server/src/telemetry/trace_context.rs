//! Parses the W3C trace context of a caller. See <https://www.w3.org/TR/trace-context/>.

use http::{HeaderMap, HeaderName};

static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The caller's trace context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace id, 32 hexadecimal digits.
    pub trace_id: String,
    /// The caller's span id, 16 hexadecimal digits.
    pub parent_id: String,
    /// `true` if the caller samples the trace.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Formats the context as a `traceparent` header.
    #[must_use]
    pub fn traceparent(&self) -> String {
        format!("00-{}-{}-{:02x}", self.trace_id, self.parent_id, u8::from(self.is_sampled))
    }

    /// Parses the `traceparent` header. Returns `None` if it is missing or malformed, as the standard
    /// requires.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(&TRACEPARENT)?.to_str().ok()?;
        let mut parts = value.trim().split('-');
        let (version, trace_id) = (parts.next()?, parts.next()?);
        let (parent_id, flags) = (parts.next()?, parts.next()?);
        let has_more_parts = parts.next().is_some();
        let is_hexadecimal = |text: &str, length: usize| {
            text.len() == length
                && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_nonzero = |text: &str| text.bytes().any(|byte| byte != b'0');
        let is_valid = is_hexadecimal(version, 2)
            && version != "ff"
            && (version != "00" || !has_more_parts)
            && is_hexadecimal(trace_id, 32)
            && is_nonzero(trace_id)
            && is_hexadecimal(parent_id, 16)
            && is_nonzero(parent_id)
            && is_hexadecimal(flags, 2);
        is_valid.then(|| Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
            is_sampled: u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &str) -> Option<TraceContext> {
        let mut headers = HeaderMap::new();
        headers.insert("traceparent", value.parse().unwrap());
        TraceContext::from_headers(&headers)
    }

    #[test]
    fn parses_a_valid_traceparent() {
        let context = parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").unwrap();
        assert_eq!(context.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(context.parent_id, "00f067aa0ba902b7");
        assert!(context.is_sampled);
        let unsampled = parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02").unwrap();
        assert!(!unsampled.is_sampled);
    }

    #[test]
    fn ignores_invalid_headers() {
        for value in [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-extra",
        ] {
            assert_eq!(parse(value), None, "{value}");
        }
    }
}
