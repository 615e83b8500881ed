//! Refuses requests that foreign web pages make a browser send. Such a request has an unknown origin or, in a DNS
//! rebinding attack, a host that is not a loopback address.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use axum::middleware::Next;

use super::problem::problem;

#[derive(Clone, Debug)]
pub(super) struct Origins {
    allowed: Arc<[HeaderValue]>,
    loopback_only: bool,
}

impl Origins {
    /// Creates the check. `allowed_origins` must contain only valid origins.
    pub(super) fn new(allowed_origins: &[String], loopback_only: bool) -> Self {
        let allowed =
            allowed_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
        Self { allowed: allowed.collect(), loopback_only }
    }

    pub(super) fn allowed(&self) -> Vec<HeaderValue> {
        self.allowed.to_vec()
    }

    fn refusal(&self, headers: &HeaderMap) -> Option<&'static str> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if self.loopback_only && !is_loopback(host) {
            return Some(
                "Host is not a loopback address; call the gateway as localhost, 127.0.0.1 or [::1]",
            );
        }
        let origin = headers.get(ORIGIN)?;
        let is_same_origin = origin.to_str().is_ok_and(|origin| {
            origin.strip_prefix("http://").is_some_and(|authority| authority == host)
        });
        let is_allowed = is_same_origin || self.allowed.contains(origin);
        (!is_allowed).then_some(
            "requests from this Origin are not allowed; if it is yours, add it to gateway.allowed_origins",
        )
    }
}

pub(super) async fn check(
    State(origins): State<Origins>,
    request: Request<Body>,
    next: Next,
) -> Response<Body> {
    match origins.refusal(request.headers()) {
        Some(detail) => problem(StatusCode::FORBIDDEN, detail),
        None => next.run(request).await,
    }
}

fn is_loopback(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(host: &str, origin: Option<&str>) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().unwrap());
        }
        Origins::new(&["https://console.example".to_owned()], true).refusal(&headers)
    }

    #[test]
    fn accepts_only_loopback_hosts() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"] {
            assert_eq!(refusal(host, None), None, "{host}");
        }
        let foreign_hosts = [
            "",
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com",
            "10.0.0.1",
            "a b",
        ];
        for host in foreign_hosts {
            assert!(refusal(host, None).is_some(), "{host}");
        }
        assert!(Origins::new(&[], true).refusal(&HeaderMap::new()).is_some());
    }

    #[test]
    fn accepts_the_same_origin_and_configured_origins() {
        for origin in ["http://localhost:8080", "https://console.example"] {
            assert_eq!(refusal("localhost:8080", Some(origin)), None, "{origin}");
        }
        let foreign_origins = [
            "null",
            "http://localhost:9090",
            "https://localhost:8080",
            "http://evil.example",
            "https://console.example.evil.example",
        ];
        for origin in foreign_origins {
            assert!(refusal("localhost:8080", Some(origin)).is_some(), "{origin}");
        }
    }
}
