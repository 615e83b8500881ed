//! This module refuses what a web page of elsewhere makes a browser send: requests under a name that is not this
//! machine's (DNS rebinding), and requests of pages that are neither served here nor configured.

use std::net::IpAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use axum::middleware::Next;

use super::problem::problem;

/// The origins of pages elsewhere that may call, and whether the gateway is called by names of this machine only.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    allowed: Arc<[HeaderValue]>,
    here_only: bool,
}

impl Origins {
    /// Those of the configuration, which has checked them.
    pub(super) fn new(configured: &[String], here_only: bool) -> Self {
        let allowed = configured.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
        Self { allowed: allowed.collect(), here_only }
    }

    pub(super) fn allowed(&self) -> Vec<HeaderValue> {
        self.allowed.to_vec()
    }

    /// What is wrong with where a request comes from and under which name, if anything.
    fn refusal(&self, headers: &HeaderMap) -> Option<&'static str> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if self.here_only && !is_of_this_machine(host) {
            return Some(
                "Host names no loopback address; call the gateway as localhost, 127.0.0.1 or [::1]",
            );
        }
        let origin = headers.get(ORIGIN)?;
        let is_served_here = origin.to_str().is_ok_and(|origin| {
            origin.strip_prefix("http://").is_some_and(|authority| authority == host)
        });
        let is_allowed = is_served_here || self.allowed.contains(origin);
        (!is_allowed).then_some(
            "pages of this Origin may not call; add it to gateway.allowed_origins where they are yours",
        )
    }
}

/// Lets a request pass that may.
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

fn is_of_this_machine(host: &str) -> bool {
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
    fn names_of_this_machine_are_served() {
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]:8080"] {
            assert_eq!(refusal(host, None), None, "{host}");
        }
        let others = [
            "",
            "example.com",
            "127.0.0.1.example.com",
            "localhost.example.com",
            "10.0.0.1",
            "a b",
        ];
        for host in others {
            assert!(refusal(host, None).is_some(), "{host}");
        }
        assert!(Origins::new(&[], true).refusal(&HeaderMap::new()).is_some());
    }

    #[test]
    fn pages_served_here_and_configured_ones_may_call() {
        for origin in ["http://localhost:8080", "https://console.example"] {
            assert_eq!(refusal("localhost:8080", Some(origin)), None, "{origin}");
        }
        let others = [
            "null",
            "http://localhost:9090",
            "https://localhost:8080",
            "http://evil.example",
            "https://console.example.evil.example",
        ];
        for origin in others {
            assert!(refusal("localhost:8080", Some(origin)).is_some(), "{origin}");
        }
    }
}
