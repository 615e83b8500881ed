//! The table `[traces]`.

use serde::{Deserialize, Serialize};

use super::Problems;

/// The export of traces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traces {
    /// An OTLP/gRPC collector, such as `http://localhost:4317`. If absent, no traces are exported.
    pub endpoint: Option<String>,
    /// One in this many calls is traced if the caller sent no trace context.
    pub one_in: u32,
}

impl Default for Traces {
    fn default() -> Self {
        Self { endpoint: None, one_in: 1 }
    }
}

impl Traces {
    pub(super) fn check(&self, problems: &mut Problems) {
        if problems.has_errors_at(&["traces"]) {
            return;
        }
        if let Some(endpoint) = &self.endpoint {
            let uri = endpoint.parse::<http::Uri>().ok();
            let scheme = uri.as_ref().and_then(http::Uri::scheme_str);
            let authority = uri.as_ref().and_then(http::Uri::authority);
            if authority.is_some_and(|authority| authority.as_str().contains('@')) {
                let description = "contains credentials, which are not supported; remove them";
                problems.add(&["traces", "endpoint"], description);
            } else if !matches!(scheme, Some("http" | "https")) {
                let description = format!(
                    "invalid collector {endpoint:?}; use a scheme, a host and a port, such as http://localhost:4317"
                );
                problems.add(&["traces", "endpoint"], description);
            }
        }
        if self.one_in == 0 {
            problems.add(
                &["traces", "one_in"],
                "0 traces nothing; set it to 1 or more, or leave out traces.endpoint",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_the_collector_url() {
        let problems_of = |endpoint: &str, one_in| {
            let mut problems = Problems::default();
            Traces { endpoint: Some(endpoint.to_owned()), one_in }.check(&mut problems);
            problems.to_string()
        };
        for endpoint in ["http://localhost:4317", "https://collector.example"] {
            assert!(problems_of(endpoint, 10).contains("0 problems"));
        }
        assert!(!problems_of("http://ada:secret@collector", 1).contains("secret"));
        for endpoint in ["", "localhost:4317", "grpc://collector", "http://a b", "http://ada@b"] {
            assert!(problems_of(endpoint, 1).contains("traces.endpoint"), "{endpoint}");
        }
        assert!(problems_of("http://localhost:4317", 0).contains("traces.one_in: 0"));
    }
}
