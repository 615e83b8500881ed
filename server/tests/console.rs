//! Tests the console over HTTP.

use crate::support::{TestServer, http};
use gsar_server::config::Config;
use reqwest::{Response, StatusCode};

/// The maximum total size of the compressed files, in bytes.
const MAX_COMPRESSED_SIZE: usize = 150_000;
const FILES: [(&str, &str); 3] = [
    ("/console/", "text/html; charset=utf-8"),
    ("/console/console.js", "text/javascript; charset=utf-8"),
    ("/console/console.css", "text/css; charset=utf-8"),
];

async fn start_server(change: impl FnOnce(&mut Config)) -> TestServer {
    let with_console = |config: &mut Config| {
        config.gateway.address = Some("127.0.0.1:0".parse().unwrap());
        config.gateway.console = true;
        change(config);
    };
    TestServer::with(with_console).await
}

async fn get(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = http::client().get(format!("http://{}{path}", server.gateway.unwrap()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn console_is_served_with_a_strict_content_security_policy() {
    let server = start_server(|_| {}).await;
    let mut compressed_size = 0;
    for (path, content_type) in FILES {
        let response = get(&server, path, &[]).await;
        assert_eq!(
            (response.status(), response.headers()["content-type"].to_str().unwrap()),
            (StatusCode::OK, content_type)
        );
        let policy = response.headers()["content-security-policy"].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        let etag = response.headers()["etag"].to_str().unwrap().to_owned();
        let content = response.bytes().await.unwrap();
        let compressed = get(&server, path, &[("accept-encoding", "br, gzip;q=0.9")]).await;
        assert_eq!(compressed.headers()["content-encoding"], "gzip");
        let bytes = compressed.bytes().await.unwrap();
        let mut decompressed = Vec::new();
        std::io::copy(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut decompressed).unwrap();
        assert_eq!(decompressed, content);
        compressed_size += bytes.len();
        let revalidation = get(&server, path, &[("if-none-match", &etag)]).await;
        assert_eq!(revalidation.status(), StatusCode::NOT_MODIFIED);
        assert!(revalidation.bytes().await.unwrap().is_empty());
    }
    assert!(compressed_size <= MAX_COMPRESSED_SIZE, "{compressed_size}");
}

#[tokio::test]
async fn console_pages_load_only_their_own_files() {
    let server = start_server(|_| {}).await;
    let page = get(&server, "/console", &[]).await;
    assert_eq!(page.url().path(), "/console/");
    let page = page.text().await.unwrap();
    for inline in ["<style", " style=", "onclick", "onload", "http:", "https:", "//"] {
        assert!(!page.contains(inline), "{inline} is in {page}");
    }
    let scripts: Vec<&str> = page.split("<script").skip(1).collect();
    assert!(
        !scripts.is_empty()
            && scripts.iter().all(|script| script.contains("src=\"./console.js\"></script>")),
        "{page}"
    );
}

#[tokio::test]
async fn console_is_served_only_if_enabled() {
    let disabled = start_server(|config| config.gateway.console = false).await;
    assert_eq!(get(&disabled, "/console/", &[]).await.status(), StatusCode::NOT_FOUND);
    let enabled = start_server(|_| {}).await;
    for path in ["/console/other.js", "/console/../Cargo.toml", "/console/console.js/x"] {
        assert_eq!(get(&enabled, path, &[]).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    // As with any other call, a foreign origin is rejected.
    let foreign_origin = get(&enabled, "/console/", &[("origin", "http://evil.example")]).await;
    assert_eq!(foreign_origin.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn root_redirects_to_the_console() {
    let enabled = start_server(|_| {}).await;
    let answer = get(&enabled, "/", &[]).await;
    assert_eq!((answer.status(), answer.url().path()), (StatusCode::OK, "/console/"));
    let disabled = start_server(|config| config.gateway.console = false).await;
    assert_eq!(get(&disabled, "/", &[]).await.status(), StatusCode::NOT_FOUND);
}
