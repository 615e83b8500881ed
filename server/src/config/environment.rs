//! Reads environment variables of the form `GSAR_SECTION__KEY=value`. Ignores variables with the same
//! prefix that belong to the `gsar` command line, to tests, or to Kubernetes Services.

use figment::value::{Dict, Map, Value};
use figment::{Error, Metadata, Profile, Provider};

const PREFIX: &str = "GSAR_";

const NOT_KEYS: [&str; 8] = [
    "GSAR_ENDPOINT",
    "GSAR_TLS_CA",
    "GSAR_TLS_CERTIFICATE",
    "GSAR_TLS_KEY",
    "GSAR_TOKEN_FILE",
    "GSAR_CONSOLE",
    "GSAR_CONFIG",
    "GSAR_REQUIRE",
];

const TESTS: &str = "GSAR_TEST_";

/// The environment as a layer of the configuration. Values are parsed as TOML, or used as strings if that
/// fails.
pub(super) struct Environment<'a>(pub(super) &'a [(String, String)]);

impl Provider for Environment<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment")
            .interpolater(|_, keys| format!("{PREFIX}{}", keys.join("__").to_ascii_uppercase()))
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut dict = Dict::new();
        for (name, value) in self.0 {
            let is_for_tests = name.starts_with(TESTS);
            if NOT_KEYS.contains(&name.as_str()) || is_for_tests || is_from_kubernetes(name, value)
            {
                continue;
            }
            let Some(key) = name.strip_prefix(PREFIX) else { continue };
            let key = key.to_ascii_lowercase().replace("__", ".");
            let Ok(value) = value.parse::<Value>();
            if let Some(nested) = figment::util::nest(&key, value).into_dict() {
                merge(&mut dict, nested);
            }
        }
        Ok(Profile::Default.collect(dict))
    }
}

fn merge(target: &mut Dict, source: Dict) {
    for (key, value) in source {
        match (target.get_mut(&key), value) {
            (Some(Value::Dict(_, present)), Value::Dict(_, added)) => merge(present, added),
            (_, value) => {
                target.insert(key, value);
            }
        }
    }
}

/// Returns `true` if Kubernetes injects this variable for a Service named `gsar` or `gsar-…`:
/// `GSAR_SERVICE_HOST`, `GSAR_SERVICE_PORT`, `GSAR_SERVICE_PORT_<NAME>`, `GSAR_PORT`, and
/// `GSAR_PORT_<NUMBER>_<PROTOCOL>`, alone or with the suffix `_PROTO`, `_PORT` or `_ADDR`.
///
/// <https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables>
pub(super) fn is_from_kubernetes(name: &str, value: &str) -> bool {
    // Only the names of keys in a section contain a double underscore.
    if !name.starts_with(PREFIX) || name.contains("__") {
        return false;
    }
    let is_url = || value.split_once("://").is_some_and(|(scheme, _)| is_protocol(scheme));
    if name.ends_with("_SERVICE_HOST")
        || name.ends_with("_SERVICE_PORT")
        || name.contains("_SERVICE_PORT_")
        || (name.ends_with("_PORT") && is_url())
    {
        return true;
    }
    name.match_indices("_PORT_").any(|(start, matched)| {
        let mut parts = name.get(start + matched.len()..).unwrap_or_default().split('_');
        let is_port = parts.next().is_some_and(|part| part.parse::<u16>().is_ok());
        let has_protocol = parts.next().is_some_and(is_protocol);
        let has_valid_suffix =
            parts.next().is_none_or(|part| matches!(part, "PROTO" | "PORT" | "ADDR"));
        is_port && has_protocol && has_valid_suffix && parts.next().is_none()
    })
}

fn is_protocol(text: &str) -> bool {
    ["tcp", "udp", "sctp"].iter().any(|protocol| text.eq_ignore_ascii_case(protocol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_kubernetes_variables() {
        for (name, value) in [
            ("GSAR_SERVICE_HOST", "10.0.0.1"),
            ("GSAR_SERVICE_PORT", "50051"),
            ("GSAR_SERVICE_PORT_GRPC", "50051"),
            ("GSAR_PORT", "tcp://10.0.0.1:50051"),
            ("GSAR_PORT_50051_TCP", "tcp://10.0.0.1:50051"),
            ("GSAR_PORT_50051_TCP_PROTO", "tcp"),
            ("GSAR_PORT_50051_TCP_PORT", "50051"),
            ("GSAR_PORT_50051_TCP_ADDR", "10.0.0.1"),
            ("GSAR_METRICS_SERVICE_HOST", "10.0.0.1"),
            ("GSAR_METRICS_PORT_9090_UDP_ADDR", "10.0.0.1"),
        ] {
            assert!(is_from_kubernetes(name, value), "{name}");
        }
        for (name, value) in [
            ("GSAR_PORT", "50051"),
            ("GSAR_LISTEN", "grpc://127.0.0.1:1"),
            ("GSAR_LIMITS__SERVICE_PORT", "1"),
            ("GSAR_PORT_50051", "x"),
            ("GSAR_PORT_50051_TCP_MORE", "x"),
            ("OTHER_SERVICE_HOST", "10.0.0.1"),
        ] {
            assert!(!is_from_kubernetes(name, value), "{name}");
        }
    }
}
