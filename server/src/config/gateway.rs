//! The table `[gateway]`.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::Problems;

/// The HTTP gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gateway {
    /// The listen address, such as `127.0.0.1:4319`. Must be loopback unless principals are configured. If
    /// absent, there is no gateway.
    pub address: Option<SocketAddr>,
    /// The origins of other web pages that may call the gateway, such as `http://localhost:5173`.
    pub allowed_origins: Vec<String>,
    /// `true` if the console is served below `/console/`.
    pub console: bool,
}

impl Gateway {
    pub(super) fn check(&self, has_principals: bool, problems: &mut Problems) {
        if problems.has_errors_at(&["gateway"]) {
            return;
        }
        if let Some(address) = self.address
            && !address.ip().is_loopback()
            && !has_principals
        {
            let description = format!(
                "{address} is reachable from other machines without authentication; set security.principals, or use a loopback address such as 127.0.0.1:{}",
                address.port()
            );
            problems.add(&["gateway", "address"], description);
        }
        for origin in &self.allowed_origins {
            if !is_origin(origin) {
                let description = format!(
                    "invalid origin {origin:?}; use a scheme, a host and a port, such as http://localhost:5173"
                );
                problems.add(&["gateway", "allowed_origins"], description);
            }
        }
        let unused =
            [("console", self.console), ("allowed_origins", !self.allowed_origins.is_empty())];
        for (key, _) in unused.into_iter().filter(|(_, is_set)| self.address.is_none() && *is_set) {
            let description = "has no effect without gateway.address; set it, or remove this key";
            problems.add(&["gateway", key], description);
        }
    }
}

/// Returns `true` for an origin as browsers send it: scheme, host and optional port.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<http::Uri>() else { return false };
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
    let expected = format!("{}://{authority}", uri.scheme_str().unwrap_or_default());
    is_http && !authority.is_empty() && !authority.contains('@') && expected == text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_an_optional_port() {
        for origin in ["http://localhost:5173", "https://console.example", "http://[::1]:8080"] {
            assert!(is_origin(origin), "{origin}");
        }
        let invalid_origins = [
            "",
            "*",
            "null",
            "localhost:5173",
            "https://a.example/",
            "https://a@b",
            "ftp://a",
            "https://",
        ];
        for origin in invalid_origins {
            assert!(!is_origin(origin), "{origin}");
        }
    }
}
